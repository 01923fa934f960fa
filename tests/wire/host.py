"""A host whose method table has a few methods more: what the wire cases ask for and no person needs.

Started like `sidekeep`, with the same arguments; only the table differs.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LOCK_HOLDER = (
    "import sys, apsw\n"
    "connection = apsw.Connection(sys.argv[1])\n"
    "connection.execute('BEGIN EXCLUSIVE')\n"
    "print('held', flush=True)\n"
    "sys.stdin.read()\n"  # until the host that asked for it is gone
)


async def slow(_context: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Takes `ms`, unless it is cancelled."""
    await asyncio.sleep(params["ms"] / 1000)
    return {}


async def stream(context: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Sends so many notifications, letting other requests between."""
    for number in range(params["frames"]):
        context.notify("test.tick", {"number": number, "text": "…" * 20})
        await asyncio.sleep(0)
    return {}


def big_reply(context: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Sends `bytes` of `fill`. They go as a notification: the runner reads no parts, and knows a reply by its id."""
    context.notify("test.big", {"text": params["fill"] * (params["bytes"] // len(params["fill"].encode()))})
    return {}


def stray_print(_context: Any, _params: Mapping[str, Any]) -> dict[str, Any]:
    """Writes to stdout in every way that a library, or a library's child, could."""
    print("Hello from a library", flush=True)
    os.write(1, b"Hell from below Python\n")
    subprocess.run(["echo", "Hello from a child"], check=True)
    return {}


async def write_store(_context: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Lets so many hosts append to one store at once, and counts what is there afterwards."""
    from tests.support.appenders import append_at_once

    home = Path(os.environ["SIDEKEEP_HOME"])
    ids = await asyncio.to_thread(append_at_once, home, hosts=params["parallel_hosts"], each=params["writes_each"])
    assert len(ids) == params["parallel_hosts"] * params["writes_each"]
    return {"stored": len(ids)}


def read_store(context: Any, _params: Mapping[str, Any]) -> dict[str, Any]:
    context.greet("", incognito=False)
    return {"keys": context.services.area.keys(context.scope)}


def hold_store_lock(context: Any, _params: Mapping[str, Any]) -> dict[str, Any]:
    """Lets another process lock the store until this host ends. Returns when it is locked."""
    context.greet("", incognito=False)
    holder = subprocess.Popen(
        [
            os.environ.get("SIDEKEEP_TEST_PYTHON", sys.executable),
            "-c",
            LOCK_HOLDER,
            str(context.services.database.path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    _holders.append(holder)
    return {}


_holders: list[subprocess.Popen[bytes]] = []


def main() -> int:
    """What `sidekeep` does, with the test methods in the table."""
    from sidekeep.__main__ import ORIGIN_PREFIX
    from sidekeep.__main__ import main as real_main
    from sidekeep.transport.stdio import Stdio

    if not sys.argv[1:] or not sys.argv[1].startswith(ORIGIN_PREFIX):
        return real_main()
    stdio = Stdio.claim()
    from sidekeep.app import serve
    from sidekeep.handlers.table import TABLE
    from sidekeep.rpc.method import Handler, Lane, Method

    def row(lane: Lane, handle: Any) -> Method:
        handler = Handler(lambda params: params, handle)
        return Method(lane, lambda: handler, needs_hello=False)

    table = {
        **TABLE,
        "test.slow": row("task", slow),
        "test.stream": row("task", stream),
        "test.bigReply": row("ordered", big_reply),
        "test.strayPrint": row("ordered", stray_print),
        "test.writeStore": row("task", write_store),
        "test.readStore": row("direct", read_store),
        "test.holdStoreLock": row("direct", hold_store_lock),
    }
    return serve(stdio, origin=sys.argv[1], table=table)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
