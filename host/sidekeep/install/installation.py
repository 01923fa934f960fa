"""This installation, as browsers are to be told of it."""

from pathlib import Path

from sidekeep import program
from sidekeep.errors import InstallFailed
from sidekeep.install.sandbox import Program


def this_program() -> Program:
    """The program to register. Raises InstallFailed where there is none that a browser could start."""
    path = program.program()
    if not path.is_file():
        raise InstallFailed(
            f"There is no program {path} that a browser could start: install Sidekeep with pipx or uv, or run"
            " `python3 build.py setup` in its checkout."
        )
    return Program(path, path.resolve().parent if program.is_frozen() else None)


def absolute(folder: str) -> Path:
    """A folder as a person names it on the command line."""
    return Path(folder).expanduser().absolute()
