"""Attachments that storage keeps shorter than they were, each with its original (domain/shortened.py). Steps inside a write."""

from collections.abc import Mapping
from functools import partial

from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import NewMessage, StoredMessage
from sidekeep.domain.shortened import Reason, shortened
from sidekeep.service import live, messages
from sidekeep.service.writing import Write
from sidekeep.store import entries, transcripts


def shorten_live(write: Write, texts: Mapping[str, str], reason: Reason) -> None:
    """Let attachments of the live conversation, by attachId, say these texts from now on. Those that are gone stay gone."""
    own = entries.live(write.tx, write.scope)
    for old, new in _changes(write, own.session_id, texts, reason) if own is not None else ():
        live.replace(write, old, new)


def shorten(write: Write, session_id: SessionId, texts: Mapping[str, str], reason: Reason) -> list[int]:
    """The same in a transcript that no profile shows. Returns the rows it took out, to be given up once nobody has them."""
    changes = _changes(write, session_id, texts, reason)
    for old, new in changes:
        transcripts.replace(write.tx, session_id, old, new)
    return [old.message_pk for old, _ in changes]


def _changes(
    write: Write, session_id: SessionId, texts: Mapping[str, str], reason: Reason
) -> list[tuple[StoredMessage, NewMessage]]:
    found = [(transcripts.by_attachment(write.tx, session_id, attach_id), text) for attach_id, text in texts.items()]
    return [
        (stored, messages.changed(write.tx, stored, partial(shortened, content=text, reason=reason)))
        for stored, text in found
        if stored is not None
    ]
