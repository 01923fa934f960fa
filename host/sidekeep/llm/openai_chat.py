"""The client for OpenAI-compatible chat completions: Ollama, LM Studio, llama.cpp, vLLM, OpenAI, OpenRouter …"""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from sidekeep.errors import ProviderFailed
from sidekeep.llm import urls
from sidekeep.llm.chat_chunks import parse_json
from sidekeep.llm.chat_stream import ChatStream
from sidekeep.llm.failures import Failures
from sidekeep.llm.http import Answer, HttpSession, StreamBroken, Timeouts
from sidekeep.llm.model_list import is_lm_studio, parse_model_list
from sidekeep.llm.types import Endpoint, Event, ModelInfo

_LIST_S = 15
_MAX_LIST_BYTES = 16 * 1024 * 1024  # OpenRouter's list has 0.5 MB


class OpenAIChatClient:
    """A types.ProviderClient over HTTP. One object serves any number of endpoints, on one event loop.

    `proxy` overrides the environment's (HTTP_PROXY, NO_PROXY); loopback addresses are never sent through one. `ca` is a
    PEM file of certificates to trust beside the system's own store.
    """

    def __init__(self, *, proxy: str | None = None, ca: Path | None = None, timeouts: Timeouts | None = None) -> None:
        self._http = HttpSession(proxy=proxy, ca=ca, timeouts=timeouts)

    async def stream(self, endpoint: Endpoint, body: bytes) -> AsyncGenerator[Event, None]:
        """See types.ProviderClient.stream."""
        failures = Failures(endpoint)
        url = urls.chat_completions(endpoint.base_url)
        async with self._http.request("POST", url, endpoint, body=body) as answer:
            await _expect_200(answer, failures)
            chat = ChatStream(failures)
            while not chat.done:
                for event in await _next_events(answer, chat):
                    yield event
                if chat.failure is not None:
                    raise chat.failure

    async def models(self, endpoint: Endpoint) -> list[ModelInfo]:
        """See types.ProviderClient.models."""
        value = await self._get(urls.models(endpoint.base_url), endpoint)
        found = parse_model_list(value)
        if found is None:
            raise Failures(endpoint).bad_response("gave a list of models that cannot be read.", delivered="none")
        if is_lm_studio(value):
            return await self._lm_studio_models(endpoint) or found
        return found

    async def aclose(self) -> None:
        """Drop every connection."""
        await self._http.aclose()

    async def _get(self, url: str, endpoint: Endpoint) -> Any:
        failures = Failures(endpoint)
        async with self._http.request("GET", url, endpoint, wait_s=_LIST_S) as answer:
            await _expect_200(answer, failures)
            body = await answer.body(_MAX_LIST_BYTES)
        try:
            return parse_json(body.decode("utf-8-sig", "replace"))
        except ValueError as exc:
            raise failures.bad_response("gave a list of models that is not JSON.", body, delivered="none") from exc

    async def _lm_studio_models(self, endpoint: Endpoint) -> list[ModelInfo] | None:
        try:
            return parse_model_list(await self._get(urls.lm_studio_models(endpoint.base_url), endpoint))
        except ProviderFailed:
            return None  # versions before 0.3.6 have no such list


async def _expect_200(answer: Answer, failures: Failures) -> None:
    if answer.status == 200:
        return
    if 300 <= answer.status < 400:
        raise failures.redirect(answer.status, answer.location)
    raise failures.http_error(answer.status, await answer.body())


async def _next_events(answer: Answer, chat: ChatStream) -> list[Event]:
    """The events of the next piece of the body; its end, or its breaking off, ends the chat."""
    within_s = answer.timeouts.after_finish_s if chat.finish_reason is not None else None
    try:
        piece = await answer.piece(within_s=within_s)
    except StreamBroken as exc:
        return chat.end(cut=str(exc))
    return chat.end() if piece is None else chat.feed(piece)
