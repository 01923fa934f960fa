"""ZIP files that no honest program writes are refused before anything in one is read."""

import stat
import zipfile
from pathlib import Path

import orjson
import pytest
from tests.support import exports
from tests.transfer.conftest import Read

from sidekeep.errors import Unreadable

CONVERSATIONS = orjson.dumps([exports.claude(1)])


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    return tmp_path / "export.zip"


def test_the_conversations_of_a_zip_are_found_in_whatever_folder_they_lie(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("data/deep/anything.json", CONVERSATIONS)
    assert [each.title for each in Read(packed).conversations] == ["Chat 1"]


@pytest.mark.parametrize("name", ["../x.json", "a/../../x.json", "/etc/x.json", "C:\\x.json", "..\\x.json", "a/.."])
def test_a_name_that_leads_outside_is_refused(packed: Path, name: str) -> None:
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr("conversations.json", CONVERSATIONS)
        out.writestr(name, b"[]")
    with pytest.raises(Unreadable, match="outside"):
        Read(packed)


def test_a_symbolic_link_is_refused(packed: Path) -> None:
    link = zipfile.ZipInfo("conversations.json")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr(link, "/etc/passwd")
    with pytest.raises(Unreadable, match="symbolic link"):
        Read(packed)


def test_a_zip_bomb_is_refused(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("conversations.json", b"[" + b" " * 30_000_000 + b"]")
    assert packed.stat().st_size < 50_000
    with pytest.raises(Unreadable, match="bomb"):
        Read(packed)


def test_members_that_share_their_bytes_are_refused(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("a.json", CONVERSATIONS * 20)
        out.writestr("b.json", CONVERSATIONS * 20)
        out.filelist[1].header_offset = out.filelist[0].header_offset
    with pytest.raises(Unreadable, match="overlap"):
        Read(packed)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_zip_that_was_cut_short_is_refused(packed: Path, share: float) -> None:
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr("conversations.json", CONVERSATIONS)
    data = packed.read_bytes()
    packed.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(Unreadable, match="no sound ZIP"):
        Read(packed)


def test_a_member_that_is_damaged_is_refused(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr("conversations.json", CONVERSATIONS)
    packed.write_bytes(packed.read_bytes().replace(b"Question 1", b"Question X"))
    with pytest.raises(Unreadable, match="no sound ZIP"):
        Read(packed)


def test_what_unpacks_to_more_than_any_export_is_refused(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidekeep.transfer.archive.MAX_TOTAL_BYTES", 100)
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr("conversations.json", CONVERSATIONS)
    with pytest.raises(Unreadable, match="unpacks to more"):
        Read(packed)


def test_a_list_of_members_that_points_before_the_file_is_refused(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr("conversations.json", CONVERSATIONS)
    data = bytearray(packed.read_bytes())
    data[-6:-2] = (int.from_bytes(data[-6:-2], "little") + 4096).to_bytes(
        4, "little"
    )  # where the list is said to begin
    packed.write_bytes(data)
    with pytest.raises(Unreadable, match="no sound ZIP"):
        Read(packed)


def test_a_member_without_a_name_is_refused(packed: Path) -> None:
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr("conversations.json", CONVERSATIONS)
        out.writestr("x", b"")
        out.filelist[1].filename = ""
    with pytest.raises(Unreadable, match="no sound ZIP"):
        Read(packed)
