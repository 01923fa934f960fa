"""Several hosts that append to one store at the same time."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tests.support.host import RunningHost


def append_at_once(home: Path, *, hosts: int, each: int) -> list[str]:
    """Let `hosts` hosts of one profile append `each` messages, all in flight at once.

    Returns the ids of what the store has in the end. Raises WireError where an append was refused.
    """
    with ExitStack() as stack:
        running = [stack.enter_context(RunningHost(home)) for _ in range(hosts)]
        for host in running:
            host.hello()
            host.request("storage.watch", keys=["history"], values=False)
            host.request("settings.set", settings={"limits.messages": 0})
        with ThreadPoolExecutor(hosts) as pool:
            for _ in pool.map(lambda numbered: _append(numbered[1], f"host {numbered[0]}", each), enumerate(running)):
                pass
        messages = running[0].request("history.get", pixels="none")["messages"]
        return [message["id"] for message in messages]


def _append(host: RunningHost, name: str, count: int) -> None:
    numbers = [
        host.start("history.append", message={"id": f"{name}, {number}", "role": "user", "content": "x"})
        for number in range(count)
    ]
    for number in numbers:
        host.result(number)
