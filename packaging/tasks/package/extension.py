"""The extension as the stores take it: a zip, without `key`, the same bytes each time."""

import json
import zipfile
from pathlib import Path

from tasks.package.places import target, version

# The stores give the extension ids of their own, and refuse a manifest that brings one.
KEY = "key"
EPOCH = (1980, 1, 1, 0, 0, 0)


def for_stores(extension: Path) -> Path:
    """Write the zip of a built extension."""
    made = target(f"sidekeep-extension-{version()}.zip")
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as bundle:
        for file in sorted(path for path in extension.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(file.relative_to(extension).as_posix(), EPOCH)
            entry.external_attr = 0o644 << 16
            data = _without_key(file) if file == extension / "manifest.json" else file.read_bytes()
            bundle.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return made


def _without_key(manifest: Path) -> bytes:
    members = json.loads(manifest.read_text(encoding="utf-8"))
    del members[KEY]
    return (json.dumps(members, indent=2, ensure_ascii=False) + "\n").encode()
