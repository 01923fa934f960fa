"""However a turn ends (stopped, broken, refused, not to be written), what had come is kept and the conversation is free."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.listening import answered, ask, held, messages_sent, reached
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    live_messages,
    live_texts,
    open_services,
    plain,
)

from sidekeep.domain.scope import Scope
from sidekeep.errors import NotFound, ProviderFailed, StoreFailed
from sidekeep.llm.scripted import Gate, Reply, ScriptedClient, breaks_off, refuses, says
from sidekeep.service.running import TurnDone, TurnFailed
from sidekeep.service.services import Services
from sidekeep.service.turn_store import TurnStore

pytestmark = pytest.mark.anyio
WAIT_S = 10


async def test_a_cancelled_turn_keeps_what_had_come_and_is_done(services: Services, client: ScriptedClient) -> None:
    gate, reply = held("half ", "more")
    client.replies += [reply]
    turn, listener = await ask(services, "?")
    await reached(gate)
    await services.turns.cancel(turn)
    assert isinstance(await listener.end(), TurnDone)
    answer = live_messages(services)[1]
    assert (answer["content"], answer["interrupted"]) == ("half ", True)
    assert reply.dropped.is_set()
    with pytest.raises(NotFound):
        await services.turns.cancel(turn)


async def test_a_turn_cancelled_before_its_first_word_does_not_spoil_the_next_request(
    services: Services, client: ScriptedClient
) -> None:
    gate = Gate()
    client.replies += [Reply((gate,)), says("now")]
    turn, _ = await ask(services, "first")
    await reached(gate)
    await services.turns.cancel(turn)
    await answered(services, "second")
    assert "" not in [message["content"] for message in messages_sent(client)]


async def test_a_broken_answer_is_kept_and_marked(services: Services, client: ScriptedClient) -> None:
    client.replies += [breaks_off("half an ans")]
    failed = await answered(services, "?")
    assert isinstance(failed, TurnFailed)
    assert isinstance(failed.error, ProviderFailed)
    assert failed.message is not None
    answer = live_messages(services)[1]
    assert plain(failed.message) == answer
    assert (answer["content"], answer["interrupted"]) == ("half an ans", True)


async def test_a_refused_request_keeps_the_question_and_adds_no_answer(
    services: Services, client: ScriptedClient
) -> None:
    client.replies += [refuses(404, "no such model"), says("ok")]
    failed = await answered(services, "first")
    assert isinstance(failed, TurnFailed)
    assert failed.message is None
    assert live_texts(services) == ["first"]
    assert isinstance(await answered(services, "second"), TurnDone)


async def test_an_unexpected_error_is_told_without_its_text(
    services: Services, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*_: object) -> None:
        raise RuntimeError("somebody's text")

    monkeypatch.setattr(client, "stream", bug)
    failed = await answered(services, "?")
    assert isinstance(failed, TurnFailed)
    assert "somebody's text" not in failed.error.message
    assert failed.error.data["log"]
    assert live_texts(services) == ["?"]


async def test_stopping_all_keeps_every_answer(services: Services, client: ScriptedClient) -> None:
    (gate, reply), (other_gate, other_reply) = held("a", "b"), held("x", "y")
    client.replies += [reply, other_reply]
    _, first = await ask(services, "one?")
    await reached(gate)
    _, second = await ask(services, "two?", scope=OTHER_PROFILE)
    await reached(other_gate)
    await services.turns.stop_all()
    assert isinstance(await first.end(), TurnDone)
    assert isinstance(await second.end(), TurnDone)
    assert live_texts(services) == ["one?", "a"]
    assert live_texts(services, OTHER_PROFILE) == ["two?", "x"]


async def test_an_answer_that_cannot_be_written_fails_the_turn_and_frees_the_conversation(
    services: Services, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreFailed("The disk is full.")

    client.replies += [says("lost"), says("kept")]
    monkeypatch.setattr(TurnStore, "answer", full)
    failed = await answered(services, "first")
    assert isinstance(failed, TurnFailed)
    assert failed.error.kind == "storage_failed"
    monkeypatch.undo()
    assert isinstance(await answered(services, "second"), TurnDone)
    assert live_texts(services) == ["first", "second", "kept"]


async def test_a_request_given_up_while_the_lock_is_taken_leaves_the_conversation_free(
    tmp_path: Path, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread cannot be stopped: the lock it takes after the request was given up must be let go all the same."""
    client.replies += [says("unheard"), says("ok")]
    taking, go_on = threading.Event(), threading.Event()
    place = TurnStore.place

    def slowly(store: TurnStore, scope: Scope) -> Any:
        taking.set()
        assert go_on.wait(WAIT_S)
        return place(store, scope)

    monkeypatch.setattr(TurnStore, "place", slowly)
    with open_services(tmp_path / "home", client, in_memory=True) as services:
        sending = asyncio.create_task(ask(services, "given up"))
        assert await asyncio.to_thread(taking.wait, WAIT_S)
        sending.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await sending
        assert services.turns.running(OWN) == []
        assert isinstance(await answered(services, "next"), TurnDone)


async def test_an_answer_is_kept_and_told_however_often_the_turn_is_cancelled(
    services: Services, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, reply = held("half ", "more")
    client.replies += [reply]
    writing, go_on = threading.Event(), threading.Event()
    answer = TurnStore.answer

    def slowly(*arguments: Any) -> Any:
        writing.set()
        assert go_on.wait(WAIT_S)
        return answer(*arguments)

    monkeypatch.setattr(TurnStore, "answer", slowly)
    turn, listener = await ask(services, "?")
    await reached(gate)
    cancelled = [asyncio.create_task(services.turns.cancel(turn))]
    assert await asyncio.to_thread(writing.wait, WAIT_S)
    for _ in range(4):
        cancelled.append(asyncio.create_task(services.turns.cancel(turn)))
        for _ in range(5):  # each reaches the turn before the next one is sent
            await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(*cancelled)
    assert isinstance(await listener.end(), TurnDone)
    assert live_texts(services) == ["?", "half "]


async def test_an_error_nobody_planned_for_while_the_answer_is_written_ends_the_turn(
    services: Services, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.replies += [says("an answer")]

    def bug(*_: object) -> None:
        raise RuntimeError("somebody's text")

    monkeypatch.setattr(TurnStore, "answer", bug)
    failed = await answered(services, "?")
    assert isinstance(failed, TurnFailed)
    assert "somebody's text" not in failed.error.message
