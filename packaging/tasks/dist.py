"""`extension`: the folder that a browser loads, without what only developers need."""

import json
import shutil
from pathlib import Path

from tasks import vendor
from tasks.places import DIST, EXTENSION, ROOT
from tasks.say import TaskError, say, step

TARGET = DIST / "extension"
PACKAGED_COMMANDS = ROOT / "packaging" / "extension" / "commands.js"
LEFT_OUT = (".stamp", "*.d.ts", "*.map", "*.md", ".DS_Store")


def build(target: Path | None = None, *, packaged: bool = False) -> Path:
    """Fill extension/vendor/, then copy the extension to dist/extension/, or to `target`. Returns that folder. Raises TaskError.

    `packaged`: for people who have the host from a package, and so other commands than those of a checkout.
    """
    target = target or TARGET
    say("Building the extension:")
    vendor.ensure()
    version = json.loads((EXTENSION / "manifest.json").read_text(encoding="utf-8"))["version"]
    fresh = target.with_name("extension.new")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(EXTENSION, fresh, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md"):
        shutil.copyfile(ROOT / name, fresh / name)
    if packaged:
        shutil.copyfile(PACKAGED_COMMANDS, fresh / "lib" / "commands.js")
    _check_references(fresh)
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)
    step("Extension", f"{target.relative_to(ROOT)} (version {version}): load it at chrome://extensions, Load unpacked")
    return target


def _check_references(folder: Path) -> None:
    """Every file that the manifest names must be there, or the browser refuses the whole folder."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    named = [manifest["background"]["service_worker"], manifest["side_panel"]["default_path"]]
    named += manifest.get("icons", {}).values()
    missing = [name for name in named if not (folder / name).is_file()]
    if missing:
        raise TaskError(
            f"The extension's manifest names {missing[0]}, which is not there: add the file or mend the manifest."
        )
