"""attachments.*."""

import asyncio
from typing import Any

from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.protocol.attachments import AddParams, IdParams
from sidekeep.service.attachments import PageToAttach


async def add(context: Context, params: AddParams) -> dict[str, Any]:
    """Attach a page. A long one is summarised in the background: it is whole until the summary is there."""
    page = PageToAttach(
        url=params.page.url,
        title=params.page.title,
        mode=params.page.mode,
        text=params.page.text,
        header_block=params.page.headerBlock or "",
        images=tuple(params.images),
        video_src=params.videoSrc,
    )
    services, scope = context.live, context.scope
    added = await asyncio.to_thread(announced, context, lambda: services.attachments.add(scope, page))
    will_summarize = await asyncio.to_thread(services.summarizing.is_wanted, scope, added.chars)
    if will_summarize:
        services.summarizing.start(scope, added.attach_id, context.written)
    return {
        "attachId": added.attach_id,
        "title": added.title,
        "chars": added.chars,
        "images": added.images,
        "willSummarize": will_summarize,
    }


def get(context: Context, params: IdParams) -> dict[str, Any]:
    original = context.live.attachments.get(context.scope, params.attachId)
    summary = {} if original.summary is None else {"summary": original.summary}
    return {"text": original.text, **summary, "images": list(original.images)}


def restore(context: Context, params: IdParams) -> dict[str, Any]:
    announced(context, lambda: context.live.attachments.restore(context.scope, params.attachId))
    return {}


def remove(context: Context, params: IdParams) -> dict[str, Any]:
    announced(context, lambda: context.live.attachments.remove(context.scope, params.attachId))
    return {}
