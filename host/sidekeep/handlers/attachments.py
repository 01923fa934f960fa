"""attachments.*."""

from typing import Any

from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.protocol.attachments import AddParams, IdParams
from sidekeep.service.attachments import PageToAttach


def add(context: Context, params: AddParams) -> dict[str, Any]:
    page = PageToAttach(
        url=params.page.url,
        title=params.page.title,
        mode=params.page.mode,
        text=params.page.text,
        header_block=params.page.headerBlock or "",
        images=tuple(params.images),
        video_src=params.videoSrc,
    )
    added = announced(context, lambda: context.live.attachments.add(context.scope, page))
    return {
        "attachId": added.attach_id,
        "title": added.title,
        "chars": added.chars,
        "images": added.images,
        "willSummarize": False,
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
