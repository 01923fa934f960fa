"""What is known of models and messages, as rows."""

import orjson
import pytest

from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import MessageId, NewMessage
from sidekeep.store import changes, model_facts, transcripts
from sidekeep.store.database import Database, Transaction
from sidekeep.store.model_facts import Count, ModelFacts, ModelKey

NOW_MS = 1_700_000_000_000
KEY = ModelKey("sidekeep", "openai-chat", "http://127.0.0.1:1/v1", "tiny")


def _messages(tx: Transaction, *texts: str) -> SessionId:
    session_id = transcripts.create(tx, NOW_MS)
    for text in texts:
        body = orjson.dumps({"role": "user", "content": text})
        message = NewMessage(MessageId(text), "user", NOW_MS, None, len(body), len(body), body)
        transcripts.append(tx, session_id, message)
    return session_id


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
        session_id = _messages(tx, "a", "b", "c")
        for key in (KEY, other):
            model_facts.put(tx, key, ModelFacts(factor=1.0))
        model_facts.put_counts(tx, KEY, session_id, {"a": Count(10, 12.5), "b": Count(1, 1.0)})
        model_facts.put_counts(tx, KEY, session_id, {"a": Count(11, 13.0)})
        assert model_facts.counts(tx, KEY, session_id) == {"a": Count(11, 13.0), "b": Count(1, 1.0)}
        assert model_facts.counts(tx, other, session_id) == {}
        assert model_facts.counts(tx, KEY, _messages(tx, "a")) == {}


def test_a_transcript_that_shares_a_message_shares_its_count(database: Database) -> None:
    with database.transaction() as tx:
        session_id = _messages(tx, "a", "b")
        model_facts.put(tx, KEY, ModelFacts(factor=1.0))
        model_facts.put_counts(tx, KEY, session_id, {"b": Count(1, 1.0)})
        copy = transcripts.create(tx, NOW_MS)
        transcripts.refer(tx, copy, transcripts.references(tx, session_id)[1:])
        assert model_facts.counts(tx, KEY, copy) == {"b": Count(1, 1.0)}


def test_a_count_of_a_message_that_is_gone_is_left_out(database: Database) -> None:
    with database.transaction() as tx:
        session_id = _messages(tx, "a")
        model_facts.put(tx, KEY, ModelFacts(factor=1.0))
        model_facts.put_counts(tx, KEY, session_id, {"": Count(1, 1.0), "gone": Count(1, 1.0)})
        assert model_facts.counts(tx, KEY, session_id) == {}


def test_a_message_that_goes_takes_its_counts_along(database: Database) -> None:
    with database.transaction() as tx:
        session_id = _messages(tx, "a")
        model_facts.put(tx, KEY, ModelFacts(factor=1.0))
        model_facts.put_counts(tx, KEY, session_id, {"a": Count(10, 12.5)})
        transcripts.delete(tx, session_id, NOW_MS)
        changes.prune(tx, NOW_MS + 1)
        assert tx.execute("SELECT count(*) FROM counted_messages").fetchall() == [(0,)]
