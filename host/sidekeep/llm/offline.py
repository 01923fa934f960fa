"""The offline model: SmolLM2-135M-Instruct in a child process, there until another model is chosen.

A very small model, to try things out with. Measured on two cores of an AMD EPYC (xllamacpp 2026.10, window 8,192): up
after 0.6 s, the file's check included; 340 to 360 MB of memory, 115 of them the mapped file and 190 the window; reads
300 prompt tokens a second (130 in a prompt of 6,000, whose first token takes 48 s), writes 65 (28 after 2,000 tokens of
prompt). Beside one busy process: reads 180, writes 60.

One host has at most one child; two hosts have two. The child ends with the host's end of its stdin, also after SIGKILL.
"""

import asyncio
import importlib.util
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from sidekeep.errors import ModelUnavailable, ProviderFailed
from sidekeep.llm import weights
from sidekeep.llm.http import HttpSession
from sidekeep.llm.offline_child import OfflineChild
from sidekeep.llm.types import Endpoint

_MIN_POLL_S, _MAX_POLL_S = 0.02, 15.0
_POLL_WAIT_S = 5
_BLOCK_TOKENS = 256  # llama.cpp rounds a window up to whole blocks


Slot: TypeAlias = tuple[int | None, bool]  # the task's number, and whether it still runs


class OfflineModel:
    """Starts the child when an endpoint is first asked for, and stops it after `idle_s` without a request in flight.

    Belongs to one event loop. `models_dir` holds the weights; `clock` tells how long nothing was asked, in seconds.
    """

    def __init__(self, models_dir: Path, idle_s: float = 300, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._models_dir = models_dir
        self.idle_s = idle_s
        self._clock = clock
        self._intact = False
        self._child: OfflineChild | None = None
        self._changing = asyncio.Lock()
        self._last_used_s = 0.0
        self._watching: asyncio.Task[None] | None = None
        self._http = HttpSession()

    @property
    def installed(self) -> bool:
        """Whether the weights are there."""
        return weights.is_installed(self._models_dir)

    @property
    def running(self) -> bool:
        """Whether the child runs now."""
        return self._child is not None and self._child.alive

    def unavailable_reason(self) -> str | None:
        """One sentence that says why the model cannot run here and what to do; None where it can."""
        if importlib.util.find_spec("xllamacpp") is None:
            return (
                f"The offline model does not run on this platform ({platform.system()} {platform.machine()}): "
                "llama.cpp has no build for it. Install Ollama and choose it in the provider's settings."
            )
        if not self.installed:
            return "The offline model's weights are not here yet. Run: sidekeep model get"
        return None

    async def endpoint(self, window: int | None = None) -> Endpoint:
        """The running child as an endpoint; starts it first where need be (about a second).

        `window` is the context window in tokens, by default and at most the 8,192 the model was trained with. A child
        with another window is replaced, which breaks off what it was answering. Endpoint.window is what it really has.
        Raises ModelUnavailable.
        """
        async with self._changing:
            wanted = _window(window)
            child = self._child
            if child is None or not child.alive or child.endpoint.window != wanted:
                await self._stop()
                child = await self._start(wanted)
            self._last_used_s = self._clock()
            return child.endpoint

    async def aclose(self) -> None:
        """End the child, at once."""
        async with self._changing:
            await self._stop()
        await self._http.aclose()

    async def _start(self, window: int) -> OfflineChild:
        if (reason := self.unavailable_reason()) is not None:
            raise ModelUnavailable(reason)
        self._intact = self._intact or await asyncio.to_thread(weights.is_intact, self._models_dir)
        if not self._intact:
            raise ModelUnavailable("The offline model's file is damaged. Run: sidekeep model get")
        self._child = child = await OfflineChild.start(self._models_dir, window)
        self._watching = asyncio.create_task(self._watch(child))
        return child

    async def _stop(self) -> None:
        child, self._child = self._child, None
        watching, self._watching = self._watching, None
        if watching is not None and watching is not asyncio.current_task():
            watching.cancel()
        if child is not None:
            await child.end()

    async def _watch(self, child: OfflineChild) -> None:
        """Stop the child when it has been idle for long enough."""
        seen: list[Slot] | None = None
        while child.alive:
            await asyncio.sleep(min(max(self.idle_s / 5, _MIN_POLL_S), _MAX_POLL_S))
            before, seen = seen, await self._slots(child)
            if seen is None or (before is not None and seen != before) or any(busy for _, busy in seen):
                self._last_used_s = self._clock()
            async with self._changing:
                if self._child is child and self._clock() - self._last_used_s >= self.idle_s:
                    await self._stop()

    async def _slots(self, child: OfflineChild) -> list[Slot] | None:
        """What the server works at; a changed task means a request since the last look. None: too busy to say."""
        url = child.endpoint.base_url.removesuffix("/v1") + "/slots"
        try:
            async with self._http.request("GET", url, child.endpoint, wait_s=_POLL_WAIT_S) as answer:
                slots = json.loads(await answer.body())
            return [(slot.get("id_task"), slot["is_processing"]) for slot in slots]
        except ProviderFailed:
            return None  # it answers between two batches of a prompt only; where it has died, `alive` tells
        except (ValueError, TypeError, KeyError, AttributeError):
            return None  # half an answer, or an error of its own: this watch must not end, or the child never would


def _window(asked: int | None) -> int:
    """The window llama.cpp would make of it; else a child would never be the one that is wanted."""
    limit = weights.SMOLLM2.context_tokens
    blocks = -(-(asked or limit) // _BLOCK_TOKENS)
    return min(limit, max(1, blocks) * _BLOCK_TOKENS)
