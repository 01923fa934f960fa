"""request.*: for an extension that does its own fetch."""

import asyncio
from typing import Any

import orjson

from sidekeep.handlers.context import Context
from sidekeep.handlers.turns import data_url
from sidekeep.llm.types import UsageReport
from sidekeep.protocol.requests import FailedParams, PrepareParams, SucceededParams
from sidekeep.service.requests import Prepared
from sidekeep.service.turn import report_fields
from sidekeep.service.turn_store import Question


async def prepare(context: Context, params: PrepareParams) -> dict[str, Any]:
    services, scope = context.live, context.scope
    await asyncio.to_thread(context.catch_up)
    images = tuple([await asyncio.to_thread(data_url, context, image) for image in params.images or ()])
    question = Question(params.text, images)
    try:
        ready = await services.own_fetches.prepare(scope, question, params.provider, params.dialect)
    finally:
        context.written()  # a question that is refused is in the conversation all the same
    return {"request": ready.request, "url": ready.url, **_shaped(ready.prepared)}


async def failed(context: Context, params: FailedParams) -> dict[str, Any]:
    retry = await context.live.own_fetches.failed(context.scope, params.request, params.status, params.body)
    return {"retry": None if retry is None else _shaped(retry)}


async def succeeded(context: Context, params: SucceededParams) -> dict[str, Any]:
    usage = params.usage
    counted = None
    if usage is not None:
        counted = UsageReport(usage.promptTokens, usage.completionTokens, usage.cachedTokens, usage.reasoningTokens)
    await context.live.own_fetches.succeeded(context.scope, params.request, params.message, counted)
    context.written()
    return {}


def _shaped(prepared: Prepared) -> dict[str, Any]:
    return {"body": orjson.Fragment(prepared.body), "report": report_fields(prepared.report)}
