"""The event loop for what takes time: started when needed, left when it must be."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from tests.support.loops import stop

from sidekeep.rpc.tasks import TaskLoop

WAIT_S = 10


@pytest.fixture
def tasks() -> Iterator[TaskLoop]:
    made = TaskLoop()
    yield made
    stop(made)


async def _note(done: threading.Event) -> None:
    done.set()


def test_nothing_is_started_before_the_first_task(tasks: TaskLoop) -> None:
    done = threading.Event()
    assert not tasks.started
    tasks.call(lambda: _note(done), WAIT_S)
    assert not done.is_set(), "a call at the end of a connection that never had a task does nothing"
    assert not tasks.started


def test_a_task_runs_on_a_thread_of_its_own(tasks: TaskLoop) -> None:
    threads: list[int] = []

    async def note() -> None:
        threads.append(threading.get_ident())

    tasks.start(note()).result(WAIT_S)
    tasks.start(note()).result(WAIT_S)
    assert tasks.started
    assert threads[0] == threads[1] != threading.get_ident()


def test_a_call_waits_for_its_end(tasks: TaskLoop) -> None:
    done = threading.Event()
    tasks.start(_note(threading.Event())).result(WAIT_S)
    tasks.call(lambda: _note(done), WAIT_S)
    assert done.is_set()


def test_a_call_that_takes_too_long_is_left_and_cancelled(tasks: TaskLoop) -> None:
    cancelled = threading.Event()
    tasks.start(_note(threading.Event())).result(WAIT_S)

    async def hang() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    caller = threading.Thread(target=tasks.call, args=(hang, 0.1), daemon=True)
    caller.start()
    caller.join(WAIT_S)
    assert not caller.is_alive()
    assert cancelled.wait(WAIT_S)
