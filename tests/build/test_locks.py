"""The lock files: pinned, hashed, and silent about where packages come from."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON_LOCKS = ("requirements.lock", "requirements-dev.lock")
TOOL_LOCKS = ("packaging/bench-peers.lock", "packaging/atheris.lock")
LOCKS = (*PYTHON_LOCKS, *TOOL_LOCKS, "package-lock.json")


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_package_host(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    if name == "package-lock.json":
        lock = json.loads(text)
        for entry in lock["packages"].values():
            entry.pop("funding", None)  # each package's own address for donations: no place that packages come from
        text = json.dumps(lock)
    assert re.findall(r"\b(?:https?|git\+\w+)://\S+", text) == []


@pytest.mark.parametrize("name", [*PYTHON_LOCKS, *TOOL_LOCKS])
def test_every_python_package_is_pinned_with_hashes(name: str) -> None:
    requirements = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip())
    loose = [
        block.splitlines()[0]
        for block in requirements
        if not block.startswith("#") and not ("==" in block and "--hash=sha256:" in block)
    ]
    assert loose == []


def test_every_javascript_package_has_an_integrity_and_no_address() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    entries = {name: entry for name, entry in lock["packages"].items() if name}
    assert entries
    assert [name for name, entry in entries.items() if not entry.get("integrity", "").startswith("sha512-")] == []
    assert [name for name, entry in entries.items() if "resolved" in entry] == []


def test_the_development_lock_has_the_very_versions_of_the_hosts_lock() -> None:
    host, development = (
        dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name in PYTHON_LOCKS
    )
    assert host.items() <= development.items()
