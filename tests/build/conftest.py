"""A checkout of one's own: build.py and what it reads, copied, so that a test may break things."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = (
    "build.py",
    "packaging",
    "manifests",
    "tests/fixtures/article.html",
    "extension",
    "host/sidekeep",
    "pyproject.toml",
    "requirements.lock",
    "requirements-dev.lock",
    "package.json",
    "package-lock.json",
    ".npmrc",
    "README.md",
    "LICENSE",
    "THIRD_PARTY_NOTICES.md",
)
Build = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the checkout's sources, with nothing that a task makes."""
    target = tmp_path / "checkout"
    for name in FILES:
        source = ROOT / name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__", "vendor"))
        elif source.exists():
            shutil.copyfile(source, target / name)
    return target


@pytest.fixture
def tools(tmp_path: Path) -> Callable[[Sequence[str]], Path]:
    """Makes a folder that holds just the named programs, to be the whole PATH."""

    def make(names: Sequence[str]) -> Path:
        folder = tmp_path / "tools"
        folder.mkdir()
        for name in names:
            found = shutil.which(name)
            assert found is not None, f"{name} is needed for this test"
            (folder / name).symlink_to(Path(found).resolve())
        return folder

    return make


@pytest.fixture
def build(checkout: Path) -> Build:
    """Runs the copied build.py. `path` replaces PATH, `environment` adds to the environment."""

    def run(
        *arguments: str, path: Path | None = None, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        full = {**os.environ, **(environment or {})}
        if path is not None:
            full["PATH"] = str(path)
        return subprocess.run(
            [sys.executable, "build.py", *arguments],
            cwd=checkout,
            env=full,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@pytest.fixture
def lent_environment(checkout: Path) -> None:
    """Lend the copy this checkout's .venv and weights: making them anew is tested once, not in every test."""
    (checkout / ".venv").symlink_to(ROOT / ".venv")
    models = ROOT / ".sidekeep-dev" / "models"
    (checkout / ".sidekeep-dev").mkdir()
    (checkout / ".sidekeep-dev" / "models").symlink_to(models)
