"""What Linux installs: an archive with a script for one user, and a .deb for the machine. Both carry the frozen host."""

import platform
import shutil
import tarfile
from pathlib import Path

from tasks import programs
from tasks.package.places import FROZEN, LINUX, WORK, machine, target, version

CONTROL = """Package: sidekeep
Version: {version}
Architecture: {machine}
Maintainer: Sidekeep
Installed-Size: {kilobytes}
Depends: libc6
Recommends: chromium | google-chrome-stable | microsoft-edge-stable, python3-pip
Section: web
Priority: optional
Description: AI side panel whose memory lies outside the browser
 Sidekeep's native messaging host keeps every conversation of the side panel in one
 SQLite file on your own disk, and streams the answers of the model you choose.
 The extension for the browser is in the package; `sidekeep extension` says where.
"""


def archive() -> Path | None:
    """`sidekeep-VERSION-linux-MACHINE.tar.gz`: unpack it and run install.sh."""
    if platform.system() != "Linux":
        return None
    name = f"sidekeep-{version()}-linux-{platform.machine()}"
    made = target(f"{name}.tar.gz")
    with tarfile.open(made, "w:gz", compresslevel=6) as bundle:
        bundle.add(FROZEN, f"{name}/sidekeep", filter=_roots)
        for script in ("install.sh", "place.sh"):
            bundle.add(LINUX / script, f"{name}/{script}", filter=_roots)
        bundle.add(_version_file(), f"{name}/VERSION", filter=_roots)
    return made


def debian() -> Path | None:
    """`sidekeep_VERSION_MACHINE.deb`. Its script places the program as the archive's does, and registers it."""
    builder = shutil.which("dpkg-deb")
    if builder is None:
        return None
    root = WORK / "deb"
    shutil.rmtree(root, ignore_errors=True)
    package = root / "usr" / "lib" / "sidekeep" / "package"
    shutil.copytree(FROZEN, package / "sidekeep", symlinks=True, copy_function=shutil.copy2)
    shutil.copy2(LINUX / "place.sh", package)
    shutil.copy2(_version_file(), package)
    documents = root / "usr" / "share" / "doc" / "sidekeep"
    documents.mkdir(parents=True)
    shutil.copyfile(FROZEN / "LICENSE", documents / "copyright")
    _control(root)
    made = target(f"sidekeep_{version()}_{machine()}.deb")
    # zstd: every Debian since 12 and Ubuntu since 18.04 reads it, and it takes seconds where xz takes minutes.
    programs.run(
        [builder, "--root-owner-group", "-Zzstd", "-z12", "--build", root, made], task="Building the Debian package"
    )
    shutil.rmtree(root)
    return made


def _control(root: Path) -> None:
    folder = root / "DEBIAN"
    folder.mkdir()
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    text = CONTROL.format(version=version(), machine=machine(), kilobytes=size)
    (folder / "control").write_text(text, encoding="utf-8")
    for script in ("postinst", "prerm"):
        shutil.copy2(LINUX / script, folder)
        (folder / script).chmod(0o755)


def _version_file() -> Path:
    file = WORK / "VERSION"
    file.write_text(version() + "\n", encoding="utf-8")
    return file


def _roots(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Nobody's account of the machine that built it."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry
