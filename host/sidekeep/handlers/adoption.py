"""adoption.*."""

from typing import Any

import orjson

from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.protocol.adoption import BodyParams, FinishParams, ReadParams


def state(context: Context, _params: Any) -> dict[str, Any]:
    return {"adopted": context.services.adoption.is_done(context.scope)}


def body(context: Context, params: BodyParams) -> dict[str, Any]:
    return {
        "id": announced(context, lambda: context.services.adoption.take_body(context.scope, params.id, params.value))
    }


def finish(context: Context, params: FinishParams) -> dict[str, Any]:
    finished = announced(context, lambda: context.services.adoption.finish(context.scope, params.items))
    return {"renamed": finished.renamed, "kept": finished.kept}


def read(context: Context, params: ReadParams) -> dict[str, Any]:
    return {"value": orjson.Fragment(context.services.adoption.read(context.scope, params.key))}
