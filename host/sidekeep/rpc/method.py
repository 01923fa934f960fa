"""What the dispatcher knows of a method."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

Lane = Literal["direct", "ordered", "task"]


class Handler(NamedTuple):
    """`parse` checks parameters (raises InvalidParams); `handle` takes the context and what `parse` returned.

    On the lanes direct and ordered `handle` returns the result, on task it is a coroutine function. A result is anything
    orjson writes; orjson.Fragment carries stored JSON through untouched.
    """

    parse: Callable[[dict[str, Any]], Any]
    handle: Callable[[Any, Any], Any]


class Method(NamedTuple):
    """A row of the method table: on which lane it runs, and how its handler is found when it is first called.

    direct: on the reader thread, at once, whatever else waits (ping, hello). ordered: in order of arrival, inline while nothing
    waits. task: on the event loop, answered whenever it is done, cancellable.
    """

    lane: Lane
    resolve: Callable[[], Handler]
    needs_hello: bool = True
