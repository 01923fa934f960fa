"""Where the host keeps things. Names are fixed by docs/protocol.md, section Names."""

import contextlib
import os
import sys
from pathlib import Path

from sidekeep.errors import StoreFailed, remedy

_MAX_MOVES = 8


def data_home() -> Path:
    """The data home: SIDEKEEP_HOME, else the platform's folder for a user's data; where it was moved, that. Creates nothing."""
    home = chosen_home()
    for _ in range(_MAX_MOVES):
        try:
            home = Path(moved_to(home).read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            break
    return home


def chosen_home() -> Path:
    """The data home before it was ever moved."""
    chosen = os.environ.get("SIDEKEEP_HOME")
    return Path(chosen).absolute() if chosen else usual_home()


def usual_home() -> Path:
    """Where the data home is when nobody says otherwise."""
    return Path(_user_data_folder()) / "sidekeep"


def moved_to(home: Path) -> Path:
    """A file that says where the data home was moved to (store/moving.py)."""
    return home / "moved-to"


def _user_data_folder() -> str:
    """What platformdirs says; where that is a line of code it is said here, because the browser waits 12 ms for the import."""
    if sys.platform == "linux":
        chosen = os.environ.get("XDG_DATA_HOME", "").strip()
        return chosen or os.path.join(_home(), ".local", "share")
    if sys.platform == "darwin":
        return os.path.join(_home(), "Library", "Application Support")
    import platformdirs

    return platformdirs.user_data_dir()


def _home() -> str:
    """The person's home, also where HOME is not set. Where the system knows none: what Debian calls such a home, which cannot be
    made, so that the refusal says what to do. `~` itself would become a folder wherever the host was started."""
    home = os.path.expanduser("~")
    return "/nonexistent" if home == "~" else home


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
        otherwise = "Make it writable, or set SIDEKEEP_HOME to another folder."
        raise StoreFailed(f"The folder {folder} cannot be made: {exc.strerror}. {remedy(exc, otherwise)}") from exc
    return folder


def keep_private(home: Path) -> None:
    """Make the data home; take others' access away from one that is there already (0700).

    Left as it is: a folder of somebody else's, and the person's own home or one above it, which SIDEKEEP_HOME may name.
    Raises StoreFailed as `ensure_private` does.
    """
    ensure_private(home)
    if os.name != "posix":
        return
    found = home.stat()
    if found.st_mode & 0o077 and found.st_uid == os.geteuid() and not Path(_home()).is_relative_to(home):
        with contextlib.suppress(OSError):  # a file system without modes
            home.chmod(found.st_mode & 0o700)


def database(home: Path) -> Path:
    return home / "sidekeep.sqlite3"


def settings_file(home: Path) -> Path:
    return home / "settings.toml"


def good_settings(home: Path) -> Path:
    """The last settings.toml that was good, for a host that starts while the file is not."""
    return home / "settings.good.json"


def secrets_file(home: Path) -> Path:
    return home / "secrets.json"


def backups(home: Path) -> Path:
    return home / "backups"


def exports(home: Path) -> Path:
    return home / "exports"


def uploads(home: Path) -> Path:
    """What lies in the data home while it is imported or merged (service/aside.py): files from the wire, pictures, a copy."""
    return home / "uploads"


def logs(home: Path) -> Path:
    return home / "logs"


def log_file(home: Path) -> Path:
    return logs(home) / "host.log"


def crash_file(home: Path) -> Path:
    """What is known of the last crash."""
    return logs(home) / "crash.txt"


def models(home: Path) -> Path:
    return home / "models"


def tick(home: Path) -> Path:
    """Touched after every change of an area; other processes watch it."""
    return home / "changes.tick"


def locks(home: Path) -> Path:
    return home / "locks"
