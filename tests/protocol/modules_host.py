"""A host that tells which modules it has imported so far, and is otherwise what a browser starts."""

import sys


def main() -> int:
    """What `sidekeep.__main__` does, with one method more."""
    from sidekeep.transport.stdio import Stdio

    stdio = Stdio.claim()
    from sidekeep.app import serve
    from sidekeep.handlers.table import TABLE
    from sidekeep.rpc.method import Handler, Method

    handler = Handler(lambda params: params, lambda _context, _params: {"modules": sorted(sys.modules)})
    return serve(stdio, origin=sys.argv[1], table={**TABLE, "test.modules": Method("direct", lambda: handler)})


if __name__ == "__main__":
    sys.exit(main())
