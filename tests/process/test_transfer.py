"""Files over the wire: sent in pieces, imported, exported; no path and no key."""

import base64
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support import exports
from tests.support.host import RunningHost, WireError
from tests.support.waiting import wait_until

from sidekeep.service.uploads import MAX_OPEN

CHUNK = 30_000


def _send(host: RunningHost, data: bytes, name: str = "conversations.json") -> str:
    transfer: str = host.request("transfer.open", name=name, bytes=len(data))["transfer"]
    for seq, start in enumerate(range(0, len(data), CHUNK)):
        text = base64.b64encode(data[start : start + CHUNK]).decode()
        assert host.request("transfer.chunk", transfer=transfer, seq=seq, base64=text) == {}
    return transfer


def _export_of(count: int) -> bytes:
    return orjson.dumps([exports.claude(number) for number in range(count)])


def test_a_file_is_sent_in_pieces_tried_and_imported(home: Path, host: RunningHost) -> None:
    data = _export_of(60)
    transfer = _send(host, data)
    tried = host.request("transfer.commit", transfer=transfer, dryRun=True)
    assert (tried["source"], tried["added"]) == ("claude", 60)
    assert host.request("sessions.list")["total"] == 0
    assert host.request("transfer.commit", transfer=transfer) == {**tried}
    assert host.request("sessions.list")["total"] == 60
    told = [each for each in host.events("transfer.progress") if each["transfer"] == transfer]
    assert told[-1] == {"transfer": transfer, "done": len(data), "total": len(data), "conversations": 60}
    assert list((home / "uploads").iterdir()) == []
    with pytest.raises(WireError, match="not being sent"):
        host.request("transfer.commit", transfer=transfer)


def test_another_window_hears_of_imported_chats(home: Path, host: RunningHost) -> None:
    with RunningHost(home) as other:
        other.hello()
        host.request("transfer.commit", transfer=_send(host, _export_of(1)))
        heard = other.event("storage.onChanged")
        assert "savedSessions" in heard["changes"]


def test_what_goes_out_comes_in_again(home: Path, host: RunningHost, tmp_path: Path) -> None:
    host.request("transfer.commit", transfer=_send(host, _export_of(3)))
    made = host.request("transfer.export", what="all", format="json")
    file = Path(made["file"])
    assert (file.parent, file.stat().st_size) == (home / "exports", made["bytes"])
    with RunningHost(tmp_path / "other") as other:
        other.hello()
        assert other.request("transfer.commit", transfer=_send(other, file.read_bytes(), "x"))["added"] == 3
        assert other.request("sessions.list") == host.request("sessions.list")


@pytest.mark.parametrize("kind", ["markdown", "html"])
def test_some_chats_are_exported_for_people(host: RunningHost, kind: str) -> None:
    host.request("transfer.commit", transfer=_send(host, _export_of(2)))
    chat = host.request("sessions.list")["sessions"][0]
    made = host.request("transfer.export", what=[chat["id"]], format=kind)
    assert chat["name"] in Path(made["file"]).read_text("utf-8")


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "a piece out of order": ("transfer.chunk", {"seq": 2, "base64": "AA=="}, "invalid_params"),
    "no base64": ("transfer.chunk", {"seq": 0, "base64": "%"}, "invalid_params"),
    "more than was announced": ("transfer.chunk", {"seq": 0, "base64": "AAAAAAAAAAAAAAAA"}, "invalid_params"),
    "too early a commit": ("transfer.commit", {}, "invalid_params"),
    "an unknown transfer": ("transfer.commit", {"transfer": "../../etc/passwd"}, "not_found"),
    "an unknown format": ("transfer.export", {"what": "all", "format": "pdf"}, "invalid_params"),
    "an unknown chat": ("transfer.export", {"what": ["gone"], "format": "json"}, "not_found"),
    "a file beyond all sizes": ("transfer.open", {"name": "x", "bytes": 2**40}, "payload_too_large"),
}


def test_what_makes_no_sense_is_refused(host: RunningHost) -> None:
    for name, (method, params, kind) in WRONG.items():
        transfer = host.request("transfer.open", name="../../x.json", bytes=9)["transfer"]
        with pytest.raises(WireError) as caught:
            host.request(method, **{"transfer": transfer, **params})
        assert caught.value.kind == kind, name


def test_a_name_makes_no_path_and_what_was_sent_goes_with_the_connection(home: Path, host: RunningHost) -> None:
    transfer = _send(host, b"no export", "../../../evil.json")
    failed = host.request("transfer.commit", transfer=transfer, dryRun=True)["failed"]
    assert [(each["where"], "no valid JSON" in each["reason"]) for each in failed] == [("evil.json", True)]
    assert [file.name for file in (home / "uploads").iterdir()] == [transfer]
    host.end()
    assert list((home / "uploads").iterdir()) == []


def test_of_files_that_were_only_looked_at_the_first_is_given_up_for_the_next(home: Path, host: RunningHost) -> None:
    first, *others = [_send(host, _export_of(1), f"{number}.json") for number in range(MAX_OPEN + 1)]
    assert sorted(file.name for file in (home / "uploads").iterdir()) == sorted(others)
    with pytest.raises(WireError, match="not being sent"):
        host.request("transfer.commit", transfer=first)
    assert host.request("transfer.commit", transfer=others[0])["added"] == 1


def test_a_private_window_imports_nothing(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello(incognito=True)
        with pytest.raises(WireError) as caught:
            host.request("transfer.open", name="x", bytes=1)
        assert caught.value.kind == "conflict"


def test_a_cancelled_import_keeps_what_it_has_and_goes_on_when_it_is_run_again(home: Path, host: RunningHost) -> None:
    data = _export_of(250)
    transfer = _send(host, data)
    number = host.start("transfer.commit", transfer=transfer)
    host.event("transfer.progress")
    host.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}})
    reply = host.reply(number)
    if "error" in reply:
        assert reply["error"]["data"]["kind"] == "cancelled"
    wait_until(lambda: not list((home / "uploads").iterdir()), "the file stays")
    assert host.request("transfer.commit", transfer=_send(host, data))["failed"] == []
    assert (host.request("sessions.list")["total"], host.request("archive.list")["total"]) == (200, 50)


def test_an_export_tells_how_far_it_is_and_a_cancelled_one_leaves_no_file(home: Path, host: RunningHost) -> None:
    host.request("transfer.commit", transfer=_send(host, _export_of(100)))
    host.request("transfer.export", what="all", format="markdown", transfer="mine")
    told = [each for each in host.events("transfer.progress") if each["transfer"] == "mine"]
    assert told[0]["done"] == 0
    assert told[-1] == {"transfer": "mine", "done": 100, "total": 100, "conversations": 100}
    made = 1 + len(list(itertools.takewhile(lambda _: not _cancelled_export(host), range(20))))
    assert made < 21, "each was over before it was cancelled"
    wait_until(lambda: len(list((home / "exports").iterdir())) == made, "the folder of a cancelled export stays")


def _cancelled_export(host: RunningHost) -> bool:
    """Whether an export that was cancelled at once had not been over before."""
    number = host.start("transfer.export", what="all", format="markdown")
    host.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}})
    reply = host.reply(number)
    return "error" in reply and bool(reply["error"]["data"]["kind"] == "cancelled")


def test_a_file_laid_into_the_drop_folder_becomes_chats_while_the_host_runs(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    folder.mkdir()
    (folder / "early.json").write_bytes(_export_of(1))
    home.mkdir()
    with RunningHost(home) as host:
        host.hello()
        (home / "settings.toml").write_text(f'[import]\ndropFolder = "{folder}"\n', "utf-8")
        host.wait_for(_tells("early.json"))
        (folder / "late.json").write_bytes(orjson.dumps([exports.claude(2)]))
        host.wait_for(_tells("late.json"))
        assert host.request("sessions.list")["total"] == 2
    assert {path.name for path in (folder / "done").iterdir()} == {
        f"{name}.json{ending}" for name in ("early", "late") for ending in ("", ".report.json")
    }


def _tells(name: str) -> Callable[[dict[str, Any]], bool]:
    def is_told(message: dict[str, Any]) -> bool:
        notices = message.get("params", {}).get("notices", []) if message.get("method") == "status.changed" else []
        return any(notice["kind"] == "import" and name in notice["message"] for notice in notices)

    return is_told
