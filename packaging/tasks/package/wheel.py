"""The wheel, for pipx, uv and pip. packaging/wheel_hook.py puts the built extension into it."""

from pathlib import Path

from tasks import programs
from tasks.package.places import PACKAGES, version
from tasks.places import VENV_PYTHON


def build() -> Path:
    """Build it with the locked hatchling. Raises TaskError."""
    command: list[str | Path] = [VENV_PYTHON, "-m", "hatchling", "build", "-t", "wheel", "-d", PACKAGES]
    programs.run(command, task="Building the wheel")
    (made,) = PACKAGES.glob(f"sidekeep-{version()}-*.whl")
    return made
