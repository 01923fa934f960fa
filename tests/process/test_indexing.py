"""What was written is found at once, and has its place in the index once nothing is asked any more."""

from pathlib import Path

import apsw
from tests.support.host import RunningHost
from tests.support.waiting import wait_until


def _waiting(home: Path) -> int:
    """How many texts have no grams yet."""
    connection = apsw.Connection(str(home / "sidekeep.sqlite3"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(
            next(
                connection.execute(
                    "SELECT count(*) FROM search_texts "
                    "WHERE message_pk > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'grams_until')"
                )
            )[0]
        )
    finally:
        connection.close()


def test_a_host_indexes_what_it_wrote_and_what_a_killed_one_left(home: Path) -> None:
    with RunningHost(home) as first:
        first.hello()
        first.request("history.append", message={"role": "user", "content": "A heron?"})
        assert first.request("sessions.list", query="heron")["total"] == 1
        first.kill()
    assert _waiting(home) == 1, "nothing is indexed while it is asked"
    with RunningHost(home) as second:
        second.hello()
        assert second.request("sessions.list", query="heron")["total"] == 1
        wait_until(lambda: _waiting(home) == 0, "what a killed host left is not indexed")
        second.request("history.append", message={"role": "assistant", "content": "An owl."})
        wait_until(lambda: _waiting(home) == 0, "what the host wrote is not indexed")
        assert second.request("sessions.list", query="owl")["total"] == 1
