"""attachments.*."""

import asyncio
from base64 import b64decode
from dataclasses import replace
from typing import Any

from sidekeep.errors import InvalidParams
from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.protocol.attachments import AddParams, IdParams
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.files import page_of


async def add(context: Context, params: AddParams) -> dict[str, Any]:
    """Attach a page or a file. A long one is summarised in the background: it is whole until the summary is there."""
    page = await asyncio.to_thread(_page, params)
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


def _page(params: AddParams) -> PageToAttach:
    if params.file is not None:
        file = params.file
        return replace(page_of(file.name, file.mime, _bytes(file.base64)), url=file.url)
    page = params.page
    assert page is not None, "the parameters have one or the other"
    return PageToAttach(
        url=page.url,
        title=page.title,
        mode=page.mode,
        text=page.text,
        header_block=page.headerBlock or "",
        images=tuple(params.images),
        video_src=params.videoSrc,
    )


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError as exc:
        raise InvalidParams("file.base64 is no base64.", errors=[{"loc": "file.base64", "msg": "no base64"}]) from exc


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
