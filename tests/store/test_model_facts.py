"""What is known of models and messages, as rows."""

import orjson
import pytest

from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import MessageId, NewMessage
from sidekeep.store import changes, message_tokens, model_facts, transcripts
from sidekeep.store.database import Database, Transaction
from sidekeep.store.model_facts import Count, ModelFacts, ModelKey

NOW_MS = 1_700_000_000_000
KEY = ModelKey("sidekeep", "openai-chat", "http://127.0.0.1:1/v1", "tiny")


def _messages(tx: Transaction, *texts: str) -> tuple[SessionId, list[int]]:
    session_id = transcripts.create(tx, NOW_MS)
    rows = []
    for text in texts:
        body = orjson.dumps({"role": "user", "content": text})
        message = NewMessage(MessageId(text), "user", NOW_MS, None, len(body), len(body), body)
        rows.append(transcripts.append(tx, session_id, message))
    return session_id, rows


def test_what_is_put_is_found_and_the_last_word_counts(database: Database) -> None:
    with database.transaction() as tx:
        assert model_facts.find(tx, KEY) == ModelFacts()
        model_facts.put(tx, KEY, ModelFacts(learned_window=1))
        model_facts.put(tx, KEY, facts := ModelFacts(None, 2, 1.5, 10, 20.5))
        assert model_facts.find(tx, KEY) == facts
        assert model_facts.everything(tx, "sidekeep") == {KEY: facts}


@pytest.mark.parametrize("field", ModelKey._fields)
def test_another_namespace_server_or_model_is_another_model(database: Database, field: str) -> None:
    with database.transaction() as tx:
        model_facts.put(tx, KEY, ModelFacts(learned_window=1))
        assert model_facts.find(tx, KEY._replace(**{field: "other"})) == ModelFacts()
        assert model_facts.everything(tx, "other") == {}


def test_counts_are_a_models_own(database: Database) -> None:
    other = KEY._replace(model="other")
    with database.transaction() as tx:
        _, (a, b) = _messages(tx, "a", "b")
        for key in (KEY, other):
            model_facts.put(tx, key, ModelFacts(factor=1.0))
        model_facts.put_counts(tx, KEY, {a: Count(10, 12.5), b: Count(1, 1.0)})
        model_facts.put_counts(tx, KEY, {a: Count(11, 13.0)})
        assert model_facts.counts(tx, KEY, [a]) == {a: Count(11, 13.0)}
        assert model_facts.counts(tx, KEY, [a, b, 99]) == {a: Count(11, 13.0), b: Count(1, 1.0)}
        assert model_facts.counts(tx, other, [a, b]) == {}


def test_a_count_of_a_message_that_is_gone_is_left_out(database: Database) -> None:
    with database.transaction() as tx:
        model_facts.put(tx, KEY, ModelFacts(factor=1.0))
        model_facts.put_counts(tx, KEY, {99: Count(1, 1.0)})
        assert model_facts.counts(tx, KEY, [99]) == {}


def test_a_message_that_goes_takes_its_counts_along(database: Database) -> None:
    with database.transaction() as tx:
        session_id, (row,) = _messages(tx, "a")
        model_facts.put(tx, KEY, ModelFacts(factor=1.0))
        model_facts.put_counts(tx, KEY, {row: Count(10, 12.5)})
        message_tokens.put(tx, {row: 10})
        transcripts.delete(tx, session_id, NOW_MS)
        changes.prune(tx, NOW_MS + 1)
        left = [
            tx.execute(f"SELECT count(*) FROM {table}").fetchall() for table in ("counted_messages", "message_tokens")
        ]
    assert left == [[(0,)], [(0,)]]


def test_the_estimates_of_a_transcript_are_found_by_row(database: Database) -> None:
    with database.transaction() as tx:
        session_id, (a, b) = _messages(tx, "a", "b")
        other, (c,) = _messages(tx, "c")
        message_tokens.put(tx, {a: 3, c: 5})
        message_tokens.put(tx, {a: 4})
        assert message_tokens.of_session(tx, session_id) == {a: 4}
        assert message_tokens.of_session(tx, other) == {c: 5}
        assert b not in message_tokens.of_session(tx, session_id)
