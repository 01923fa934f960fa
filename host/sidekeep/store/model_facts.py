"""What is known of a model on a server: its window by who said so, and what its own counts taught."""

from collections.abc import Mapping
from typing import NamedTuple

import orjson

from sidekeep.domain.chat import SessionId
from sidekeep.store.database import Transaction


class ModelKey(NamedTuple):
    """A model on a server, as one namespace uses it. The same name elsewhere is another model."""

    namespace: str
    kind: str
    base_url: str
    model: str


class ModelFacts(NamedTuple):
    """`learned_window` is what an error stated, `server_window` what the server told; tokens, None for nothing.

    `factor` and what its fixed part costs (estimate and tokens) are a Calibration's (request/calibration.py). `refused_…` are
    the sizes of the least request that was too much, where the refusal stated no number: estimated tokens, bytes, pictures.
    """

    learned_window: int | None = None
    server_window: int | None = None
    factor: float | None = None
    fixed_estimate: int | None = None
    fixed_tokens: float | None = None
    refused_tokens: int | None = None
    refused_bytes: int | None = None
    refused_images: int | None = None


class Count(NamedTuple):
    """A message's tokens as a model's server counted them, and the estimate it had then."""

    estimate: int
    tokens: float


_NOTHING = ModelFacts()


def find(tx: Transaction, key: ModelKey) -> ModelFacts:
    """What is known; of a model that is not, nothing."""
    rows = tx.execute(
        "SELECT learned_window, server_window, factor, fixed_estimate, fixed_tokens, refused_tokens, refused_bytes, "
        "refused_images FROM models WHERE (namespace, kind, base_url, model) = (?, ?, ?, ?)",
        key,
    )
    return next((ModelFacts(*row) for row in rows), _NOTHING)


def put(tx: Transaction, key: ModelKey, facts: ModelFacts) -> None:
    """Keep these facts in the place of those there were."""
    tx.execute(
        "INSERT INTO models (namespace, kind, base_url, model, learned_window, server_window, factor, fixed_estimate, "
        "fixed_tokens, refused_tokens, refused_bytes, refused_images) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (namespace, kind, base_url, model) DO UPDATE SET "
        "(learned_window, server_window, factor, fixed_estimate, fixed_tokens, refused_tokens, refused_bytes, "
        "refused_images) = (excluded.learned_window, excluded.server_window, excluded.factor, excluded.fixed_estimate, "
        "excluded.fixed_tokens, excluded.refused_tokens, excluded.refused_bytes, excluded.refused_images)",
        (*key, *facts),
    )


def everything(tx: Transaction, namespace: str) -> dict[ModelKey, ModelFacts]:
    """All models of a namespace."""
    rows = tx.execute(
        "SELECT kind, base_url, model, learned_window, server_window, factor, fixed_estimate, fixed_tokens, refused_tokens, "
        "refused_bytes, refused_images FROM models WHERE namespace = ?",
        (namespace,),
    )
    return {ModelKey(namespace, *row[:3]): ModelFacts(*row[3:]) for row in rows}


def counts(tx: Transaction, key: ModelKey, session_id: SessionId) -> dict[str, Count]:
    """What the model's server counted of a transcript's messages, by their ids."""
    rows = tx.execute(
        "SELECT event_id, estimate, tokens FROM models JOIN counted_messages USING (model_pk) "
        "JOIN transcript_events USING (message_pk) JOIN transcript_event_identities USING (session_id, seq) "
        "WHERE (namespace, kind, base_url, model) = (?, ?, ?, ?) AND session_id = ?",
        (*key, session_id),
    )
    return {event_id: Count(estimate, tokens) for event_id, estimate, tokens in rows}


def put_counts(tx: Transaction, key: ModelKey, session_id: SessionId, counted: Mapping[str, Count]) -> None:
    """Keep counts of a model that is known, for the rows that these messages of a transcript are now: an edit makes another.

    A message that is gone meanwhile is left out.
    """
    # CROSS keeps the order: SQLite would go through all of the JSON for each message of the transcript (1.1 s for 2,000).
    tx.execute(
        "INSERT OR REPLACE INTO counted_messages SELECT model_pk, message_pk, value ->> 0, value ->> 1 "
        "FROM json_each(?) CROSS JOIN transcript_event_identities ON session_id = ? AND event_id = key "
        "JOIN transcript_events USING (session_id, seq) "
        "JOIN models ON (namespace, kind, base_url, model) = (?, ?, ?, ?)",
        (orjson.dumps({message_id: tuple(count) for message_id, count in counted.items()}).decode(), session_id, *key),
    )
