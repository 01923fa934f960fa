"""settings.toml: every key checked, the wrong line named, and the host runs without it."""

from pathlib import Path

import pytest

from sidekeep.errors import SettingsInvalid
from sidekeep.settings import file as settings_file
from sidekeep.settings.model import KEYS, Settings, made, value_of

GOOD = """
allowed_extensions = ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
from_another_version = true
limits = {folders = 1, chats = 2, messages = 3}
archive.expireDays = 4
[backup]
enabled = false
daily = 5
weekly = 6
[compact]
automatic = true
[title]
automatic = true
[log]
level = "debug"
[wire]
partChars = 2048
[sqlite]
synchronous = "FULL"
[network]
proxy = "http://proxy.example:3128"
ca = "/etc/ssl/own.pem"
[request]
maxBytes = 100000
[model]
idleSeconds = 10
[import]
dropFolder = "/home/somebody/drop"
from_another_version = 1
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def _refused(file: Path) -> SettingsInvalid:
    with pytest.raises(SettingsInvalid) as refused:
        settings_file.read(file)
    assert refused.value.message.startswith(str(file))
    return refused.value


def test_without_a_file_nothing_is_set(file: Path) -> None:
    assert settings_file.read(file) == {}
    assert made({}) == Settings()


def test_an_empty_file_sets_nothing(file: Path) -> None:
    file.write_text("", "utf-8")
    assert settings_file.read(file) == {}


def test_every_key_is_read_and_unknown_ones_belong_to_other_versions(file: Path) -> None:
    file.write_text(GOOD, "utf-8")
    values = settings_file.read(file)
    assert values.keys() == KEYS.keys()
    assert made(values) == Settings(
        limit_folders=1,
        limit_chats=2,
        limit_messages=3,
        archive_expire_days=4,
        backup_enabled=False,
        backup_daily=5,
        backup_weekly=6,
        compact_automatic=True,
        title_automatic=True,
        allowed_extensions=("a" * 32,),
        log_level="debug",
        part_chars=2048,
        synchronous="FULL",
        proxy="http://proxy.example:3128",
        ca="/etc/ssl/own.pem",
        max_request_bytes=100_000,
        model_idle_seconds=10,
        drop_folder="/home/somebody/drop",
    )


def test_unknown_keys_can_be_named_with_their_lines(file: Path) -> None:
    data = GOOD.encode()
    lines = GOOD.split("\n")
    assert settings_file.unknown(file, data) == [
        (lines.index("from_another_version = true") + 1, "from_another_version"),
        (lines.index("from_another_version = 1") + 1, "import.from_another_version"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize("begin", ["", "\ufeff"], ids=["no mark", "byte order mark"])
def test_a_file_of_any_editor_is_read(file: Path, begin: str, end: str) -> None:
    file.write_bytes((begin + '[log]\nlevel = "debug"\n'.replace("\n", end)).encode())
    assert settings_file.read(file) == {"log.level": "debug"}


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("# first\n[wire]\npartChars = '2048'", 3, "wire.partChars"),
        ("[wire]\npartChars = 10", 2, "wire.partChars"),
        ("[wire]\npartChars = 1000000", 2, "wire.partChars"),
        ("[limits]\nfolders = 1\nchats = -1", 3, "limits.chats"),
        ("limits.chats = 1\nlimits.messages = true", 2, "limits.messages"),
        ("[backup]\nenabled = 1", 2, "backup.enabled"),
        ("[backup]\n\n\ndaily = 1.0", 4, "backup.daily"),
        ("[sqlite]\nsynchronous = 'OFF'", 2, "sqlite.synchronous"),
        ("[log]\r\nlevel = 'loud'\r\n", 2, "log.level"),
        ("\ufefflog = {level = 'loud'}", 1, "log.level"),
        ("x = '''\n\n'''\n[log]\nlevel = '''\nloud'''", 5, "log.level"),
        ("allowed_extensions = ['*']", 1, "allowed_extensions.0"),
        (f"allowed_extensions = [\n  '{'a' * 32}',\n  # a comment\n  '*',\n]", 4, "allowed_extensions.1"),
        (f"allowed_extensions = [\n  '{'a' * 32}',\n  '*']", 3, "allowed_extensions.1"),
        ("[network]\nproxy = 'proxy.example:3128'", 2, "network.proxy"),
        ("[network]\nproxy = 'http://[bad'", 2, "network.proxy"),
        ("[network]\nca = 'own.pem'", 2, "network.ca"),
        ("[import]\ndropFolder = '~/drop'", 2, "import.dropFolder"),
        ("[model]\nidleSeconds = 0", 2, "model.idleSeconds"),
        ("\nwire = 5", 2, "wire: this is a table"),
        ("[[wire]]\npartChars = 2048", 1, "wire: this is a table"),
        ("[log]\n[wire", 2, "not TOML"),
        ("a = 1\na = 2", 2, "not TOML"),
        ("[log]\nlevel = \n", 2, "not TOML"),
        ("a = 1\nb = '''\nnever ends", 3, "not TOML"),
        ("a = 1\nb = [1,\n", 2, "not TOML"),
    ],
)
def test_the_line_that_is_wrong_is_named(file: Path, text: str, line: int, named: str) -> None:
    file.write_bytes(text.encode())
    refused = _refused(file)
    assert [found for found, _ in refused.problems] == [line]
    assert f"line {line}: " in refused.message
    assert named in refused.message


def test_all_that_is_wrong_is_told_in_the_order_of_the_file(file: Path) -> None:
    file.write_text("[model]\nidleSeconds = 0\n[log]\nlevel = 'loud'\n[wire]\npartChars = 1\n", "utf-8")
    refused = _refused(file)
    assert [line for line, _ in refused.problems] == [2, 4, 6]
    assert "line 2" in refused.message
    assert "2 more" in refused.message


def test_a_value_is_never_told(file: Path) -> None:
    file.write_text("[network]\nproxy = 'socks5://me:secret@proxy.example'\nca = 'secret'\n", "utf-8")
    refused = _refused(file)
    assert "secret" not in str(refused.problems) + refused.message


def test_text_that_is_not_utf_8_is_refused_with_its_line(file: Path) -> None:
    file.write_bytes(b"[log]\n# caf\xe9\n")
    assert [line for line, _ in _refused(file).problems] == [2]


def test_a_folder_in_the_files_place_is_refused(file: Path) -> None:
    file.mkdir()
    assert "cannot be read" in _refused(file).message


def test_what_is_far_too_large_is_no_settings_file(file: Path) -> None:
    file.write_bytes(b"#" * (settings_file.MAX_BYTES + 1))
    assert "larger than 64 KiB" in _refused(file).message


def test_a_panels_values_are_checked_like_the_files() -> None:
    values = {"limits.chats": 5, "network.proxy": "", "backup.daily": None}
    assert settings_file.check(values) == values
    with pytest.raises(ValueError, match=r"limits\.chats"):
        settings_file.check({"limits.chats": "5"})


def test_every_key_names_a_field_of_its_own() -> None:
    assert sorted(key.field for key in KEYS.values()) == sorted(Settings._fields)
    assert value_of(Settings(), "limits.chats") == 200
