"""What `build.py package` makes, as far as it takes no minutes: the stores' zip, the wheel, the list of contents."""

import email
import hashlib
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

import pytest

from tasks import dist, notices, vendor
from tasks.package import checksums, extension, places, sbom
from tasks.places import ROOT


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """dist/package/ of the test's own."""
    for module in (places, checksums):
        monkeypatch.setattr(module, "PACKAGES", tmp_path)
    return tmp_path


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder like dist/extension/."""
    folder = tmp_path / "extension"
    (folder / "panel").mkdir(parents=True)
    (folder / "manifest.json").write_bytes((ROOT / "extension" / "manifest.json").read_bytes())
    (folder / "panel" / "panel.html").write_text("<p>ż", "utf-8")
    return folder


def test_the_stores_get_the_same_bytes_each_time_and_no_key(packages: Path, built: Path) -> None:
    first = extension.for_stores(built).read_bytes()
    (built / "panel" / "panel.html").touch()
    assert extension.for_stores(built).read_bytes() == first
    with zipfile.ZipFile(next(packages.glob("*.zip"))) as bundle:
        assert bundle.namelist() == ["manifest.json", "panel/panel.html"]
        manifest = json.loads(bundle.read("manifest.json"))
    ours = json.loads((built / "manifest.json").read_text("utf-8"))
    assert manifest == {name: value for name, value in ours.items() if name != "key"}
    assert "key" in ours


def test_the_sums_are_those_of_the_files(packages: Path) -> None:
    (packages / "a.deb").write_bytes(b"a")
    (packages / "b.zip").write_bytes(b"b")
    lines = checksums.write().read_text("ascii").splitlines()
    assert lines == [f"{hashlib.sha256(name[:1].encode()).hexdigest()}  {name}" for name in ("a.deb", "b.zip")]


def test_every_package_that_ships_is_listed_once_with_a_licence() -> None:
    document = sbom.document()
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    references = [component["bom-ref"] for component in document["components"]]
    assert len(references) == len(set(references))
    names = {component["name"] for component in document["components"]}
    assert {"orjson", "pydantic", "apsw", "cpython", *vendor.packages(vendor.vendor_map())} <= names
    assert names - {"cpython"} <= {name for name, _ in notices.locked()} | set(vendor.packages(vendor.vendor_map()))
    assert [component["name"] for component in document["components"] if not component.get("licenses")] == []
    assert "pytest" not in names


def test_a_packaged_extension_names_the_commands_of_packages(packages: Path) -> None:
    members = re.compile(r"^  (\w+): ", re.MULTILINE)
    ours = (ROOT / "extension" / "lib" / "commands.js").read_text("utf-8")
    theirs = dist.PACKAGED_COMMANDS.read_text("utf-8")
    assert members.findall(ours) == members.findall(theirs)
    assert "build.py" not in theirs
    assert ("IN_FOLDER = true" in ours, "IN_FOLDER = false" in theirs) == (True, True)
    built = dist.build(places.WORK / "tested", packaged=True)
    assert (built / "lib" / "commands.js").read_text("utf-8") == theirs
    shutil.rmtree(built)


def test_the_wheel_carries_the_extension(tmp_path: Path) -> None:
    dist.build(places.EXTENSION, packaged=True)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        metadata = email.message_from_bytes(wheel.read(next(name for name in names if name.endswith("/METADATA"))))
    assert {"sidekeep/extension/manifest.json", "sidekeep/__main__.py", "sidekeep/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests/", "packaging/", "tasks/"))]
    assert metadata["Name"] == "sidekeep"


def test_the_installers_of_other_systems_are_well_formed() -> None:
    ElementTree.parse(ROOT / "packaging" / "windows" / "sidekeep.wxs")
    scripts = [ROOT / "packaging" / "macos" / "scripts" / "postinstall", *(ROOT / "packaging").rglob("*.sh")]
    for script in scripts:
        subprocess.run(["sh", "-n", script], check=True)
