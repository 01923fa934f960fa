"""Where the host keeps things."""

import sys
from pathlib import Path

import platformdirs
import pytest

from sidekeep import paths
from sidekeep.errors import StoreFailed


def test_the_data_home_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIDEKEEP_HOME", str(tmp_path / "home"))
    assert paths.data_home() == tmp_path / "home"
    assert not (tmp_path / "home").exists()


def test_else_it_is_the_platforms_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIDEKEEP_HOME", raising=False)
    assert paths.data_home() == platformdirs.user_data_path("sidekeep", appauthor=False)


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    made = paths.ensure_private(tmp_path / "a" / "b")
    assert made.stat().st_mode & 0o777 == 0o700
    assert paths.ensure_private(made) == made


def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(StoreFailed, match="set SIDEKEEP_HOME"):
        paths.ensure_private(tmp_path / "file" / "home")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such variable")
def test_where_nobody_knows_the_home_the_refusal_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "SIDEKEEP_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # an id without an account
    home = paths.data_home()
    assert home.is_absolute()
    monkeypatch.setattr(Path, "mkdir", _refused)  # root could make it
    with pytest.raises(StoreFailed, match="SIDEKEEP_HOME"):
        paths.ensure_private(home)


def _refused(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")
