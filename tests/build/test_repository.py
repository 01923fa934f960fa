"""What is committed: sources, and nothing that a task makes."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOP_LEVEL = {"pyproject.toml", "host", "extension", "manifests", "tests", "build.py", "README.md", "docs", "packaging"}


@pytest.fixture
def tracked() -> list[str]:
    """The files that git knows."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout")
    return git("ls-files")


def git(*arguments: str) -> list[str]:
    """A git command's lines."""
    command = ["git", "-c", f"safe.directory={ROOT}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.usefixtures("tracked")
def test_nothing_that_is_ignored_is_committed() -> None:
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard") == []


def test_the_top_level_is_the_agreed_one(tracked: list[str]) -> None:
    assert {name.partition("/")[0] for name in tracked} >= TOP_LEVEL | {".ci", "LICENSE", "CHANGELOG.md"}


def test_no_committed_text_names_a_package_registrys_host(tracked: list[str]) -> None:
    # Written apart, so that this file does not name them either.
    hosts = [f"{name}.{end}" for name, end in [("pypi", "org"), ("pythonhosted", "org"), ("registry.npmjs", "org")]]
    found = []
    for name in tracked:
        path = ROOT / name
        if path.is_file() and path.suffix not in (".png", ".svg"):
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [f"{name}: {host}" for host in hosts if host in text]
    assert found == []
