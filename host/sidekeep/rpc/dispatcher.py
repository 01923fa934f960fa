"""From a message to its reply: decode, find the method, check the parameters, run on its lane, answer.

The only place where an exception becomes a wire error.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from sidekeep import logs
from sidekeep.errors import Cancelled, InvalidRequest, MethodNotFound, SidekeepError, StoreBusy
from sidekeep.rpc import envelope
from sidekeep.rpc.envelope import MessageId, Request
from sidekeep.rpc.lane import OrderedLane
from sidekeep.rpc.method import Handler, Method
from sidekeep.rpc.tasks import TaskLoop

if TYPE_CHECKING:
    from concurrent.futures import Future  # imports logging: not before the first task

# A larger message goes to the lane's thread: writing its pictures would keep the reader from seeing the end of input.
INLINE_MAX_BYTES = 1_048_576


class Dispatcher:
    """Serves one connection. `receive` belongs to the reader thread."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        context: Any,
        *,
        send: Callable[[bytes], None],
        join_part: Callable[[object], bytes | None],
        drop_stream: Callable[[str], None],
        is_greeted: Callable[[], bool],
        lane: OrderedLane,
        tasks: TaskLoop,
    ) -> None:
        self._methods = methods
        self._context = context
        self._send = send
        self._join_part = join_part
        self._drop_stream = drop_stream
        self._is_greeted = is_greeted
        self._lane = lane
        self._tasks = tasks
        self._handlers: dict[str, Handler] = {}
        self._in_flight: dict[MessageId, Future[None]] = {}

    def receive(self, raw: bytes) -> None:
        """Take the JSON of one message. Never raises but for a closed connection."""
        try:
            message = envelope.read(envelope.decode(raw), len(raw))
            if isinstance(message, envelope.Part):
                whole = self._join_part(message.part)
                if whole is not None:
                    self.receive(whole)
                return
        except envelope.BadEnvelope as exc:
            self._send(envelope.error(exc.message_id, exc))
            return
        except SidekeepError as exc:
            self._send(envelope.error(None, exc))
            return
        if message.method.startswith("$/"):
            self._receive_control(message)
        else:
            self._receive_request(message)

    def _receive_request(self, request: Request) -> None:
        method = self._methods.get(request.method)
        if method is None:
            self._fail(
                request, MethodNotFound(f"There is no method {request.method[:100]!r} in this version of the host.")
            )
        elif method.needs_hello and not self._is_greeted():
            self._fail(request, InvalidRequest("The first request of a connection is hello."))
        elif method.lane == "direct":
            self._answer(request, method, last_try=True)
        elif method.lane == "ordered":
            inline = request.size <= INLINE_MAX_BYTES
            self._lane.submit(partial(self._answer, request, method), inline=inline)
        else:
            self._start_task(request, method)

    def _receive_control(self, request: Request) -> None:
        """`$/…`: may come as a notification, which is never answered."""
        if request.method == "$/cancelRequest":
            future = self._in_flight.get(_hashable(request.params.get("id")))
            if future is not None:
                future.cancel()
        elif request.method == "$/cancelStream":
            self._drop_stream(str(request.params.get("stream", "")))
        elif request.id is not None:
            self._fail(
                request, MethodNotFound(f"There is no method {request.method[:100]!r} in this version of the host.")
            )
            return
        if request.id is not None:
            self._send(envelope.result(request.id, {}))

    def _answer(self, request: Request, method: Method, *, last_try: bool) -> None:
        try:
            handler = self._handler(request.method, method)
            value = handler.handle(self._context, handler.parse(request.params))
        except StoreBusy as exc:
            if not last_try:
                raise
            self._fail(request, exc)
        except SidekeepError as exc:
            self._fail(request, exc)
        except Exception as exc:
            self._fail(request, _unexpected(request.method, exc))
        else:
            self._reply(request, value)

    def _start_task(self, request: Request, method: Method) -> None:
        answered = threading.Event()
        future = self._tasks.start(self._run_task(request, method, answered))
        if request.id is not None:
            self._in_flight[request.id] = future
            future.add_done_callback(lambda done: self._finish_task(request, done, answered))

    async def _run_task(self, request: Request, method: Method, answered: threading.Event) -> None:
        failure: SidekeepError | None = None
        value = None
        try:
            handler = self._handler(request.method, method)
            value = await handler.handle(self._context, handler.parse(request.params))
        except SidekeepError as exc:
            failure = exc
        except Exception as exc:
            failure = _unexpected(request.method, exc)
        answered.set()  # from here on a cancellation comes too late
        if failure is not None:
            self._fail(request, failure)
        else:
            self._reply(request, value)

    def _finish_task(self, request: Request, done: Future[None], answered: threading.Event) -> None:
        if request.id is not None and self._in_flight.get(request.id) is done:
            del self._in_flight[request.id]
        if done.cancelled():
            if not answered.is_set():
                self._fail(request, Cancelled("The request was cancelled."))
            return
        try:
            done.result()
        except Exception as exc:
            logs.info("a reply to %s could not be sent: %s", request.method, type(exc).__name__)

    def _handler(self, name: str, method: Method) -> Handler:
        handler = self._handlers.get(name)
        if handler is None:
            handler = self._handlers[name] = method.resolve()
        return handler

    def _reply(self, request: Request, value: Any) -> None:
        if request.id is None:
            return
        try:
            raw = envelope.result(request.id, value)
        except TypeError as exc:  # a frame that is not JSON would be dropped silently and the caller would wait
            self._fail(request, _unexpected(request.method, exc))
        else:
            self._send(raw)

    def _fail(self, request: Request, exc: SidekeepError) -> None:
        if request.id is not None:
            self._send(envelope.error(request.id, exc))


def _hashable(value: object) -> MessageId:
    return value if isinstance(value, (str, int)) else ""


def _unexpected(method: str, exc: BaseException) -> SidekeepError:
    entry = logs.unexpected(method, exc)
    return SidekeepError(f"Something unexpected happened in {method}. The host's log has it under {entry}.", log=entry)
