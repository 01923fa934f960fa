"""Compactions that another program has made of an imported conversation, as if Sidekeep had made them.

Each gives the chat a transcript that begins with the summary, and a checkpoint that has the one before.
"""

from collections.abc import Iterator
from itertools import pairwise

import orjson

from sidekeep.domain import checkpoint
from sidekeep.domain.chat import Chat
from sidekeep.domain.compaction import SUMMARY_MEMBER
from sidekeep.domain.message import MessageId
from sidekeep.service import checkpoints
from sidekeep.service.incoming import Incoming
from sidekeep.service.showing import show, showing
from sidekeep.service.writing import Write
from sidekeep.store import entries, message_rows, transcripts


def carry_out(write: Write, way: Incoming, chat: Chat, start: int = 0) -> Chat:
    """The chat, whose transcript ends with the way's messages from `start` on one after the other, with the compactions among
    them carried out. Live conversations that show the chat go along."""
    first = way.first_compaction(start)
    if first is None:
        return chat
    shown = showing(write, chat)
    taken = transcripts.cut_last(write.tx, chat.session_id, len(way.prepared) - first)
    rows = message_rows.identities(write.tx, taken)
    said = list(_said(write, chat))
    places = [place for place in way.compactions if place >= first]
    for place, end in pairwise((*places, len(way.prepared))):
        summary, *later = rows[place - first : end - first]
        kept = said[-way.compactions[place] :] if way.compactions[place] else []
        chat = _compacted(write, way, chat, place, [summary, *kept, *later])
        said += later
    show(write, shown, chat)
    chat = chat._replace(updated_at_ms=way.updated_at_ms)
    entries.put_chat(write.tx, write.scope.namespace, chat)
    return chat


def _compacted(write: Write, way: Incoming, chat: Chat, place: int, rows: list[tuple[int, MessageId]]) -> Chat:
    after = transcripts.create(write.tx, write.now_ms)
    transcripts.refer(write.tx, after, rows)
    summary = way.prepared[place].message
    checkpoint_id = orjson.loads(summary.body)[SUMMARY_MEMBER]
    made = checkpoint.new(checkpoint_id, summary.created_at_ms, "compact", chat.session_id, after)
    return checkpoints.replaced(write, chat, made).chat


def _said(write: Write, chat: Chat) -> Iterator[tuple[int, MessageId]]:
    """The rows of all that was said in a chat, without the summaries."""
    for row in checkpoints.whole(write.tx, chat):
        if SUMMARY_MEMBER not in orjson.loads(row.body):
            yield row.message_pk, row.message_id
