"""ZIP files that are damaged or made to do harm: each is told in words, and the store stays as it was."""

import random
import stat
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from tests.support import exports
from tests.support.imports import imported, refused
from tests.support.stores import OWN, open_services, say

from sidekeep.service.services import Services


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A store with something in it that no file may change."""
    with open_services(tmp_path_factory.mktemp("zips") / "home") as opened:
        opened.conversation.append(OWN, say("mine"))
        yield opened


def _packed(change: Callable[[zipfile.ZipFile], None]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("conversations.json", orjson.dumps([exports.claude(number) for number in range(40)]))
        change(out)
    return made.getvalue()


def _many(out: zipfile.ZipFile) -> None:
    for number in range(30):
        out.writestr(f"{number}.json", b"[]")


def _link(out: zipfile.ZipFile) -> None:
    link = zipfile.ZipInfo("picture.png")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    out.writestr(link, "/etc/passwd")


def _overlapping(out: zipfile.ZipFile) -> None:
    out.writestr("other.json", orjson.dumps([exports.claude(1)] * 9))
    out.filelist[1].header_offset = out.filelist[0].header_offset


def _twice(out: zipfile.ZipFile) -> None:
    out.writestr("x.json", b"[]")
    out.filelist[1].filename = "conversations.json"


def _with_a_password(data: bytes) -> bytes:
    """The flag that says so, in both of its places."""
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[data.index(mark) + place] |= 1
    return bytes(changed)


def _other_crc(data: bytes) -> bytes:
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        changed[data.index(mark) + place] ^= 255
    return bytes(changed)


def _unknown_method(data: bytes) -> bytes:
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        changed[data.index(mark) + place] = 97
    return bytes(changed)


def _named(name: str) -> bytes:
    return _packed(lambda out: out.writestr(name, b"[]"))


HARMFUL: dict[str, tuple[bytes, str]] = {
    "a name that leads up": (_named("../up.json"), "outside"),
    "an absolute name": (_named("/etc/absolute.json"), "outside"),
    "a name with a drive": (_named("C:/drive.json"), "outside"),
    "a name with backslashes": (_named("..\\up.json"), "outside"),
    "a symbolic link": (_packed(_link), "symbolic link"),
    "a small file that becomes large": (_packed(lambda out: out.writestr("b.json", b"0" * 20_000_000)), "ZIP bomb"),
    "files that share their bytes": (_packed(_overlapping), "ZIP bomb"),
    "two files of one name": (_packed(_twice), "two files of one name"),
    "a password": (_with_a_password(_packed(lambda _: None)), "password"),
    "a wrong checksum": (_other_crc(_packed(lambda _: None)), "damaged"),
    "a method nobody knows": (_unknown_method(_packed(lambda _: None)), "Unpack it"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_zip_that_is_made_to_do_harm_is_refused(services: Services, tmp_path: Path, name: str) -> None:
    data, words = HARMFUL[name]
    assert words in refused(services, tmp_path / "export.zip", data)


def test_a_zip_of_more_files_than_any_export_is_refused(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidekeep.transfer.archive.MAX_MEMBERS", 30)
    many = _packed(_many)
    assert "more than 30 files" in refused(services, tmp_path / "export.zip", many)


METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflate": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}


@pytest.mark.parametrize("method", METHODS)
def test_a_zip_with_damaged_bytes_is_told_however_it_is_packed(tmp_path: Path, method: str) -> None:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", METHODS[method]) as out:
        out.writestr("conversations.json", orjson.dumps([exports.claude(number) for number in range(5)]))
    chance = random.Random(method)
    with open_services(tmp_path / "home") as services:
        for _ in range(100):
            damaged = bytearray(made.getvalue())
            for _ in range(chance.choice((1, 1, 3))):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            report = imported(services, tmp_path / "export.zip", bytes(damaged))
            assert report.failed or sum(report.counts.values()) == 5
