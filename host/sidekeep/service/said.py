"""What a request is made from: a conversation's rows, what is kept beside them, the person's settings."""

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from sidekeep.domain.area_keys import DEFAULTS
from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import StoredMessage
from sidekeep.domain.scope import Scope
from sidekeep.errors import SidekeepError
from sidekeep.request.build import RequestSettings
from sidekeep.request.fit import Cut
from sidekeep.request.measure import text_tokens
from sidekeep.request.view import Entry, Image, view
from sidekeep.store import area, blobs, message_tokens, request_cuts, transcripts
from sidekeep.store.database import Database, Transaction

_KEYS = ("systemPrompt", "replyLanguage", "requestWindow")


def entries(tx: Transaction, session_id: SessionId, rows: Sequence[StoredMessage] | None = None) -> tuple[Entry, ...]:
    """A transcript as the request side sees it. Messages that were never estimated have no `tokens` yet."""
    stored = transcripts.messages(tx, session_id) if rows is None else rows
    return view(stored, _pictures(tx, stored), message_tokens.of_session(tx, session_id))


def estimated(database: Database, said: Sequence[Entry], rows: Mapping[str, int]) -> tuple[Entry, ...]:
    """The same with all estimates; new ones are kept beside their messages, whose `rows` are by id.

    Not to be called inside a transaction: a conversation that was just taken over has megabytes to estimate.
    """
    times = Counter(entry.message_id for entry in said)
    missing = {e.message_id: text_tokens(e) for e in said if e.tokens is None and times[e.message_id] == 1}
    if missing:
        with contextlib.suppress(SidekeepError), database.transaction() as tx:  # they can be made again
            message_tokens.put(tx, {rows[name]: tokens for name, tokens in missing.items() if name in rows})
    return tuple(
        replace(entry, tokens=missing[entry.message_id]) if entry.message_id in missing else entry for entry in said
    )


def cut(tx: Transaction, session_id: SessionId) -> Cut:
    """Where the last request of a conversation was cut."""
    noted = request_cuts.find(tx, session_id)
    shortened = noted.get("shortened")
    return Cut(noted.get("start"), noted.get("trimmed"), (shortened[0], shortened[1]) if shortened else None)


def keep_cut(tx: Transaction, session_id: SessionId, made: Cut) -> None:
    """Note it for the next request."""
    if made != cut(tx, session_id):
        fields = {"start": made.start, "trimmed": made.trimmed, "shortened": made.shortened}
        request_cuts.put(tx, session_id, fields)


def settings(tx: Transaction, scope: Scope, max_bytes: int) -> RequestSettings:
    """What of the settings shapes a request; a value of another shape in the storage area counts as absent."""
    found = area.get(tx, scope, _KEYS)
    values = {key: orjson.loads(found[key]) if key in found else DEFAULTS[key] for key in _KEYS}
    window = values["requestWindow"] if isinstance(values["requestWindow"], dict) else {}
    usual = RequestSettings()
    return RequestSettings(
        system_prompt=_text(values["systemPrompt"]),
        reply_language=_text(values["replyLanguage"]),
        window="tail" if window.get("mode") == "tail" else "full",
        tail_messages=_count(window, "messages", usual.tail_messages),
        tail_characters=_count(window, "chars", usual.tail_characters),
        max_bytes=max_bytes,
    )


def _pictures(tx: Transaction, stored: Sequence[StoredMessage]) -> dict[bytes, Image]:
    """What is known of the conversation's pictures."""
    known = blobs.known(tx, {cut.sha256 for message in stored for cut in message.cuts})
    return {
        sha256: Image(
            sha256, width=info.width, height=info.height, size=info.bytes, thumbnail_size=info.thumbnail_bytes
        )
        for sha256, info in known.items()
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(window: Mapping[str, Any], name: str, usual: int) -> int:
    value = window.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else usual
