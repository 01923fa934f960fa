"""sessions.*."""

from functools import partial
from typing import Any

from sidekeep.domain.chat import Chat, ChatSize
from sidekeep.domain.usage import Usage
from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.handlers.life import evicted
from sidekeep.protocol.sessions import (
    BranchParams,
    ClearParams,
    DeleteParams,
    GetParams,
    IdParams,
    ListParams,
    MoveParams,
    PinParams,
    RenameParams,
    SaveParams,
)
from sidekeep.service.finding import Shown


def list_chats(context: Context, params: ListParams) -> dict[str, Any]:
    page = partial(context.services.chats.page, context.scope, query=params.query or "", folder=params.folder)
    listed = announced(context, lambda: page(limit=params.limit, offset=params.offset))
    return {
        "sessions": [{**session(chat, size), **_found(listed.matches.get(chat.id))} for chat, size in listed.chats],
        "total": listed.total,
        "archivedMatches": listed.archived_matches,
        "evicted": evicted(listed.evicted),
    }


def save(context: Context, params: SaveParams) -> dict[str, Any]:
    return session(*announced(context, lambda: context.live.chats.save(context.scope, params.name)))


def load(context: Context, params: IdParams) -> dict[str, Any]:
    """Open a saved chat; a temporary one that was open is gone."""
    with context.leaving():
        count = announced(context, lambda: context.services.chats.load(context.scope, params.id))
        context.end_temporary()
    return {"messages": count, "activeSessionId": params.id}


def get(context: Context, params: GetParams) -> dict[str, Any]:
    services = context.services
    chat, size, messages = announced(context, lambda: services.chats.get(context.scope, params.id, params.pixels))
    if params.checkpoint is not None:
        messages = services.checkpoints.transcript(context.scope, params.id, params.checkpoint, params.pixels)
    return {"session": {**session(chat, size), "usage": _spent(chat.usage)}, "messages": messages}


def rename(context: Context, params: RenameParams) -> dict[str, Any]:
    return session(*announced(context, lambda: context.services.chats.rename(context.scope, params.id, params.name)))


def pin(context: Context, params: PinParams) -> dict[str, Any]:
    return session(
        *announced(context, lambda: context.services.chats.pin(context.scope, params.id, pinned=params.pinned))
    )


def move(context: Context, params: MoveParams) -> dict[str, Any]:
    return session(*announced(context, lambda: context.services.chats.move(context.scope, params.id, params.folder)))


def branch(context: Context, params: BranchParams) -> dict[str, Any]:
    """A new chat from a chat, or from the live conversation; a temporary one's branch is temporary too."""
    chats = (context.live if params.id is None else context.services).chats
    return session(*announced(context, lambda: chats.branch(context.scope, params.id, params.messageId)))


def delete(context: Context, params: DeleteParams) -> dict[str, Any]:
    return _deleted(context, list(params.ids), for_good=params.forGood)


def clear(context: Context, params: ClearParams) -> dict[str, Any]:
    """Delete every listed chat."""
    return _deleted(context, context.services.chats.every_id(context.scope), for_good=params.forGood)


def _deleted(context: Context, chat_ids: list[str], *, for_good: bool) -> dict[str, Any]:
    chats = context.services.chats
    if not for_good:
        return {"deleted": announced(context, lambda: chats.delete(context.scope, chat_ids))}
    deleted, erased = announced(context, lambda: chats.delete_for_good(context.scope, chat_ids))
    return {"deleted": deleted, "backups": context.services.backups_holding(erased)}


def _spent(usage: Usage) -> dict[str, Any]:
    """What a chat's answers have taken in all."""
    return {
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "cachedTokens": usage.cached_tokens,
        "costs": dict(usage.costs),
    }


def _found(shown: Shown | None) -> dict[str, Any]:
    """What a search adds to a SESSION."""
    if shown is None:
        return {}
    fields = {"contentMatch": True if shown.content_match else None, "snippet": shown.snippet}
    return {name: value for name, value in fields.items() if value is not None}


def session(chat: Chat, size: ChatSize) -> dict[str, Any]:
    """SESSION."""
    return {
        "id": chat.id,
        "name": chat.name,
        "createdAt": chat.created_at_ms,
        "updatedAt": chat.updated_at_ms,
        "pinned": chat.pinned,
        "folder": chat.folder,
        "messages": size.messages,
        "bytes": size.bytes,
    }
