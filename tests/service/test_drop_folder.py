"""Files laid into the drop folder are imported once they are at rest, and moved with a report."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from tests.support import exports
from tests.support.stores import chat_ids, open_services

from sidekeep.handlers.transfer import imported
from sidekeep.service.drop_folder import DropFolder
from sidekeep.service.notices import Notices
from sidekeep.service.services import Services
from sidekeep.store.locks import NamedLocks


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "drop"
    made.mkdir()
    return made


@pytest.fixture
def notices() -> Notices:
    return Notices()


@pytest.fixture
def drop(services: Services, folder: Path, notices: Notices) -> DropFolder:
    return _drop(services, folder, notices)


def _drop(services: Services, folder: Path, notices: Notices) -> DropFolder:
    return DropFolder(
        services.imports,
        NamedLocks(services.home / "locks"),
        notices,
        folder=lambda: str(folder),
        told=imported,
        written=lambda: None,
    )


def _names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_file_is_taken_when_it_has_not_changed_between_two_looks(
    services: Services, drop: DropFolder, folder: Path, notices: Notices
) -> None:
    file = folder / "export.json"
    data = orjson.dumps([exports.claude(1)])
    for written in (data[:20], data):
        file.write_bytes(written)
        drop.look(folder)
        assert file.exists()
    drop.look(folder)
    assert _names(folder) == {"done/export.json", "done/export.json.report.json"}
    assert orjson.loads((folder / "done" / "export.json.report.json").read_bytes())["added"] == 1
    assert len(chat_ids(services)) == 1
    assert [notice.message for notice in notices.all()] == ["Imported from the drop folder: export.json (1 added)."]


def test_what_is_no_export_goes_to_failed_with_the_reason(drop: DropFolder, folder: Path) -> None:
    (folder / "x.zip").write_bytes(b"PK\x03\x04 no zip")
    for _ in range(2):
        drop.look(folder)
    report = orjson.loads((folder / "failed" / "x.zip.report.json").read_bytes())
    assert "no sound ZIP" in report["failed"][0]["reason"]


def test_a_name_that_is_taken_gets_a_number_and_companions_go_along(drop: DropFolder, folder: Path) -> None:
    for _ in range(2):
        (folder / "s.jsonl").write_bytes(exports.transcript(1))
        (folder / "s.trajectory.jsonl").write_bytes(b"{}")
        for _ in range(2):
            drop.look(folder)
    assert {name for name in _names(folder) if "report" not in name} == {
        "done/s.jsonl",
        "done/s-2.jsonl",
        "done/s.trajectory.jsonl",
        "done/s-2.trajectory.jsonl",
    }


def test_links_hidden_and_half_written_files_and_folders_are_left(
    drop: DropFolder, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside.json").write_bytes(orjson.dumps([exports.claude(1)]))
    (folder / "link.json").symlink_to(tmp_path / "outside.json")
    for name in (".hidden.json", "a.json.part", "b.crdownload", "folder/c.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"[]")
    before = _names(folder)
    for _ in range(3):
        drop.look(folder)
    assert _names(folder) == before


def test_of_two_hosts_one_takes_the_file(services: Services, drop: DropFolder, folder: Path, notices: Notices) -> None:
    other = _drop(services, folder, notices)
    (folder / "export.json").write_bytes(orjson.dumps([exports.claude(1)]))
    for each in (drop, other):
        each.look(folder)
    lock = NamedLocks(services.home / "locks").try_lock(f"drop folder {folder}")
    assert lock is not None
    drop.look(folder)
    assert (folder / "export.json").exists()
    lock.release()
    other.look(folder)
    drop.look(folder)
    assert _names(folder) == {"done/export.json", "done/export.json.report.json"}
