"""sessions.*."""

from typing import Any

from sidekeep.domain.chat import Chat, ChatSize
from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.protocol.sessions import DeleteParams, GetParams, IdParams, ListParams, RenameParams, SaveParams


def list_chats(context: Context, params: ListParams) -> dict[str, Any]:
    listed = context.services.chats.page(
        context.scope, query=params.query or "", folder=params.folder, limit=params.limit, offset=params.offset
    )
    return {
        "sessions": [session(chat, size) for chat, size in listed.chats],
        "total": listed.total,
        "archivedMatches": 0,
        "evicted": {"chats": 0, "messages": 0, "since": None},
    }


def save(context: Context, params: SaveParams) -> dict[str, Any]:
    return session(*announced(context, lambda: context.live.chats.save(context.scope, params.name)))


def load(context: Context, params: IdParams) -> dict[str, Any]:
    """Open a saved chat; a temporary one that was open is gone."""
    count = announced(context, lambda: context.services.chats.load(context.scope, params.id))
    context.end_temporary()
    return {"messages": count, "activeSessionId": params.id}


def get(context: Context, params: GetParams) -> dict[str, Any]:
    chat, size, messages = context.services.chats.get(context.scope, params.id, params.pixels)
    return {"session": session(chat, size), "messages": messages}


def rename(context: Context, params: RenameParams) -> dict[str, Any]:
    return session(*announced(context, lambda: context.services.chats.rename(context.scope, params.id, params.name)))


def delete(context: Context, params: DeleteParams) -> dict[str, Any]:
    deleted = announced(context, lambda: context.services.chats.delete(context.scope, list(params.ids)))
    return {"deleted": deleted}


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
