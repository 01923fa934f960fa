"""Which saved chats a query finds, and in what order (docs/protocol.md, sessions.list)."""

from typing import NamedTuple

import orjson

from sidekeep.domain import search_text
from sidekeep.domain.chat import ChatId
from sidekeep.domain.search_text import Query
from sidekeep.domain.snippet import snippet
from sidekeep.store import archived, entries, message_rows
from sidekeep.store.database import Transaction
from sidekeep.store.search import Hit, Search


class Match(NamedTuple):
    """A chat that a query finds: by its name (search_text.name_rank above 0), by a message, or by both."""

    chat_id: ChatId
    name_rank: int = 0
    hit: Hit | None = None


class Shown(NamedTuple):
    """What a list tells of a match: whether only the content matched, and a line around what was found there."""

    content_match: bool
    snippet: str | None


class Found(NamedTuple):
    """The chats that match, best first, and how many archives do."""

    matches: list[Match]
    archives: int


def find(tx: Transaction, namespace: str, query: Query, folder: str | None) -> Found:
    """The listed chats, of one folder where one is named, whose name or one of whose messages has every word of the query.

    Names come first, the closest to the query before others; then chats with the query as it was typed, as whole words before
    others; among equals the latest activity. A blank query finds every chat, latest activity first, and no archive.
    """
    names = entries.names(tx, namespace, folder)
    if query.is_blank:
        return Found([Match(chat_id) for chat_id, _ in names], 0)
    search = Search(tx, query)
    families = entries.chat_families(tx, namespace)
    hits = search.transcripts([session_id for chat_id, _ in names for session_id in families.get(chat_id, ())])
    matches = []
    for chat_id, name in names:
        hit = None
        for session_id in families.get(chat_id, ()):
            hit = _closer(hit, hits.get(session_id))
        rank = search_text.name_rank(name, query)
        if rank or hit is not None:
            matches.append(Match(chat_id, rank, hit))
    matches.sort(key=lambda match: (-match.name_rank, -match.hit.closeness if match.hit else 0))
    return Found(matches, len(archives(tx, search, namespace, folder)))


def archives(tx: Transaction, search: Search, namespace: str, folder: str | None = None) -> set[str]:
    """The ids of the archives, of one folder where one is named, whose name or one of whose messages the query finds."""
    names = archived.names(tx, namespace, folder)
    named = {archive_id for archive_id, name in names if search_text.name_rank(name, search.query)}
    return named | search.archives(namespace, folder)


def shown(tx: Transaction, matches: list[Match], query: Query) -> dict[ChatId, Shown]:
    """What a list tells of each of these matches; nothing for a blank query."""
    if query.is_blank:
        return {}
    keys = [match.hit.message_pk for match in matches if match.hit is not None]
    lines = {message_pk: _line(body, query) for message_pk, body in message_rows.bodies(tx, keys).items()}
    return {
        match.chat_id: Shown(match.name_rank == 0, lines.get(match.hit.message_pk) if match.hit else None)
        for match in matches
    }


def _closer(one: Hit | None, other: Hit | None) -> Hit | None:
    """The closer of two hits, else the newer."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda hit: (hit.closeness, hit.message_pk))


def _line(body: bytes, query: Query) -> str:
    return snippet(search_text.searched_text(orjson.loads(body)), query)
