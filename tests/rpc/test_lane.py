"""The ordered lane: first in, first out, inline while nothing waits."""

import threading
import weakref
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.errors import StoreBusy
from sidekeep.rpc.lane import OrderedLane

WAIT_S = 10


class Recorder:
    """Jobs that note their name and thread; one may meet a lock at its first try, or wait for a gate."""

    def __init__(self) -> None:
        self.done: list[tuple[object, bool]] = []
        self._reader = threading.get_ident()

    def job(self, name: object, *, busy: bool = False, gate: threading.Event | None = None) -> Callable[..., None]:
        def run(*, last_try: bool) -> None:
            if busy and not last_try:
                raise StoreBusy("locked")
            if gate is not None:
                assert gate.wait(WAIT_S)
            self.done.append((name, threading.get_ident() == self._reader))

        return run

    @property
    def names(self) -> list[object]:
        return [name for name, _ in self.done]


def test_a_job_runs_at_once_on_the_submitting_thread_while_nothing_waits() -> None:
    lane, recorder = OrderedLane(), Recorder()
    lane.submit(recorder.job("a"), inline=True)
    lane.submit(recorder.job("b"), inline=True)
    assert recorder.done == [("a", True), ("b", True)]


def test_a_job_that_meets_a_lock_is_tried_again_elsewhere_and_later_ones_wait_for_it() -> None:
    lane, recorder, gate = OrderedLane(), Recorder(), threading.Event()
    lane.submit(recorder.job("a", busy=True, gate=gate), inline=True)
    lane.submit(recorder.job("b"), inline=True)
    assert recorder.done == []
    gate.set()
    assert lane.close(WAIT_S)
    assert recorder.done == [("a", False), ("b", False)]


def test_a_large_job_does_not_run_on_the_reader() -> None:
    lane, recorder = OrderedLane(), Recorder()
    lane.submit(recorder.job("a"), inline=False)
    assert lane.close(WAIT_S)
    assert recorder.done == [("a", False)]


def test_when_the_lane_is_empty_again_jobs_run_inline_again() -> None:
    lane, recorder = OrderedLane(), Recorder()
    lane.submit(recorder.job("a"), inline=False)
    _wait_until(lambda: recorder.names == ["a"])
    _wait_until(lane._is_free)
    lane.submit(recorder.job("b"), inline=True)
    assert recorder.done[-1] == ("b", True)


@given(jobs=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
def test_the_order_is_kept_whatever_is_handed_over(jobs: list[tuple[bool, bool]]) -> None:
    lane, recorder = OrderedLane(), Recorder()
    for number, (busy, inline) in enumerate(jobs):
        lane.submit(recorder.job(number, busy=busy), inline=inline)
    assert lane.close(WAIT_S)
    assert recorder.names == list(range(len(jobs)))


def test_closing_does_not_wait_for_ever() -> None:
    lane, recorder, gate = OrderedLane(), Recorder(), threading.Event()
    lane.submit(recorder.job("a", gate=gate), inline=False)
    assert not lane.close(0.05)
    gate.set()


def test_closing_an_unused_lane_is_at_once() -> None:
    assert OrderedLane().close(0)


def test_an_error_other_than_a_lock_is_the_submitters() -> None:
    def broken(*, last_try: bool) -> None:
        raise ZeroDivisionError

    lane, recorder = OrderedLane(), Recorder()
    with pytest.raises(ZeroDivisionError):
        lane.submit(broken, inline=True)
    lane.submit(recorder.job("a"), inline=True)
    assert recorder.names == ["a"]


def _wait_until(condition: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(int(WAIT_S / 0.005)):
        if condition():
            return
        waiting.wait(0.005)
    pytest.fail("it did not come to pass in time")


def test_the_lanes_thread_rests_once_nothing_is_left_and_holds_no_jobs_message() -> None:
    rested: list[list[object]] = []
    recorder, gate = Recorder(), threading.Event()
    lane = OrderedLane(rest=lambda: rested.append(recorder.names))
    first = recorder.job("a", gate=gate)
    held = weakref.ref(first)
    lane.submit(first, inline=False)
    del first
    lane.submit(recorder.job("b"), inline=False)
    gate.set()
    assert lane.close(WAIT_S)
    assert rested == [["a", "b"]]
    assert held() is None
