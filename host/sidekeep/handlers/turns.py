"""turn.*: tasks, whose events go to the caller as notifications."""

import asyncio
from typing import Any

from sidekeep.errors import SidekeepError
from sidekeep.handlers.context import Context
from sidekeep.protocol.turns import ImageRef, SendParams, TurnParams
from sidekeep.service.running import Emit, TurnDelta, TurnDone, TurnEvent, TurnFailed, TurnStarted, TurnStatus
from sidekeep.service.turn import report_fields, usage_fields
from sidekeep.service.turn_store import Question


async def send(context: Context, params: SendParams) -> dict[str, Any]:
    services = context.live
    await asyncio.to_thread(context.catch_up)
    images = params.images
    urls = None if images is None else tuple([await asyncio.to_thread(data_url, context, image) for image in images])
    try:
        turn = await services.turns.send(
            context.scope,
            Question(params.text, urls, params.replaces),
            _emitter(context),
            provider=params.provider,
            model=params.model,
        )
    except SidekeepError:
        context.written()  # a question that is refused is in the conversation all the same
        raise
    return {"turn": turn}


async def cancel(context: Context, params: TurnParams) -> dict[str, Any]:
    """Stop a turn, also one whose conversation was left meanwhile, for a temporary chat or out of one."""
    stores = [store for store in context.every_store() if store.has_turns and store.turns.is_running(params.turn)]
    await (stores[0] if stores else context.live).turns.cancel(params.turn)
    return {}


async def peek(context: Context, _params: Any) -> dict[str, Any]:
    turns = [turn for store in context.every_store() if store.has_turns for turn in store.turns.running(context.scope)]
    return {
        "turns": [
            {
                "turn": turn.turn,
                "session": turn.asked.chat_id,
                "text": turn.text,
                "reasoning": turn.reasoning,
                "startedAt": turn.started_at_ms,
                **({} if turn.report is None else {"report": report_fields(turn.report)}),
            }
            for turn in turns
        ]
    }


def data_url(context: Context, image: str | ImageRef) -> str:
    """A picture that comes with a question, or is in the store already."""
    return image if isinstance(image, str) else context.live.conversation.data_url(context.scope, image.ref)


def _emitter(context: Context) -> Emit:
    def emit(event: TurnEvent) -> None:
        if not isinstance(event, TurnDelta):
            context.written()
        context.notify(*_shaped(event))

    return emit


def _shaped(event: TurnEvent) -> tuple[str, dict[str, Any]]:
    match event:
        case TurnStarted():
            return "turn.started", {
                "turn": event.turn,
                "user": event.user,
                "report": report_fields(event.report),
            }
        case TurnDelta():
            name = "turn.reasoning" if event.reasoning else "turn.delta"
            return name, {"turn": event.turn, "offset": event.offset, "text": event.text}
        case TurnStatus():
            return "turn.status", {"turn": event.turn, "kind": event.kind, "detail": dict(event.detail)}
        case TurnDone():
            usage = {} if event.usage is None else {"usage": usage_fields(event.usage, event.cost)}
            return "turn.done", {"turn": event.turn, "message": event.message, **usage, "rescued": event.rescued}
        case TurnFailed():
            error = {
                "code": event.error.code,
                "message": event.error.message,
                "data": {"kind": event.error.kind, **event.error.data},
            }
            kept = {} if event.message is None else {"message": event.message}
            return "turn.failed", {"turn": event.turn, "error": error, **kept}
