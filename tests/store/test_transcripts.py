"""Transcripts: what their own ids are like."""

from sidekeep.store import transcripts
from sidekeep.store.database import Database


def test_a_later_transcripts_id_comes_after_an_earlier_ones() -> None:
    database = Database(None)
    times_ms = [1, 1_700_000_000_000, 1_700_000_000_001, 1_760_000_000_000, 9_999_999_999_999]
    with database.transaction() as tx:
        ids = [transcripts.create(tx, at_ms) for at_ms in times_ms]
        at_once = {transcripts.create(tx, times_ms[1]) for _ in range(200)}
    database.close()
    assert ids == sorted(ids, key=str.encode)
    assert len(at_once) == 200
    assert {len(each) for each in (*ids, *at_once)} == {14}
