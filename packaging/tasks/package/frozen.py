"""The host as one folder that needs no Python: PyInstaller, with the built extension and the licences beside the program."""

import shutil
from pathlib import Path

from tasks import programs
from tasks.package.places import FROZEN, WORK
from tasks.places import ROOT, VENV_PYTHON
from tasks.say import TaskError, step

SPEC = ROOT / "packaging" / "sidekeep.spec"
# A one-file program is slow to start and leaves its files behind when a browser kills it.
ONE_FOLDER = FROZEN / "_internal"


def freeze(extension: Path, *, wire_host: bool = False) -> Path:
    """Build the folder anew and return it. Raises TaskError."""
    step("Frozen host", "building with PyInstaller (a minute or two)")
    shutil.rmtree(FROZEN, ignore_errors=True)
    command: list[str | Path] = [VENV_PYTHON, "-m", "PyInstaller", "--noconfirm", "--log-level=WARN"]
    programs.run(
        [*command, f"--distpath={WORK}", f"--workpath={WORK / 'work'}", SPEC],
        task="Freezing the host",
        environment={"SIDEKEEP_WIRE_HOST": "1" if wire_host else "", "PYTHONHASHSEED": "0"},
    )
    if not ONE_FOLDER.is_dir():
        raise TaskError(f"{SPEC.name} did not make one folder: correct it.")
    shutil.copytree(extension, FROZEN / "extension")
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md"):
        shutil.copyfile(ROOT / name, FROZEN / name)
    return FROZEN
