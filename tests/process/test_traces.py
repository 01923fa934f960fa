"""What was deleted for good is gone from the store's files, as soon as nobody reads, whichever host is there by then."""

from pathlib import Path

import apsw
from tests.support.host import RunningHost
from tests.support.waiting import wait_until

SECRET = b"the unspeakable heron"


def _is_there(home: Path) -> bool:
    return any(SECRET in file.read_bytes() for file in home.glob("sidekeep.sqlite3*"))


def _wait_until_gone(home: Path) -> None:
    wait_until(lambda: not _is_there(home), "it is still in the files")


def _delete_for_good(host: RunningHost) -> None:
    host.request("history.append", message={"role": "user", "content": SECRET.decode()})
    chat = host.request("history.get")["activeSessionId"]
    deleted = host.request("sessions.delete", ids=[chat], forGood=True)
    assert deleted == {"deleted": 1, "backups": []}


def test_the_running_host_removes_every_trace(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        _delete_for_good(host)
        assert host.request("history.get") == {"messages": [], "activeSessionId": ""}
        _wait_until_gone(home)


def test_a_reader_only_holds_it_up(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        reader = apsw.Connection(str(home / "sidekeep.sqlite3"))
        host.request("history.append", message={"role": "user", "content": "before"})
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM messages").fetchall()
        _delete_for_good(host)
        host.request("ping")
        assert _is_there(home)
        reader.execute("COMMIT")
        reader.close()
        _wait_until_gone(home)


def test_the_next_host_goes_on_with_it(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        reader = apsw.Connection(str(home / "sidekeep.sqlite3"))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM messages").fetchall()
        _delete_for_good(host)
        host.kill()
    assert _is_there(home)
    reader.execute("COMMIT")
    reader.close()
    with RunningHost(home) as host:
        host.hello()
        _wait_until_gone(home)
