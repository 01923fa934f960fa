"""archive.*."""

from typing import Any

from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.handlers.sessions import session
from sidekeep.protocol.archive import GetParams, IdParams, ListParams, PurgeParams
from sidekeep.store.archived import Archive, Wanted


def list_all(context: Context, params: ListParams) -> dict[str, Any]:
    wanted = Wanted(params.reason, params.evicted)
    found, total = context.services.archives.page(
        context.scope, wanted, query=params.query or "", limit=params.limit, offset=params.offset
    )
    return {"archives": [_archive(archive) for archive in found], "total": total}


def get(context: Context, params: GetParams) -> dict[str, Any]:
    archive, messages = context.services.archives.get(context.scope, params.id, params.pixels)
    return {"archive": _archive(archive), "messages": messages}


def restore(context: Context, params: IdParams) -> dict[str, Any]:
    return session(*announced(context, lambda: context.services.archives.restore(context.scope, params.id)))


def purge(context: Context, params: PurgeParams) -> dict[str, Any]:
    purged, erased = context.services.archives.purge(context.scope, params.ids, params.before)
    return {"purged": purged, "bytes": erased.bytes, "backups": context.services.backups_holding(erased)}


def _archive(archive: Archive) -> dict[str, Any]:
    """ARCHIVE."""
    return {
        "id": archive.id,
        "sessionId": archive.session_id,
        "chat": archive.chat_id or None,
        "name": archive.name,
        "folder": archive.folder,
        "reason": archive.reason,
        "evicted": archive.evicted,
        "part": archive.part,
        "archivedAt": archive.archived_at_ms,
        "messages": archive.messages,
        "bytes": archive.bytes,
    }
