"""settings.toml: every key checked, and the host runs without it."""

from pathlib import Path

import pytest

from sidekeep.errors import SettingsInvalid
from sidekeep.settings.model import Settings, load

GOOD = """
allowed_extensions = ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
from_another_version = true
[log]
level = "debug"
[wire]
partChars = 2048
[sqlite]
synchronous = "FULL"
[network]
proxy = "http://proxy.example:3128"
ca = "/etc/ssl/own.pem"
[model]
idleSeconds = 10
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def test_without_a_file_there_are_the_defaults(file: Path) -> None:
    assert load(file) == Settings()


def test_an_empty_file_is_the_defaults(file: Path) -> None:
    file.write_text("", "utf-8")
    assert load(file) == Settings()


def test_every_key_is_read_and_unknown_ones_belong_to_other_versions(file: Path) -> None:
    file.write_text(GOOD, "utf-8")
    assert load(file) == Settings(
        allowed_extensions=("a" * 32,),
        log_level="debug",
        part_chars=2048,
        synchronous="FULL",
        proxy="http://proxy.example:3128",
        ca="/etc/ssl/own.pem",
        model_idle_seconds=10,
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[wire]\npartChars = '2048'", "wire.partChars"),
        ("[wire]\npartChars = 10", "wire.partChars"),
        ("[wire]\npartChars = 1000000", "wire.partChars"),
        ("[sqlite]\nsynchronous = 'OFF'", "sqlite.synchronous"),
        ("[log]\nlevel = 'loud'", "log.level"),
        ("allowed_extensions = ['*']", "allowed_extensions"),
        ("[model]\nidleSeconds = 0", "model.idleSeconds"),
        ("wire = 5", "wire"),
        ("[wire", "not TOML"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(file: Path, text: str, named: str) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(SettingsInvalid, match=named) as refused:
        load(file)
    assert str(file) in refused.value.message


def test_a_file_that_is_no_text_is_refused(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsInvalid, match="not TOML"):
        load(file)


def test_a_folder_in_the_files_place_is_refused(file: Path) -> None:
    file.mkdir()
    with pytest.raises(SettingsInvalid, match="cannot be read"):
        load(file)
