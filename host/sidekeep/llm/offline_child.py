"""The offline model's process, seen from the host: started, told what to serve, ended."""

import asyncio
import json
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from sidekeep.errors import ModelUnavailable
from sidekeep.llm.types import Endpoint
from sidekeep.llm.weights import SMOLLM2, path_of

START_TIMEOUT_S = 60  # a cold disk reads 98 MB for some seconds
STOP_TIMEOUT_S = 1.0
MAX_THREADS = 8  # past that, a model this small only waits for itself

_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0


class OfflineChild:
    """One running child and the endpoint it serves."""

    def __init__(self, process: asyncio.subprocess.Process, endpoint: Endpoint) -> None:
        self._process = process
        self.endpoint = endpoint

    @classmethod
    async def start(cls, models_dir: Path, window: int) -> Self:
        """A child that serves. Raises ModelUnavailable; whatever happens, no process is left behind."""
        key = secrets.token_urlsafe(32)
        process = await _spawn()
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                ready = await _order(process, models_dir, window, key)
        except TimeoutError as exc:
            await _end(process)
            raise _not_started(f"it was not ready after {START_TIMEOUT_S} seconds") from exc
        except BaseException:
            await _end(process)
            raise
        return cls(process, Endpoint("offline", ready["base_url"], SMOLLM2.model, key, window=ready["window"]))

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.returncode is None

    async def end(self) -> None:
        """End the process, at once."""
        await _end(self._process)


async def _spawn() -> asyncio.subprocess.Process:
    """The child, with pipes of its own: it inherits no descriptor of the host's, least of all the browser's."""
    # -P: the browser starts the host in a folder that need not be trusted, and -m would import from there.
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "sidekeep"]
    try:
        return await asyncio.create_subprocess_exec(
            *program,
            "offline-model",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            creationflags=_NO_WINDOW,
        )
    except OSError as exc:
        raise _not_started(exc.strerror or "the system refused") from exc


async def _order(process: asyncio.subprocess.Process, models_dir: Path, window: int, key: str) -> dict[str, Any]:
    """Tell the child what to serve and wait until it does: {base_url, window}."""
    assert process.stdin is not None
    assert process.stdout is not None
    order = {
        "model": str(path_of(models_dir)),
        "alias": SMOLLM2.model,
        "window": window,
        "threads": _threads(),
        "key": key,
    }
    with suppress(ConnectionError):  # it has died already; the empty answer says so
        process.stdin.write(json.dumps(order).encode() + b"\n")
        await process.stdin.drain()
    line = await process.stdout.readline()
    answer: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
    if "base_url" not in answer:
        raise _not_started(answer.get("error") or f"its process ended with status {await process.wait()}")
    return answer


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close the child's stdin, which ends it, and kill it where that does not help."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _threads() -> int:
    """One a core this process may use."""
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(usable, MAX_THREADS)


def _not_started(cause: str) -> ModelUnavailable:
    return ModelUnavailable(f"The offline model could not be started: {cause}. Send again, or choose another model.")
