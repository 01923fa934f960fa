"""From a message to its reply, and the one place where an exception becomes a wire error."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from tests.support.loops import stop

from sidekeep import errors
from sidekeep.errors import InvalidParams, ProviderFailed, RequestRefused, SettingsInvalid, SidekeepError, StoreBusy
from sidekeep.rpc.dispatcher import Dispatcher
from sidekeep.rpc.lane import OrderedLane
from sidekeep.rpc.method import Handler, Lane, Method
from sidekeep.rpc.tasks import TaskLoop
from sidekeep.transport.parts import PartAssembler

WAIT_S = 10
SECRET = "somebody's text"


class Bench:
    """A dispatcher with methods of the test's own; what it sends is kept."""

    def __init__(self) -> None:
        self.greeted = True
        self.methods: dict[str, Method] = {}
        self._sent: list[dict[str, Any]] = []
        self._news = threading.Condition()
        self.lane = OrderedLane()
        self.tasks = TaskLoop()
        assembler = PartAssembler()
        self._dispatcher = Dispatcher(
            self.methods,
            "context",
            send=self._send,
            join_part=assembler.feed,
            drop_stream=assembler.drop,
            is_greeted=lambda: self.greeted,
            lane=self.lane,
            tasks=self.tasks,
        )

    def add(self, name: str, handle: Any, *, lane: Lane = "ordered", needs_hello: bool = True) -> None:
        handler = Handler(lambda params: params, handle)
        self.methods[name] = Method(lane, lambda: handler, needs_hello)

    def receive(self, message: object) -> None:
        self._dispatcher.receive(message if isinstance(message, bytes) else orjson.dumps(message))

    def call(self, method: str, message_id: object = 1, **params: Any) -> dict[str, Any]:
        """Send a request and wait for the message that answers it."""
        before = len(self._sent)
        self.receive({"jsonrpc": "2.0", "id": message_id, "method": method, "params": params})
        return self.sent(before + 1)[before]

    def sent(self, count: int = 0) -> list[dict[str, Any]]:
        """What was sent, when it is at least so many messages."""
        with self._news:
            assert self._news.wait_for(lambda: len(self._sent) >= count, WAIT_S)
            return list(self._sent)

    def _send(self, message: bytes) -> None:
        with self._news:
            self._sent.append(orjson.loads(message))
            self._news.notify_all()


@pytest.fixture
def bench(log: Callable[[], str]) -> Iterator[Bench]:
    made = Bench()
    yield made
    stop(made.tasks)


def _raiser(exc: BaseException) -> Callable[[Any, Any], Any]:
    def handle(_context: Any, _params: Any) -> Any:
        raise exc

    return handle


def _task(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    async def handle(context: Any, params: Any) -> Any:
        await asyncio.sleep(0)
        return function(context, params)

    return handle


LANES: tuple[Lane, ...] = ("direct", "ordered", "task")
lanes = pytest.mark.parametrize("lane", LANES)


def _add(bench: Bench, lane: Lane, function: Callable[[Any, Any], Any]) -> None:
    bench.add("m", _task(function) if lane == "task" else function, lane=lane)


@lanes
def test_a_request_is_answered_with_its_result(bench: Bench, lane: Lane) -> None:
    _add(bench, lane, lambda context, params: {"got": params, "context": context})
    assert bench.call("m", "id", x=1) == {
        "jsonrpc": "2.0",
        "id": "id",
        "result": {"got": {"x": 1}, "context": "context"},
    }


def _every_error() -> list[SidekeepError]:
    kinds = [found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, SidekeepError)]
    return [_made(kind) for kind in kinds]


def _made(kind: type[SidekeepError]) -> SidekeepError:
    if kind is ProviderFailed:
        return ProviderFailed("a sentence", verdict="other")
    if kind is SettingsInvalid:
        return SettingsInvalid("settings.toml", [(3, "a sentence")])
    if kind is RequestRefused:
        return RequestRefused("a sentence", reason="no_budget")
    return kind("a sentence")


@lanes
@pytest.mark.parametrize("exc", _every_error(), ids=lambda exc: type(exc).__name__)
def test_every_exception_of_ours_has_its_code_and_kind(bench: Bench, lane: Lane, exc: SidekeepError) -> None:
    _add(bench, lane, _raiser(exc))
    error = bench.call("m")["error"]
    assert (error["code"], error["data"]["kind"], error["message"]) == (type(exc).code, type(exc).kind, exc.message)


@lanes
def test_an_unexpected_exception_is_internal_and_says_nothing_of_itself(
    bench: Bench, lane: Lane, log: Callable[[], str]
) -> None:
    _add(bench, lane, _raiser(ZeroDivisionError(SECRET)))
    error = bench.call("m")["error"]
    assert (error["code"], error["data"]["kind"]) == (-32603, "internal")
    assert SECRET not in repr(error)
    assert "Traceback" not in repr(error)
    assert error["data"]["log"] in log()
    assert "ZeroDivisionError" in log()
    assert SECRET not in log()


@lanes
def test_a_result_that_is_not_json_is_internal(bench: Bench, lane: Lane) -> None:
    _add(bench, lane, lambda *_: {"a": object()})
    assert bench.call("m")["error"]["data"]["kind"] == "internal"


def test_the_providers_body_stays_in_the_host(bench: Bench) -> None:
    bench.add("m", _raiser(ProviderFailed("It refused.", verdict="auth", status=401, body=SECRET.encode())))
    error = bench.call("m")["error"]
    assert error["data"] == {"kind": "provider_failed", "verdict": "auth", "status": 401, "provider_message": ""}


def test_bad_params_say_where(bench: Bench) -> None:
    def refuse(_: Any) -> Any:
        raise InvalidParams.at("a.b", "is odd")

    handler = Handler(refuse, lambda *_: {})
    bench.methods["m"] = Method("direct", lambda: handler)
    assert bench.call("m")["error"]["data"] == {"kind": "invalid_params", "errors": [{"loc": "a.b", "msg": "is odd"}]}


def test_an_unknown_method_is_not_found(bench: Bench) -> None:
    assert bench.call("no.such")["error"]["code"] == -32601
    assert bench.call("$/unknown")["error"]["code"] == -32601


def test_before_hello_only_what_needs_none_is_answered(bench: Bench) -> None:
    bench.greeted = False
    bench.add("m", lambda *_: {})
    bench.add("ping", lambda *_: {}, lane="direct", needs_hello=False)
    assert bench.call("m")["error"]["code"] == -32600
    assert bench.call("ping")["result"] == {}


@pytest.mark.parametrize(
    ("raw", "code", "message_id"),
    [
        (b"{", -32700, None),
        (b"\xff", -32700, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc":"2.0","id":5,"method":7}', -32600, 5),
        (b'{"jsonrpc":"2.0","method":"m"}', -32600, None),
    ],
)
def test_what_is_no_request_is_one_error_and_serving_goes_on(
    bench: Bench, raw: bytes, code: int, message_id: int | None
) -> None:
    bench.add("m", lambda *_: {})
    bench.receive(raw)
    (reply,) = bench.sent(1)
    assert (reply["error"]["code"], reply["id"]) == (code, message_id)
    assert bench.call("m")["result"] == {}


def test_a_message_in_parts_is_served_and_a_broken_stream_is_one_error(bench: Bench) -> None:
    bench.add("m", lambda _, params: params)
    text = '{"jsonrpc":"2.0","id":9,"method":"m","params":{"x":"é"}}'
    for seq, piece in enumerate((text[:20], text[20:])):
        bench.receive({"jsonrpc": "2.0", "part": {"stream": "a", "seq": seq, "last": seq == 1, "text": piece}})
    assert bench.sent(1) == [{"jsonrpc": "2.0", "id": 9, "result": {"x": "é"}}]
    bench.receive({"jsonrpc": "2.0", "part": {"stream": "b", "seq": 4, "last": True, "text": ""}})
    error = bench.sent(2)[1]
    assert (error["id"], error["error"]["data"]["stream"]) == (None, "b")


def test_a_stream_that_was_cancelled_is_forgotten(bench: Bench) -> None:
    bench.receive({"jsonrpc": "2.0", "part": {"stream": "a", "seq": 0, "last": False, "text": "{"}})
    bench.receive({"jsonrpc": "2.0", "method": "$/cancelStream", "params": {"stream": "a"}})
    bench.receive({"jsonrpc": "2.0", "part": {"stream": "a", "seq": 0, "last": True, "text": "["}})
    assert [message["error"]["code"] for message in bench.sent(1)] == [-32700]


def test_a_task_can_be_cancelled(bench: Bench) -> None:
    started, stopped = threading.Event(), threading.Event()

    async def wait(_context: Any, _params: Any) -> Any:
        started.set()
        try:
            await asyncio.sleep(WAIT_S)
        finally:
            stopped.set()

    bench.add("wait", wait, lane="task")
    bench.receive({"jsonrpc": "2.0", "id": "w", "method": "wait"})
    assert started.wait(WAIT_S)
    bench.receive({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "w"}})
    (reply,) = bench.sent(1)
    assert (reply["id"], reply["error"]["code"]) == ("w", -32011)
    assert stopped.wait(WAIT_S)


@pytest.mark.parametrize("target", [None, True, [], {}, "nobody", 99])
def test_cancelling_what_does_not_run_is_quiet(bench: Bench, target: Any) -> None:
    bench.add("m", lambda *_: {})
    bench.receive({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": target}})
    bench.receive({"jsonrpc": "2.0", "id": 3, "method": "$/cancelRequest", "params": {"id": target}})
    assert bench.sent(1) == [{"jsonrpc": "2.0", "id": 3, "result": {}}]


def test_a_busy_store_sends_a_request_to_the_lane_where_it_is_tried_once_more(bench: Bench) -> None:
    threads: list[int] = []

    def busy_at_first(_context: Any, _params: Any) -> Any:
        threads.append(threading.get_ident())
        if len(threads) == 1:
            raise StoreBusy("locked")
        return {}

    bench.add("m", busy_at_first)
    assert bench.call("m")["result"] == {}
    assert threads[0] == threading.get_ident() != threads[1]


def test_a_store_that_stays_busy_is_an_answer(bench: Bench) -> None:
    bench.add("m", _raiser(StoreBusy("locked")))
    assert bench.call("m")["error"]["code"] == -32012


def test_direct_requests_do_not_wait_for_the_lane(bench: Bench) -> None:
    gate = threading.Event()
    tries: list[int] = []

    def waits(_context: Any, _params: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise StoreBusy("locked")
        assert gate.wait(WAIT_S)
        return {}

    bench.add("slow", waits)
    bench.add("next", lambda *_: {})
    bench.add("ping", lambda *_: {}, lane="direct")
    for message_id, method in enumerate(("slow", "next", "ping")):
        bench.receive({"jsonrpc": "2.0", "id": message_id, "method": method})
    assert [message["id"] for message in bench.sent(1)] == [2]
    gate.set()
    assert [message["id"] for message in bench.sent(3)] == [2, 0, 1]


def test_a_handler_is_looked_up_once(bench: Bench) -> None:
    looked_up: list[int] = []

    def resolve() -> Handler:
        looked_up.append(1)
        return Handler(lambda params: params, lambda *_: {})

    bench.methods["m"] = Method("direct", resolve)
    bench.call("m")
    bench.call("m")
    assert len(looked_up) == 1
