"""Where the host keeps things. Names are fixed by docs/protocol.md, section Names."""

import os
from pathlib import Path

from sidekeep.errors import StoreFailed


def data_home() -> Path:
    """The data home: SIDEKEEP_HOME, else the platform's folder for a user's data. Creates nothing."""
    chosen = os.environ.get("SIDEKEEP_HOME")
    if chosen:
        return Path(chosen).absolute()
    import platformdirs  # 10 ms: not paid where SIDEKEEP_HOME says it

    return platformdirs.user_data_path("sidekeep", appauthor=False)


def ensure_private(folder: Path) -> Path:
    """Make `folder` and what is missing above it, readable by its owner alone (0700).

    Raises StoreFailed where the folder cannot be made or is somebody else's file.
    """
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as exc:
        raise StoreFailed(
            f"The folder {folder} cannot be made: {exc.strerror}. Make it writable, or set SIDEKEEP_HOME to another folder."
        ) from exc
    return folder


def database(home: Path) -> Path:
    return home / "sidekeep.sqlite3"


def settings_file(home: Path) -> Path:
    return home / "settings.toml"


def secrets_file(home: Path) -> Path:
    return home / "secrets.json"


def logs(home: Path) -> Path:
    return home / "logs"


def models(home: Path) -> Path:
    return home / "models"


def locks(home: Path) -> Path:
    return home / "locks"
