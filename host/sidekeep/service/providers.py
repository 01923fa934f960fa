"""Which model answers, and how it is reached."""

from collections.abc import Callable
from typing import Any, Protocol

import orjson

from sidekeep.domain import providers
from sidekeep.domain.area_keys import DEFAULTS
from sidekeep.domain.providers import KINDS, OFFLINE, Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, NotFound, ProviderFailed
from sidekeep.llm.types import Endpoint, ModelInfo, ProviderClient
from sidekeep.request.windows import window_of
from sidekeep.service.keys import Keys
from sidekeep.service.windows import Windows
from sidekeep.store import area
from sidekeep.store.database import Database

# A server on this computer answers at once, or is busy loading a model.
_DETECT_S = 3


class OfflineServer(Protocol):
    """What is needed of llm.offline.OfflineModel."""

    async def endpoint(self, window: int | None = None) -> Endpoint:
        """Start it where it does not run yet. Raises ModelUnavailable."""


class Providers:
    """One store's model servers. `client` and `offline` are made when first needed."""

    def __init__(
        self,
        database: Database,
        keys: Keys,
        windows: Windows,
        *,
        client: Callable[[], ProviderClient],
        offline: Callable[[], OfflineServer],
    ) -> None:
        self._database = database
        self._keys = keys
        self._windows = windows
        self._client = client
        self._offline = offline

    def resolve(self, scope: Scope, name: str | None = None, model: str | None = None) -> Provider:
        """The provider of that name, or the active one, with the model asked for. Raises NotFound, InvalidParams."""
        stored = self._stored(scope)
        chosen = name or _text(stored, "activeProvider")
        known = providers.merged(stored["providers"] if isinstance(stored["providers"], dict) else {})
        if chosen not in known:
            raise NotFound(
                f"There is no provider named {chosen!r}. Choose one in the settings.", what="provider", id=chosen
            )
        wanted = model or (_text(stored, "activeModel") if not name or name == _text(stored, "activeProvider") else "")
        provider = providers.provider_from({**known[chosen], **({"model": wanted} if wanted else {})})
        if provider.kind not in KINDS:
            raise InvalidParams(
                f"There is no kind of provider named {provider.kind!r}. Most servers speak 'openai-chat'.", errors=[]
            )
        return provider

    async def endpoint(self, scope: Scope, provider: Provider) -> Endpoint:
        """Where to send a request. Starts the offline model where that is chosen. Raises ProviderFailed."""
        if provider.kind == OFFLINE:
            return await self._offline().endpoint(provider.window)
        if not provider.base_url:
            raise ProviderFailed(f"{provider.name} has no base URL. Enter it in the settings.", verdict="unreachable")
        import asyncio

        return Endpoint(
            kind=provider.kind,
            base_url=provider.base_url,
            model=provider.model,
            api_key=await asyncio.to_thread(self._keys.get, scope, provider),
            temperature=provider.temperature,
            max_tokens=provider.max_tokens,
            window=provider.window,
        )

    def client(self) -> ProviderClient:
        return self._client()

    async def models(self, scope: Scope, name: str) -> list[ModelInfo]:
        """The models that a provider's server offers, with the windows that count. Raises ProviderFailed, NotFound."""
        import asyncio

        provider = await asyncio.to_thread(self.resolve, scope, name)
        if provider.kind == OFFLINE:
            return [ModelInfo(provider.model, window=window_of(provider).tokens, vision=False)]
        found = await self._client().models(await self.endpoint(scope, provider))
        return await asyncio.to_thread(self._windows.told, scope, provider, found)

    async def detect(self, scope: Scope) -> list[tuple[Provider, list[ModelInfo]]]:
        """The local servers that answer now, with their models. Only loopback is asked, and no key is sent."""
        import asyncio

        known = await asyncio.to_thread(self._local, scope)
        answers = await asyncio.gather(*(self._answer(provider) for provider in known))
        return [(provider, models) for provider, models in zip(known, answers, strict=True) if models is not None]

    def _local(self, scope: Scope) -> list[Provider]:
        stored = self._stored(scope)["providers"]
        known = providers.merged(stored if isinstance(stored, dict) else {})
        local = [providers.provider_from(known[name]) for name in providers.LOCAL if name in known]
        return [provider for provider in local if provider.is_loopback and provider.kind in KINDS]

    async def _answer(self, provider: Provider) -> list[ModelInfo] | None:
        import asyncio

        endpoint = Endpoint(kind=provider.kind, base_url=provider.base_url, model=provider.model)
        try:
            async with asyncio.timeout(_DETECT_S):
                return await self._client().models(endpoint)
        except (ProviderFailed, TimeoutError):
            return None

    def set_key(self, scope: Scope, name: str, api_key: str) -> None:
        """Keep a key for the provider's present base URL. Raises NotFound, InvalidParams, StoreFailed."""
        self._keys.put(scope, self.resolve(scope, name), api_key)

    def clear_key(self, scope: Scope, name: str) -> None:
        self._keys.clear(scope, name)

    def _stored(self, scope: Scope) -> dict[str, Any]:
        wanted = ("providers", "activeProvider", "activeModel")
        with self._database.reading() as tx:
            found = area.get(tx, scope, wanted)
        return {key: orjson.loads(found[key]) if key in found else DEFAULTS[key] for key in wanted}


def _text(stored: dict[str, Any], key: str) -> str:
    value = stored[key]
    return value if isinstance(value, str) else ""
