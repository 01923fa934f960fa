"""What is in the packages, as CycloneDX 1.6 (https://cyclonedx.org): every locked Python and JavaScript package that ships."""

import json
import platform
import sys
from pathlib import Path
from typing import Any

from tasks import notices, vendor, venv
from tasks.package.places import target, version


def write() -> Path:
    """Write `sidekeep-VERSION.cdx.json`."""
    made = target(f"sidekeep-{version()}.cdx.json")
    made.write_text(json.dumps(document(), indent=2) + "\n", encoding="utf-8", newline="\n")
    return made


def document() -> dict[str, Any]:
    """The bill of materials. It holds no time and no serial number, so that the same packages give the same text."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "sidekeep",
                "name": "sidekeep",
                "version": version(),
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": [*_python(), *_javascript(), _interpreter()],
    }


def _python() -> list[dict[str, Any]]:
    licences = notices.licences_in(notices.TARGET.read_text(encoding="utf-8"))
    installed = {venv.key(path.name.removesuffix(".dist-info")) for path in venv.site_packages().glob("*.dist-info")}
    return [
        _component("library", name, found, f"pkg:pypi/{name.lower()}@{found}", licences.get(name, ""))
        for name, found in notices.locked()
        if venv.key(f"{name}-{found}") in installed
    ]


def _javascript() -> list[dict[str, Any]]:
    locked = json.loads(vendor.LOCK.read_text(encoding="utf-8"))["packages"]
    found = []
    for name in vendor.packages(vendor.vendor_map()):
        entry = locked[f"node_modules/{name}"]
        purl = f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"
        found.append(_component("library", name, entry["version"], purl, entry.get("license", "")))
    return found


def _interpreter() -> dict[str, Any]:
    """The frozen host carries a Python."""
    number = platform.python_version()
    return _component("platform", sys.implementation.name, number, f"pkg:generic/cpython@{number}", "PSF-2.0")


def _component(kind: str, name: str, number: str, purl: str, licence: str) -> dict[str, Any]:
    component: dict[str, Any] = {"type": kind, "bom-ref": purl, "name": name, "version": number, "purl": purl}
    if licence:
        component["licenses"] = [{"license": {"name": licence}}]
    return component
