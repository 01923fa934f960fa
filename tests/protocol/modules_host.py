"""A host that tells which modules it has imported so far, and is otherwise what a browser starts."""

import gc
import sys
from typing import Any


def main() -> int:
    """What `sidekeep.__main__` does, with one method more."""
    from sidekeep.transport.stdio import Stdio

    stdio = Stdio.claim()
    gc.disable()
    from sidekeep.app import serve
    from sidekeep.handlers import life
    from sidekeep.handlers.context import Context
    from sidekeep.handlers.table import TABLE
    from sidekeep.rpc.method import Handler, Method

    at_hello: list[str] = []

    def hello(context: Context, params: dict[str, Any]) -> dict[str, Any]:
        reply = life.hello(context, params)
        at_hello.extend(sorted(sys.modules))
        return reply

    def modules(_context: Context, _params: dict[str, Any]) -> dict[str, Any]:
        return {"at_hello": at_hello, "modules": sorted(sys.modules), "collects": gc.isenabled()}

    first = Handler(life.parse_hello, hello)
    second = Handler(lambda params: params, modules)
    table = {
        **TABLE,
        "hello": Method("direct", lambda: first, needs_hello=False),
        "test.modules": Method("direct", lambda: second),
    }
    return serve(stdio, origin=sys.argv[1], table=table)


if __name__ == "__main__":
    sys.exit(main())
