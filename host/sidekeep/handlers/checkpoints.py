"""sessions.compact and what leads back from it."""

import asyncio
from functools import partial
from typing import Any

from sidekeep.domain.checkpoint import Checkpoint
from sidekeep.domain.message import MessageId
from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.handlers.sessions import session
from sidekeep.protocol.sessions import CheckpointParams, CompactParams, IdParams
from sidekeep.service.checkpoints import Compacted


async def compact(context: Context, params: CompactParams) -> dict[str, Any]:
    """With a summary, or with one that the active model writes."""
    services = context.live if params.id is None else context.services
    if params.summary is None:
        await asyncio.to_thread(context.catch_up)
        done = await services.compacting.compact(context.scope, params.id)
    else:
        first_kept = MessageId(params.firstKept) if params.firstKept is not None else None
        compact = partial(services.checkpoints.compact, context.scope, params.id, params.summary, first_kept=first_kept)
        done = await asyncio.to_thread(compact)
    context.written()
    return _compacted(done)


def restore(context: Context, params: CheckpointParams) -> dict[str, Any]:
    checkpoints = context.services.checkpoints
    return _compacted(announced(context, lambda: checkpoints.restore(context.scope, params.id, params.checkpoint)))


def list_all(context: Context, params: IdParams) -> dict[str, Any]:
    found = context.services.checkpoints.all(context.scope, params.id)
    return {"checkpoints": [_checkpoint(item, messages) for item, messages in found]}


def delete(context: Context, params: CheckpointParams) -> dict[str, Any]:
    context.services.checkpoints.delete(context.scope, params.id, params.checkpoint)
    return {}


def _compacted(done: Compacted) -> dict[str, Any]:
    return {
        "session": session(done.chat, done.size),
        "checkpoint": _checkpoint(done.checkpoint, done.messages_before),
    }


def _checkpoint(item: Checkpoint, messages: int) -> dict[str, Any]:
    """CHECKPOINT."""
    return {
        "id": item.id,
        "createdAt": item.created_at_ms,
        "reason": item.reason,
        "messages": messages,
        "preCompaction": {"sessionId": item.before},
        "postCompaction": {"sessionId": item.after},
    }
