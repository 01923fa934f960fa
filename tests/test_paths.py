"""Where the host keeps things."""

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
