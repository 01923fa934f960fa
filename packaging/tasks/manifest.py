"""The native messaging manifest: the file by which a browser finds the host."""

import json
import sys
from pathlib import Path

from tasks.files import write_if_changed
from tasks.places import HOST_NAME, HOST_PROGRAM, ROOT

TEMPLATE = ROOT / "manifests" / f"{HOST_NAME}.json"
PLACEHOLDER = "@SIDEKEEP@"


def render(program: Path) -> str:
    """The manifest's text for a host program; the browser wants its path absolute."""
    manifest = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    assert manifest["path"] == PLACEHOLDER, f"{TEMPLATE} has no {PLACEHOLDER}"
    manifest["path"] = str(program.absolute())
    # ASCII: some browsers of old misread anything else, and a BOM makes every one refuse the file.
    return json.dumps(manifest, indent=2, ensure_ascii=True) + "\n"


def install(profile: Path, program: Path = HOST_PROGRAM) -> Path:
    """Write the manifest where a browser started with `--user-data-dir=profile` looks first. Returns the file."""
    target = profile / "NativeMessagingHosts" / f"{HOST_NAME}.json"
    write_if_changed(target, render(program))
    if sys.platform == "win32":
        _register(target)
    return target


if sys.platform == "win32":  # untested: no Windows machine was at hand
    import winreg

    def _register(manifest: Path) -> None:
        """Windows browsers read the registry instead of the profile: one value for each family, of this user alone."""
        for vendor in (r"Chromium", r"Google\Chrome", r"Microsoft\Edge", r"BraveSoftware\Brave-Browser"):
            key = rf"Software\{vendor}\NativeMessagingHosts\{HOST_NAME}"
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, key) as handle:
                winreg.SetValueEx(handle, "", 0, winreg.REG_SZ, str(manifest))
