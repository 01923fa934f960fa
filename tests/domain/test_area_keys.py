"""The area's own keys, here, in the document and in the extension."""

import json
import re
import subprocess
from pathlib import Path

from sidekeep.domain.area_keys import DEFAULTS, GET_ALL_KEYS, OPTIONS_PAGE_DEFAULTS, light_defaults

ROOT = Path(__file__).parents[2]
MIRROR = ROOT / "extension" / "lib" / "settings-keys.js"
PROBE = (
    f"import * as keys from {json.dumps(MIRROR.as_uri())};"
    "console.log(JSON.stringify([keys.DEFAULTS, keys.OPTIONS_DEFAULTS, keys.GET_ALL_KEYS]));"
)


def test_the_extension_has_the_same_table() -> None:
    ran = subprocess.run(
        ["node", "--input-type=module", "-e", PROBE], capture_output=True, text=True, timeout=30, check=True
    )
    assert json.loads(ran.stdout) == [DEFAULTS, OPTIONS_PAGE_DEFAULTS, list(GET_ALL_KEYS)]


def test_the_document_has_the_same_keys() -> None:
    document = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w[\w, ]*?)(?: \(options page\))? \| .* \| (yes|\*\*no\*\*.*) \|$", document, re.MULTILINE)
    listed = {
        key: included == "yes"
        for keys, included in rows
        for key in keys.split(", ")
        if key in {*DEFAULTS, *OPTIONS_PAGE_DEFAULTS}
    }
    assert {key for key, included in listed.items() if included} == set(GET_ALL_KEYS)
    assert listed.keys() == {*DEFAULTS, *OPTIONS_PAGE_DEFAULTS}


def test_a_default_may_be_changed_without_changing_the_table() -> None:
    light_defaults()["theme"] = "dark"
    assert light_defaults()["theme"] == "system"
    assert "history" not in light_defaults()
