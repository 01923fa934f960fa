"""The version is written once; the extension's manifest, which cannot read it, is compared."""

import json
import re
import tomllib
from pathlib import Path

import sidekeep
from tasks.places import EXTENSION_ID, HOST_NAME

ROOT = Path(__file__).parents[2]


def test_the_project_reads_its_version_from_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "host/sidekeep/__init__.py"


def test_the_extension_has_the_version_of_the_host() -> None:
    manifest = json.loads((ROOT / "extension" / "manifest.json").read_text(encoding="utf-8"))
    assert [manifest["version"]] == re.findall(r"^[\d.]+", sidekeep.__version__)


def test_the_host_manifest_allows_the_id_that_the_extensions_key_gives() -> None:
    import base64
    import hashlib

    extension = json.loads((ROOT / "extension" / "manifest.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256(base64.b64decode(extension["key"])).hexdigest()[:32]
    computed = "".join(chr(ord("a") + int(digit, 16)) for digit in digest)
    host = json.loads((ROOT / "manifests" / f"{HOST_NAME}.json").read_text(encoding="utf-8"))
    assert computed == EXTENSION_ID
    assert host["allowed_origins"] == [f"chrome-extension://{computed}/"]
