"""The client for model servers, whichever API they speak: `endpoint.kind` chooses it (api/table.py)."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from sidekeep.errors import ProviderFailed
from sidekeep.llm import llama_cpp_models, ollama_models, urls
from sidekeep.llm.answer_stream import AnswerStream
from sidekeep.llm.api.table import APIS
from sidekeep.llm.failures import Failures
from sidekeep.llm.http import Answer, HttpSession, StreamBroken, Timeouts
from sidekeep.llm.json_members import parse_json
from sidekeep.llm.model_list import is_lm_studio, parse_model_list
from sidekeep.llm.types import Endpoint, Event, ModelInfo

_LIST_S = 15
_MAX_SHOWN = 50  # questions to one Ollama, which has a few models as a rule
_MAX_LIST_BYTES = 16 * 1024 * 1024  # OpenRouter's list has 0.5 MB


class ModelClient:
    """A types.ProviderClient over HTTP. One object serves any number of endpoints, on one event loop.

    `proxy` overrides the environment's (HTTP_PROXY, NO_PROXY); loopback addresses are never sent through one. `ca` is a
    PEM file of certificates to trust beside the system's own store.
    """

    def __init__(self, *, proxy: str | None = None, ca: Path | None = None, timeouts: Timeouts | None = None) -> None:
        self._http = HttpSession(proxy=proxy, ca=ca, timeouts=timeouts)

    async def stream(self, endpoint: Endpoint, body: bytes) -> AsyncGenerator[Event, None]:
        """See types.ProviderClient.stream."""
        failures = Failures(endpoint)
        api = APIS[endpoint.kind]
        async with self._http.request("POST", api.answer_url(endpoint), endpoint, body=body) as answer:
            await _expect_200(answer, failures)
            decoder = AnswerStream(failures, api.reader())
            while not decoder.done:
                for event in await _next_events(answer, decoder):
                    yield event
                if decoder.failure is not None:
                    raise decoder.failure

    async def models(self, endpoint: Endpoint) -> list[ModelInfo]:
        """See types.ProviderClient.models."""
        api = APIS[endpoint.kind]
        value = await self._ask(api.models_url(endpoint), endpoint)
        found = api.models(value)
        if found is None:
            raise Failures(endpoint).bad_response("gave a list of models that cannot be read.", delivered="none")
        if endpoint.kind == "ollama":
            return await self._ollama_models(endpoint, found)
        if is_lm_studio(value):
            return await self._lm_studio_models(endpoint) or found
        if llama_cpp_models.tells_training_only(value):
            return llama_cpp_models.completed(
                found, await self._perhaps(urls.llama_cpp_props(endpoint.base_url), endpoint)
            )
        return found

    async def aclose(self) -> None:
        """Drop every connection."""
        await self._http.aclose()

    async def _ask(self, url: str, endpoint: Endpoint, body: bytes | None = None) -> Any:
        failures = Failures(endpoint)
        method = "GET" if body is None else "POST"
        async with self._http.request(method, url, endpoint, body=body, wait_s=_LIST_S) as answer:
            await _expect_200(answer, failures)
            body = await answer.body(_MAX_LIST_BYTES)
        try:
            return parse_json(body.decode("utf-8-sig", "replace"))
        except ValueError as exc:
            raise failures.bad_response("gave a list of models that is not JSON.", body, delivered="none") from exc

    async def _lm_studio_models(self, endpoint: Endpoint) -> list[ModelInfo] | None:
        """Versions before 0.3.6 have no such list."""
        return parse_model_list(await self._perhaps(urls.lm_studio_models(endpoint.base_url), endpoint))

    async def _ollama_models(self, endpoint: Endpoint, found: list[ModelInfo]) -> list[ModelInfo]:
        """The list tells names only; what a model can do, and its window, are asked for one by one."""
        running = ollama_models.windows(await self._perhaps(urls.ollama(endpoint.base_url, "/api/ps"), endpoint))
        url = urls.ollama(endpoint.base_url, "/api/show")
        asked = found[:_MAX_SHOWN]
        told = await asyncio.gather(*(self._perhaps(url, endpoint, ollama_models.show(info)) for info in asked))
        known = [ollama_models.completed(info, answer, running) for info, answer in zip(asked, told, strict=True)]
        return [*known, *found[_MAX_SHOWN:]]

    async def _perhaps(self, url: str, endpoint: Endpoint, body: bytes | None = None) -> Any:
        """An answer that is good to have; None without."""
        try:
            return await self._ask(url, endpoint, body)
        except ProviderFailed:
            return None


async def _expect_200(answer: Answer, failures: Failures) -> None:
    if answer.status == 200:
        return
    if 300 <= answer.status < 400:
        raise failures.redirect(answer.status, answer.location)
    raise failures.http_error(answer.status, await answer.body(), retry_after_s=answer.retry_after_s)


async def _next_events(answer: Answer, decoder: AnswerStream) -> list[Event]:
    """The events of the next piece of the body; its end, or its breaking off, ends the answer."""
    within_s = answer.timeouts.after_finish_s if decoder.stopped else None
    try:
        piece = await answer.piece(within_s=within_s)
    except StreamBroken as exc:
        return decoder.end(cut=str(exc))
    return decoder.end() if piece is None else decoder.feed(piece)
