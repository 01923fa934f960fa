"""One whole answer of a model, for what is asked on the person's behalf: summaries."""

import contextlib
from dataclasses import dataclass

from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.llm.types import Finished, TextDelta
from sidekeep.request.build import Request
from sidekeep.request.dialect.table import WRITERS
from sidekeep.service.providers import Providers


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """`capped`: it was cut by the output limit."""

    text: str
    capped: bool


async def ask(providers: Providers, scope: Scope, provider: Provider, request: Request) -> WholeAnswer:
    """Ask and wait for the end. `request` has no pictures. Raises ProviderFailed."""
    endpoint = await providers.endpoint(scope, provider)
    pieces: list[str] = []
    capped = False
    body = WRITERS[provider.kind](request, {})
    async with contextlib.aclosing(providers.client().stream(endpoint, body)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                pieces.append(event.text)
            elif isinstance(event, Finished):
                capped = event.capped
    return WholeAnswer("".join(pieces).strip(), capped)
