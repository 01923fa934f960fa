"""Data homes that are missing, full, locked, newer or broken: the host says so and lives on."""

import shutil
from pathlib import Path

import apsw
import pytest
from tests.browser.model_server import ModelServer
from tests.support.host import PROGRAM, RunningHost, WireError
from tests.support.turns import ask_halfway, choose

UNKNOWN_ORIGIN = "chrome-extension://" + "a" * 32 + "/"


def test_a_home_that_cannot_be_made_is_a_plain_error_and_pings_are_answered(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    with RunningHost(tmp_path / "file" / "home") as host:
        with pytest.raises(WireError) as refused:
            host.hello()
        assert refused.value.kind == "storage_failed"
        assert "SIDEKEEP_HOME" in refused.value.message
        assert host.request("ping") == {}
        assert host.end().status == 0


def test_a_disk_that_fills_up_loses_nothing_that_was_saved(home: Path) -> None:
    """The file size limit stands for the full disk: it needs no rights and fails the same system call."""

    program = ("prlimit", "--fsize=4000000", "--", *PROGRAM)
    with RunningHost(home, program=program) as host:
        host.hello()
        host.request("storage.set", items={"kept": "x"})
        with pytest.raises(WireError) as refused:
            host.request("storage.set", items={"big": "y" * 6_000_000})
        assert refused.value.kind == "storage_failed"
        assert "disk" in refused.value.message
        assert host.request("storage.getKeys") == {"keys": ["kept"]}
        host.request("storage.set", items={"after": "z"})
    with RunningHost(home) as later:
        later.hello()
        assert later.request("storage.get", keys=None) == {"items": {"after": "z", "kept": "x"}}


def test_a_store_from_the_future_is_refused_and_left_as_it_is(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
    file = home / "sidekeep.sqlite3"
    connection = apsw.Connection(str(file))
    connection.pragma("user_version", 9999)
    connection.close()
    before = file.read_bytes()
    with RunningHost(home) as later:
        with pytest.raises(WireError) as refused:
            later.hello()
        assert refused.value.kind == "storage_failed"
        assert "newer" in refused.value.message
        assert later.request("ping") == {}
    assert file.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(home: Path) -> None:
    home.mkdir()
    file = home / "sidekeep.sqlite3"
    file.write_bytes(b"this is somebody's diary" * 1000)
    with RunningHost(home) as host:
        with pytest.raises(WireError) as refused:
            host.hello()
        assert refused.value.kind == "storage_failed"
        assert "damaged" in refused.value.message
    assert file.read_bytes() == b"this is somebody's diary" * 1000


def test_a_log_that_cannot_be_written_stops_nothing(home: Path) -> None:
    home.mkdir()
    (home / "logs").write_text("a file where the folder would be", "utf-8")
    with RunningHost(home) as host:
        host.send(b"not json")
        assert host.hello()["server"] == "sidekeep"
        assert host.end().status == 0


def test_broken_settings_are_ignored_and_logged(home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("[wire]\npartChars = 'many'\n", "utf-8")
    with RunningHost(home) as host:
        assert host.hello()["server"] == "sidekeep"
        assert "settings.toml is not taken over" in host.log()
        assert "partChars" in host.log()


def test_settings_decide_how_large_a_part_is(home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("[wire]\npartChars = 2000\n", "utf-8")
    with RunningHost(home) as host:
        host.hello()
        host.request("storage.set", items={"text": "x" * 10_000})
        assert host.request("storage.get", keys="text")["items"]["text"] == "x" * 10_000
        assert max(host.frame_sizes) < 2200


def test_an_unknown_extension_is_told_so_and_nothing_is_made(home: Path) -> None:
    with RunningHost(home, origin=UNKNOWN_ORIGIN) as host:
        error = host.wait_for(lambda message: "error" in message)
        assert error["id"] is None
        assert error["error"]["code"] == -32002
        assert error["error"]["data"]["kind"] == "forbidden_origin"
        assert host.process.wait(10) == 0
    assert not (home / "sidekeep.sqlite3").exists()


def test_an_extension_that_settings_allow_sees_only_what_is_its_own(home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text(f'allowed_extensions = ["{"a" * 32}"]\n', "utf-8")
    with RunningHost(home) as own, RunningHost(home, origin=UNKNOWN_ORIGIN) as other:
        own.hello()
        own.request("storage.set", items={"theme": "dark"})
        own.request("history.append", message={"role": "user", "content": "mine"})
        assert other.hello()["store"]["conversations"] == 0
        assert other.request("storage.get", keys=None) == {"items": {}}
        assert other.request("history.get")["messages"] == []
        assert other.request("sessions.list")["total"] == 0
        assert other.request("status")["messages"] == 0
        other.request("storage.clear")
        assert own.request("storage.get", keys="theme") == {"items": {"theme": "dark"}}


def test_the_store_is_its_owners_alone(home: Path, host: RunningHost) -> None:
    host.request("secrets.set", provider="openai", apiKey="sk-test")
    host.send(b"not json")
    assert home.stat().st_mode & 0o777 == 0o700
    modes = {path: path.stat().st_mode & 0o777 for path in home.rglob("*") if path.is_file()}
    assert set(modes.values()) == {0o600}, modes


def test_what_is_written_after_the_data_home_was_removed_is_not_acknowledged(home: Path, model: ModelServer) -> None:
    """SQLite goes on writing into a file that has no name any more."""
    with RunningHost(home) as host:
        host.hello()
        choose(host, model)
        turn = ask_halfway(host, model, "Halfway?")
        shutil.rmtree(home)
        model.gate.set()
        ended = host.wait_for(lambda message: message.get("method") in ("turn.done", "turn.failed"))
        assert ended["params"]["turn"] == turn
        assert ended["params"]["error"]["data"]["kind"] == "storage_failed"
        for method, params in (
            ("storage.set", {"items": {"a": 1}}),
            ("history.append", {"message": {"role": "user", "content": "a"}}),
            ("turn.send", {"text": "?"}),
        ):
            with pytest.raises(WireError) as refused:
                host.request(method, **params)
            assert refused.value.kind == "storage_failed"
            assert "was removed" in refused.value.message
