"""Attachments that storage keeps shorter than they were, each with its original (domain/shortened.py). Steps inside a write."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sidekeep.domain.shortened import Reason, shortened
from sidekeep.service import live, messages
from sidekeep.service.writing import Write
from sidekeep.store import entries, transcripts


def shorten_live(write: Write, contents: Mapping[str, Any], reason: Reason) -> None:
    """Let attachments of the live conversation, found by attachId, say `contents` from now on. Those that are gone stay gone."""
    own = entries.live(write.tx, write.scope)
    for attach_id, content in contents.items():
        stored = transcripts.by_attachment(write.tx, own.session_id, attach_id) if own is not None else None
        if stored is not None:
            shorten = partial(shortened, content=content, reason=reason)
            live.replace(write, stored, messages.changed(write.tx, stored, shorten))
