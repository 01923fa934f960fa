"""history.* and image.get."""

from collections.abc import Callable
from typing import Any, TypeVar

from sidekeep.handlers.context import Context
from sidekeep.protocol.history import AppendParams, ClearParams, GetParams, IdParams, ImageParams, TruncateParams

Result = TypeVar("Result")


def get(context: Context, params: GetParams) -> dict[str, Any]:
    messages, active = context.live.conversation.get(context.scope, params.pixels)
    return {"messages": messages, "activeSessionId": active}


def append(context: Context, params: AppendParams) -> dict[str, Any]:
    message_id, index = announced(context, lambda: context.live.conversation.append(context.scope, params.message))
    return {"id": message_id, "index": index}


def remove(context: Context, params: IdParams) -> dict[str, Any]:
    announced(context, lambda: context.live.conversation.remove(context.scope, params.id))
    return {}


def truncate(context: Context, params: TruncateParams) -> dict[str, Any]:
    removed = announced(
        context, lambda: context.live.conversation.truncate(context.scope, params.id, inclusive=params.inclusive)
    )
    return {"removed": removed}


def clear(context: Context, params: ClearParams) -> dict[str, Any]:
    """New chat. What was live is kept first; a temporary chat that ends is gone, as it was to be."""
    with context.leaving():
        announced(context, lambda: context.services.conversation.clear(context.scope))
        context.end_temporary()
        if params.temporary:
            context.start_temporary()
    return {}


def image(context: Context, params: ImageParams) -> dict[str, Any]:
    found = context.live.conversation.image(context.scope, params.ref)
    return {"dataUrl": found.data_url, "width": found.width, "height": found.height, "bytes": found.bytes}


def announced(context: Context, change: Callable[[], Result]) -> Result:
    """Run a change; whoever listens hears of it before it is answered."""
    result = change()
    context.written()
    return result
