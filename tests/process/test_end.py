"""How a host ends: soon, with status 0, and with what was said in the store."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.model_server import ModelServer
from tests.support.host import RunningHost, frame
from tests.support.turns import ask, ask_halfway, choose, stored_messages
from tests.support.waiting import wait_until

PROMISED_S = 1.5
WAYS: dict[str, Callable[[RunningHost], None]] = {
    "the end of its input": RunningHost.close_input,
    "SIGTERM": RunningHost.terminate,
}
ended_by = pytest.mark.parametrize("way", list(WAYS.values()), ids=list(WAYS))


@ended_by
def test_an_idle_host_ends_within_the_promised_time(host: RunningHost, way: Callable[[RunningHost], None]) -> None:
    ended = host.end(by=lambda: way(host))
    assert ended.status == 0
    assert ended.seconds < PROMISED_S
    assert host.trailing == b""


@ended_by
def test_an_answer_that_is_streaming_is_kept_and_marked(
    home: Path, model: ModelServer, way: Callable[[RunningHost], None]
) -> None:
    with RunningHost(home) as host:
        host.hello()
        choose(host, model)
        ask_halfway(host, model, "What blinks?")
        ended = host.end(by=lambda: way(host))
    assert ended.status == 0
    assert ended.seconds < PROMISED_S
    with RunningHost(home) as later:
        later.hello()
        question, answer = stored_messages(later)
    assert question["content"] == "What blinks?"
    assert answer["content"] == "".join(model.words[:2])
    assert answer["interrupted"] is True


def test_what_was_asked_for_before_the_end_of_input_is_done(home: Path) -> None:
    count = 50  # what a busy machine does within the time that the browser leaves a host
    with RunningHost(home) as host:
        host.hello()
        host.request("storage.watch", keys=["history", "session_*", "savedSessions"], values=False)
        messages = [
            host.numbered("history.append", {"message": {"id": f"m{number}", "role": "user", "content": "x" * 1000}})
            for number in range(count)
        ]
        host.write(b"".join(frame(message) for message in messages))
        assert host.end().status == 0
    with RunningHost(home) as later:
        later.hello()
        assert [message["id"] for message in stored_messages(later)] == [f"m{number}" for number in range(count)]


def test_a_host_whose_model_server_never_answers_ends_all_the_same(host: RunningHost, model: ModelServer) -> None:
    model.words = ["only"]
    choose(host, model)
    model.gate.clear()
    host.request("turn.send", text="Are you there?")
    assert model.halfway.wait(10)
    ended = host.end()
    assert ended.status == 0
    assert ended.seconds < PROMISED_S


def test_a_killed_host_keeps_the_question_and_frees_the_conversation(home: Path, model: ModelServer) -> None:
    with RunningHost(home) as host:
        host.hello()
        choose(host, model)
        ask_halfway(host, model, "Will you die?")
        host.kill()
    model.gate.set()
    with RunningHost(home) as later:
        later.hello()
        assert stored_messages(later)[0]["content"] == "Will you die?"
        assert ask(later, "And now?")["message"]["content"] == model.answer


def test_what_was_acknowledged_survives_sigkill(home: Path) -> None:
    """The host is killed while appends are on their way; the next one has every one that was answered."""
    acknowledged: list[str] = []
    for life in range(3):
        with RunningHost(home) as host:
            host.hello()
            host.request("storage.watch", keys=["history"], values=False)
            numbers = {
                host.start("history.append", message={"id": f"{life}-{n}", "role": "user", "content": "x"}): n
                for n in range(300)
            }
            host.result(list(numbers)[50])
            host.kill()
            replies = {message["id"] for message in host.messages if "result" in message}
            acknowledged += [f"{life}-{n}" for number, n in numbers.items() if number in replies]
    with RunningHost(home) as later:
        later.hello()
        stored = [message["id"] for message in stored_messages(later)]
    assert len(acknowledged) >= 3 * 51
    assert set(acknowledged) <= set(stored)
    assert len(set(stored)) == len(stored)


def test_a_frame_cut_short_is_logged_and_no_fault(host: RunningHost) -> None:
    host.write(frame({"jsonrpc": "2.0", "id": "cut", "method": "ping"})[:-5])
    ended = host.end()
    assert ended.status == 0
    assert "ended inside a frame" in host.log()


def test_what_killed_hosts_leave_in_the_locks_folder_goes_at_the_next_start(home: Path) -> None:
    for _ in range(3):
        with RunningHost(home) as host:
            host.hello()
            host.kill()
    with RunningHost(home) as host:
        host.hello()
        wait_until(lambda: len(list((home / "locks").glob("open-*"))) == 1, "others than its own are there")
