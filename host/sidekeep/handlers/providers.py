"""providers.* and secrets.*. No reply holds a key."""

import asyncio
from typing import Any

from sidekeep.domain.providers import Provider
from sidekeep.errors import ProviderFailed
from sidekeep.handlers.context import Context
from sidekeep.llm.types import ModelInfo
from sidekeep.protocol.providers import ProviderParams, SecretParams


async def models(context: Context, params: ProviderParams) -> dict[str, Any]:
    return {
        "models": [_model(info) for info in await context.services.providers.models(context.scope, params.provider)]
    }


async def test(context: Context, params: ProviderParams) -> dict[str, Any]:
    """Try to reach a provider. What went wrong is the answer, not an error."""
    try:
        found = await context.services.providers.models(context.scope, params.provider)
    except ProviderFailed as exc:
        status = {} if exc.status is None else {"status": exc.status}
        return {"ok": False, **status, "message": exc.message}
    return {
        "ok": True,
        "status": 200,
        "message": "It answers, with 1 model." if len(found) == 1 else f"It answers, with {len(found)} models.",
        "models": [_model(info) for info in found],
    }


async def detect(context: Context, _params: Any) -> dict[str, Any]:
    """The model servers on this computer that answer. Called when a person asks for it."""
    found = await context.services.providers.detect(context.scope)
    return {"found": [_local(provider, models) for provider, models in found]}


def _local(provider: Provider, models: list[ModelInfo]) -> dict[str, Any]:
    names = [info.id for info in models]
    model = provider.model or next(iter(names), "")
    fields = {"name": provider.name, "kind": provider.kind, "baseUrl": provider.base_url}
    return {**fields, "model": model, "models": names, "keySet": False}


async def set_secret(context: Context, params: SecretParams) -> dict[str, Any]:
    await asyncio.to_thread(context.services.providers.set_key, context.scope, params.provider, params.apiKey)
    return {}


async def clear_secret(context: Context, params: ProviderParams) -> dict[str, Any]:
    await asyncio.to_thread(context.services.providers.clear_key, context.scope, params.provider)
    return {}


def _model(info: ModelInfo) -> dict[str, Any]:
    fields = {"id": info.id, "window": info.window, "vision": info.vision}
    return {name: value for name, value in fields.items() if value is not None}
