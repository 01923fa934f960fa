"""Messages that no browser sends, in the millions: every one is answered with JSON, or told off with JSON, and nothing breaks.

Valid requests of every method are changed at random, as values and as bytes, and go the host's own way in this process: frame
parser, parts, envelope, parameters, and some of them handlers, over a store in memory. What asks model servers or the key store
is checked for its parameters only.
"""

import json
import random
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import orjson

from sidekeep.domain.scope import SIDEKEEP
from sidekeep.handlers.context import Context
from sidekeep.handlers.table import TABLE
from sidekeep.protocol import methods
from sidekeep.rpc.dispatcher import Dispatcher
from sidekeep.rpc.lane import OrderedLane
from sidekeep.rpc.method import Handler, Method
from sidekeep.rpc.tasks import TaskLoop
from sidekeep.service.models import Models
from sidekeep.service.services import Services
from sidekeep.settings.model import Settings
from sidekeep.store.database import Database
from sidekeep.transport.framing import FrameParser, FrameTooLong
from sidekeep.transport.parts import PartAssembler, split
from tasks.torture.fault import Outcome, Wish

INPUTS_A_STORE = 5000
# Of the inputs so many are carried out; the others are answered once their parameters were found good.
CALLED_SHARE = 0.1
HANGS_AFTER_S = 20.0
_LENGTH = struct.Struct("=I")
_TEXTS = (
    "",
    "a",
    "id",
    "\0",
    "\ud800",
    "\u2028",
    "x" * 3000,
    "🎉",
    "../../etc/passwd",
    "session_1",
    "history",
    "%s",
    "'; --",
)
_NUMBERS = (0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 10**40, 0.5, -0.0, 1e308)
_PIXEL = "data:image/png;base64,iVBORw0KGgo="


def run(wish: Wish) -> Outcome:
    """Give the host `wish.size` inputs."""
    rng = random.Random(wish.seed)
    outcome = Outcome("fuzz", wish.seed)
    done = 0
    with tempfile.TemporaryDirectory(prefix="sidekeep-torture-") as folder:
        while done < wish.size and wish.has_time:
            checked, called = Target(Path(folder), outcome, calls=False), Target(Path(folder), outcome, calls=True)
            for _ in range(min(INPUTS_A_STORE, wish.size - done)):
                (called if rng.random() < CALLED_SHARE else checked).take(made(rng), rng)
                done += 1
            for target in (checked, called):
                target.close()
    outcome.counts["inputs"] = done
    return outcome


class Target:
    """One connection of the host without its process; `calls`: what is asked for is done."""

    def __init__(self, home: Path, outcome: Outcome, *, calls: bool) -> None:
        self._outcome = outcome
        self._database = Database(None)
        services = Services(self._database, home, Models(home, Settings()))
        context = Context(SIDEKEEP, open_store=lambda: services, notify=lambda *_: None)
        assembler = PartAssembler()
        self._dispatcher = Dispatcher(
            _called() if calls else {name: _only_checked(method) for name, method in TABLE.items()},
            context,
            send=self._check,
            join_part=assembler.feed,
            drop_stream=assembler.drop,
            is_greeted=lambda: context.greeted,
            lane=OrderedLane(),
            tasks=TaskLoop(),
        )
        hello = {"client": "fuzz", "version": "0", "protocol": 1, "profile": "p"}
        self._dispatcher.receive(orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": hello}))

    def take(self, data: bytes, rng: random.Random) -> None:
        """Bytes as they come from a pipe, cut anywhere."""
        started = time.monotonic()
        parser = FrameParser()
        cut = rng.randrange(len(data) + 1)
        try:
            for piece in (data[:cut], data[cut:]):
                for frame in parser.feed(piece):
                    self._dispatcher.receive(frame)
        except FrameTooLong:
            self._outcome.count("connections ended")
        except Exception as exc:
            self._outcome.find(f"{type(exc).__name__} at {data[:200]!r}")
        if time.monotonic() - started > HANGS_AFTER_S:
            self._outcome.find(f"took {time.monotonic() - started:.0f} s: {data[:200]!r}")

    def close(self) -> None:
        self._database.close()

    def _check(self, message: bytes) -> None:
        value = orjson.loads(message)
        kind = value["error"]["data"]["kind"] if "error" in value else "result"
        self._outcome.count(f"answered {kind}")
        if kind in ("internal", "busy", "storage_failed"):
            self._outcome.find(f"{kind}: {value['error']['message'].partition('. The host')[0]}")


def _called() -> dict[str, Method]:
    """What is carried out: what only needs the store."""
    return {name: method for name, method in TABLE.items() if method.lane != "task"}


def _only_checked(method: Method) -> Method:
    """The same parameters, and no work. hello and ping stay what they are."""
    if method.lane == "direct":
        return method
    return Method("ordered", lambda: Handler(method.resolve().parse, lambda *_: {}))


def made(rng: random.Random) -> bytes:
    """One input: frames of a request, changed somewhere."""
    name = rng.choice(tuple(methods.METHODS))
    params = params_of(rng, name)
    if rng.random() < 0.7:
        params = changed(rng, params)
    message: Any = {"jsonrpc": "2.0", "id": rng.choice((1, "a", 2**53)), "method": name, "params": params}
    if rng.random() < 0.1:
        message = changed(rng, message)
    text = json.dumps(message, ensure_ascii=rng.random() < 0.8).encode("utf-8", "replace")
    way = rng.random()
    if way < 0.15:
        size = rng.choice((7, 40, 200)) if len(text) < 3000 else 1000
        pieces = [_changed_part(rng, piece) for piece in split(text, size)]
    else:
        pieces = [_damaged(rng, text) if way < 0.35 else text]
    framed = b"".join(_LENGTH.pack(len(piece)) + piece for piece in pieces)
    return _damaged(rng, framed) if rng.random() < 0.1 else framed


def params_of(rng: random.Random, name: str) -> dict[str, Any]:
    """Parameters that mostly fit."""
    fields = methods.load(methods.METHODS[name].params).model_fields
    return {
        field: _fitting(rng, field, info.annotation)
        for field, info in fields.items()
        if info.is_required() or rng.random() < 0.6
    }


def _fitting(rng: random.Random, name: str, annotation: Any) -> Any:
    known: dict[str, Callable[[], Any]] = {
        "message": lambda: {"id": rng.choice("abc"), "role": "user", "content": rng.choice(["x", [_image(), _said()]])},
        "items": lambda: {rng.choice((*_TEXTS[1:], "providers", "savedSessions")): _value(rng, 3)},
        "value": lambda: _value(rng, 3),
        "keys": lambda: rng.choice([None, "a", ["a", "history"], {"a": 1}]),
        "settings": lambda: {rng.choice(("limits.chats", "backup.daily", "nonsense")): rng.choice(_NUMBERS[:4])},
        "ids": lambda: [rng.choice(_TEXTS)],
        "pixels": lambda: rng.choice(("full", "thumbnail", "none")),
    }
    if name in known:
        return known[name]()
    said = f"{annotation} {get_args(annotation)}"
    if "bool" in said:
        return rng.random() < 0.5
    return rng.choice(_NUMBERS[:5]) if "int" in said else rng.choice(_TEXTS)


def _image() -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": _PIXEL}}


def _said() -> dict[str, Any]:
    return {"type": "text", "text": "said"}


def _value(rng: random.Random, depth: int) -> Any:
    """Any JSON value."""
    kind = rng.randrange(6 if depth else 4)
    if kind == 0:
        return rng.choice(_TEXTS)
    if kind == 1:
        return rng.choice(_NUMBERS)
    if kind in (2, 3):
        return rng.choice((None, True, False, _PIXEL))
    if kind == 4:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(_TEXTS): _value(rng, depth - 1) for _ in range(rng.randrange(4))}


def changed(rng: random.Random, value: Any) -> Any:
    """The same with one node of it another; now and then nested deeply."""
    if rng.random() < 0.02:
        deep: Any = 1
        for _ in range(rng.choice((100, 260, 900))):
            deep = [deep]
        return deep
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return {**value, key: changed(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], changed(rng, value[at]), *value[at + 1 :]]
    return _value(rng, 2)


def _changed_part(rng: random.Random, piece: bytes) -> bytes:
    if rng.random() < 0.95:
        return piece
    envelope = orjson.loads(piece)
    return json.dumps(changed(rng, envelope)).encode()


def _damaged(rng: random.Random, data: bytes) -> bytes:
    """Bytes of it changed, lost, doubled, or new."""
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(damaged) + 1)
        to = min(len(damaged), at + rng.choice((1, 4, 50)))
        way = rng.randrange(4)
        if way == 0:
            damaged[at:to] = rng.randbytes(to - at)
        elif way == 1:
            del damaged[at:to]
        elif way == 2:
            damaged[at:at] = damaged[at:to]
        else:
            damaged[at:at] = rng.choice((b"\xff", b"\0", b'"', b"{", b"\\ud800", b"\xed\xa0\x80", b"1e999"))
    return bytes(damaged)
