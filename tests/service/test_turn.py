"""A turn's promises: the question first, the answer kept whole or broken, in the conversation it was asked in."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    STRANGER,
    archived,
    chat_ids,
    chat_texts,
    live_messages,
    live_texts,
    open_services,
    plain,
    rows,
    say,
)

from sidekeep.domain.scope import Scope
from sidekeep.errors import Conflict, InvalidParams, NotFound, ProviderFailed, StoreFailed
from sidekeep.llm.scripted import Gate, Reply, ScriptedClient, breaks_off, delta, refuses, says
from sidekeep.service import in_memory
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.running import GrowingText, TurnDelta, TurnDone, TurnEvent, TurnFailed, TurnStarted
from sidekeep.service.services import Services
from sidekeep.service.turn_store import Question, TurnStore

pytestmark = pytest.mark.anyio
WAIT_S = 10
PICTURE = url_of(picture(60, 40))


class Listener:
    """What a turn tells."""

    def __init__(self) -> None:
        self.events: list[TurnEvent] = []
        self._ended = asyncio.Event()

    def __call__(self, event: TurnEvent) -> None:
        self.events.append(event)
        if isinstance(event, (TurnDone, TurnFailed)):
            self._ended.set()

    async def end(self) -> TurnEvent:
        """The last event, when it has come."""
        async with asyncio.timeout(WAIT_S):
            await self._ended.wait()
        return self.events[-1]


async def _ask(
    services: Services,
    text: str | None,
    *,
    images: tuple[str, ...] | None = None,
    replaces: str | None = None,
    scope: Scope = OWN,
) -> tuple[str, Listener]:
    listener = Listener()
    turn = await services.turns.send(scope, Question(text, images, replaces), listener)
    return turn, listener


async def _answered(services: Services, text: str | None, **how: Any) -> TurnEvent:
    _, listener = await _ask(services, text, **how)
    return await listener.end()


async def _reached(gate: Gate) -> None:
    async with asyncio.timeout(WAIT_S):
        await gate.reached.wait()


def _held(*texts: str) -> tuple[Gate, Reply]:
    """An answer that waits after its first text."""
    gate = Gate()
    return gate, Reply((delta(texts[0]), gate, *says(*texts[1:]).pieces))


def _sent(client: ScriptedClient, number: int = -1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = orjson.loads(client.requests[number].body)["messages"]
    return found


async def test_question_and_answer_are_stored(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("It ", "blinks.", usage={"prompt_tokens": 3, "completion_tokens": 2})]
    done = await _answered(services, "What does it do?")
    assert isinstance(done, TurnDone)
    question, answer = live_messages(services)
    assert plain(done.message) == answer
    assert question["content"] == "What does it do?"
    assert answer["content"] == "It blinks."
    assert (answer["provider"], answer["model"]) == ("test", "tiny")
    assert answer["usage"] == {"promptTokens": 3, "completionTokens": 2}
    assert "interrupted" not in answer
    assert chat_texts(services, chat_ids(services)[0]) == ["What does it do?", "It blinks."]


async def test_events_come_in_order_with_offsets_in_code_points(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("🦊a", "é", "z")]
    _, listener = await _ask(services, "?")
    await listener.end()
    assert isinstance(listener.events[0], TurnStarted)
    deltas = [(event.offset, event.text) for event in listener.events if isinstance(event, TurnDelta)]
    assert deltas == [(0, "🦊a"), (2, "é"), (3, "z")]
    assert isinstance(listener.events[-1], TurnDone)
    assert len(listener.events) == 5


async def test_the_question_is_committed_before_the_first_byte_of_the_request(tmp_path: Path) -> None:
    stored_then: list[list[Any]] = []
    client = ScriptedClient([says("yes")], on_request=lambda _: stored_then.append(live_texts(beside)))
    with open_services(tmp_path / "home", client) as services, open_services(tmp_path / "home") as beside:
        await _answered(services, "Is it there?")
    assert stored_then == [["Is it there?"]]


async def test_the_request_has_the_system_prompt_and_the_whole_conversation(
    services: Services, client: ScriptedClient
) -> None:
    services.area.set(OWN, {"systemPrompt": "Be brief.", "replyLanguage": "Polish"})
    services.conversation.append(OWN, say("earlier"))
    services.conversation.append(OWN, say("answer", role="assistant"))
    client.replies += [says("ok")]
    await _answered(services, "now")
    roles = [(message["role"], message["content"]) for message in _sent(client)]
    assert roles[0][0] == "system"
    assert "Be brief." in roles[0][1]
    assert "Polish" in roles[0][1]
    assert roles[1:] == [("user", "earlier"), ("assistant", "answer"), ("user", "now")]


async def test_a_cancelled_turn_keeps_what_had_come_and_is_done(services: Services, client: ScriptedClient) -> None:
    gate, reply = _held("half ", "more")
    client.replies += [reply]
    turn, listener = await _ask(services, "?")
    await _reached(gate)
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
    turn, _ = await _ask(services, "first")
    await _reached(gate)
    await services.turns.cancel(turn)
    await _answered(services, "second")
    assert "" not in [message["content"] for message in _sent(client)]


async def test_a_broken_answer_is_kept_and_marked(services: Services, client: ScriptedClient) -> None:
    client.replies += [breaks_off("half an ans")]
    failed = await _answered(services, "?")
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
    failed = await _answered(services, "first")
    assert isinstance(failed, TurnFailed)
    assert failed.message is None
    assert live_texts(services) == ["first"]
    assert isinstance(await _answered(services, "second"), TurnDone)


async def test_an_unexpected_error_is_told_without_its_text(
    services: Services, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*_: object) -> None:
        raise RuntimeError("somebody's text")

    monkeypatch.setattr(client, "stream", bug)
    failed = await _answered(services, "?")
    assert isinstance(failed, TurnFailed)
    assert "somebody's text" not in failed.error.message
    assert failed.error.data["log"]
    assert live_texts(services) == ["?"]


async def test_a_second_question_meanwhile_is_a_conflict_and_not_stored(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = _held("a", "b")
    client.replies += [reply, says("c")]
    _, listener = await _ask(services, "first")
    await _reached(gate)
    with pytest.raises(Conflict):
        await _ask(services, "second")
    assert live_texts(services) == ["first"]
    gate.open()
    await listener.end()
    assert isinstance(await _answered(services, "second"), TurnDone)


async def test_a_second_question_in_a_temporary_chat_is_a_conflict_too(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = _held("a", "b")
    client.replies += [reply, says("c")]
    temporary = in_memory.open_beside(services, OWN)
    _, listener = await _ask(temporary, "first")
    await _reached(gate)
    with pytest.raises(Conflict):
        await _ask(temporary, "second")
    gate.open()
    await listener.end()
    assert isinstance(await _answered(temporary, "second"), TurnDone)


async def test_another_profile_may_not_answer_the_same_chat_meanwhile(
    services: Services, client: ScriptedClient
) -> None:
    services.conversation.append(OWN, say("start"))
    (chat,) = chat_ids(services)
    services.chats.load(OTHER_PROFILE, chat)
    gate, reply = _held("a", "b")
    client.replies += [reply]
    _, listener = await _ask(services, "first")
    await _reached(gate)
    with pytest.raises(Conflict):
        await _ask(services, "second", scope=OTHER_PROFILE)
    gate.open()
    await listener.end()


async def test_two_conversations_are_answered_at_once(services: Services, client: ScriptedClient) -> None:
    (gate, reply), (other_gate, other_reply) = _held("a", "b"), _held("x", "y")
    client.replies += [reply, other_reply]
    _, first = await _ask(services, "one?")
    await _reached(gate)
    _, second = await _ask(services, "two?", scope=OTHER_PROFILE)
    await _reached(other_gate)
    assert {turn.text for turn in services.turns.running(OWN)} == {"a", "x"}
    assert services.turns.running(STRANGER) == []
    gate.open()
    other_gate.open()
    await first.end()
    await second.end()
    assert live_texts(services) == ["one?", "ab"]
    assert live_texts(services, OTHER_PROFILE) == ["two?", "xy"]
    assert services.turns.running(OWN) == []


def _new_chat(services: Services, _chat: str) -> None:
    services.conversation.clear(OWN)


def _question_elsewhere(services: Services, _chat: str) -> None:
    services.conversation.clear(OWN)
    services.conversation.append(OWN, say("elsewhere"))


def _load_again(services: Services, chat: str) -> None:
    services.chats.load(OWN, chat)


def _leave_and_load_again(services: Services, chat: str) -> None:
    services.conversation.clear(OWN)
    services.chats.load(OWN, chat)


def _other_profile_loads(services: Services, chat: str) -> None:
    services.chats.load(OTHER_PROFILE, chat)


MOVES: dict[str, Callable[[Services, str], None]] = {
    "a new chat": _new_chat,
    "another question in a new chat": _question_elsewhere,
    "the same chat, loaded again": _load_again,
    "the same chat after another": _leave_and_load_again,
    "the other profile opening it": _other_profile_loads,
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES.keys())
async def test_an_answer_joins_the_chat_it_was_asked_in(
    services: Services, client: ScriptedClient, move: Callable[[Services, str], None]
) -> None:
    gate, reply = _held("an", "swer")
    client.replies += [reply]
    _, listener = await _ask(services, "question")
    await _reached(gate)
    (chat,) = chat_ids(services)
    move(services, chat)
    here = live_texts(services)
    gate.open()
    assert isinstance(await listener.end(), TurnDone)
    assert chat_texts(services, chat) == ["question", "answer"]
    expected = ["question", "answer"] if here == ["question"] else here
    assert live_texts(services) == expected


async def test_after_the_same_chat_was_loaded_again_it_goes_on_in_one_piece(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = _held("an", "swer")
    client.replies += [reply, says("more")]
    _, listener = await _ask(services, "question")
    await _reached(gate)
    (chat,) = chat_ids(services)
    services.conversation.clear(OWN)
    services.chats.load(OWN, chat)
    gate.open()
    await listener.end()
    await _answered(services, "next")
    assert chat_ids(services) == [chat]
    assert chat_texts(services, chat) == ["question", "answer", "next", "more"]


async def test_an_answer_whose_chat_was_deleted_stays_with_its_question(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = _held("an", "swer")
    client.replies += [reply]
    _, listener = await _ask(services, "question")
    await _reached(gate)
    services.chats.delete(OWN, chat_ids(services))
    gate.open()
    assert isinstance(await listener.end(), TurnDone)
    assert live_texts(services) == ["question", "answer"]
    assert chat_texts(services, chat_ids(services)[0]) == ["question", "answer"]


async def test_an_answer_whose_chat_was_deleted_after_the_person_moved_on_is_not_lost(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = _held("an", "swer")
    client.replies += [reply]
    _, listener = await _ask(services, "question")
    await _reached(gate)
    (chat,) = chat_ids(services)
    services.conversation.clear(OWN)
    services.chats.delete(OWN, [chat])
    gate.open()
    assert isinstance(await listener.end(), TurnDone)
    everywhere = [*live_texts(services), *(text for _, texts in archived(services) for text in texts)]
    assert "answer" in everywhere


async def test_an_edited_question_takes_the_place_of_the_old_one(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("one"), says("two")]
    await _answered(services, "old text", images=(PICTURE,))
    question = live_messages(services)[0]["id"]
    await _answered(services, "new text", replaces=question)
    question_now, answer = live_messages(services)
    assert question_now["content"][0]["text"] == "new text"
    assert "ref" in question_now["content"][1]["image_url"], "an absent `images` keeps the stored ones"
    assert answer["content"] == "two"
    assert [reason for reason, _ in archived(services)] == ["deleted"]
    sent = _sent(client)
    assert len(sent) == 2
    assert sent[1]["content"][1]["image_url"]["url"] == PICTURE


async def test_an_answer_is_written_again_without_naming_the_question(
    services: Services, client: ScriptedClient
) -> None:
    client.replies += [says("one"), says("two")]
    await _answered(services, "question")
    await _answered(services, None, replaces=live_messages(services)[0]["id"])
    assert live_texts(services) == ["question", "two"]
    assert _sent(client, 0) == _sent(client, 1)


async def test_images_may_be_taken_out_of_a_question(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("one"), says("two")]
    await _answered(services, "look", images=(PICTURE,))
    await _answered(services, None, images=(), replaces=live_messages(services)[0]["id"])
    assert live_texts(services) == ["look", "two"]


async def test_a_question_that_is_not_there_cannot_be_replaced(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("one"), says("two")]
    await _answered(services, "question")
    with pytest.raises(NotFound):
        await _ask(services, "new", replaces="nobody")
    assert live_texts(services) == ["question", "one"]
    assert isinstance(await _answered(services, "the lock is free"), TurnDone)


@pytest.mark.parametrize("text", [None, "", " \n"])
async def test_an_empty_question_is_not_sent(services: Services, text: str | None) -> None:
    with pytest.raises(InvalidParams):
        await _ask(services, text)
    assert live_messages(services) == []


async def test_a_picture_alone_is_a_question(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("a lighthouse")]
    await _answered(services, "", images=(PICTURE,))
    assert _sent(client)[1]["content"][-1]["image_url"]["url"] == PICTURE


async def test_an_unknown_provider_is_named_and_nothing_is_stored(services: Services) -> None:
    with pytest.raises(NotFound, match="nobody"):
        await services.turns.send(OWN, Question("?", None), Listener(), provider="nobody")
    assert live_messages(services) == []


async def test_a_chosen_provider_and_model_are_asked(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("ok")]
    listener = Listener()
    await services.turns.send(OWN, Question("?", None), listener, provider="openai", model="gpt-x")
    await listener.end()
    sent = client.requests[0]
    assert (sent.endpoint.base_url, orjson.loads(sent.body)["model"]) == ("https://api.openai.com/v1", "gpt-x")


async def test_stopping_all_keeps_every_answer(services: Services, client: ScriptedClient) -> None:
    (gate, reply), (other_gate, other_reply) = _held("a", "b"), _held("x", "y")
    client.replies += [reply, other_reply]
    _, first = await _ask(services, "one?")
    await _reached(gate)
    _, second = await _ask(services, "two?", scope=OTHER_PROFILE)
    await _reached(other_gate)
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
    failed = await _answered(services, "first")
    assert isinstance(failed, TurnFailed)
    assert failed.error.kind == "storage_failed"
    monkeypatch.undo()
    assert isinstance(await _answered(services, "second"), TurnDone)
    assert live_texts(services) == ["first", "second", "kept"]


async def test_a_temporary_chat_and_a_private_window_leave_nothing_behind(
    services: Services, client: ScriptedClient
) -> None:
    """Both are services in memory."""
    client.replies += [says("a secret answer")]
    private = in_memory.open_beside(services, OWN)
    private.attachments.add(OWN, _page("a secret page"))
    await _answered(private, "a secret question", images=(PICTURE,))
    assert len(live_messages(private)) == 3
    assert chat_ids(services) == []
    assert {table: rows(services, table) for table in ("messages", "blobs", "archives", "session_entries")} == {
        "messages": 0,
        "blobs": 0,
        "archives": 0,
        "session_entries": 0,
    }
    for file in services.home.rglob("*"):
        assert not file.is_file() or b"secret" not in file.read_bytes()


def _page(text: str) -> PageToAttach:
    return PageToAttach(url="https://example.org/", title="t", mode="m", text=text)


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
        sending = asyncio.create_task(_ask(services, "given up"))
        assert await asyncio.to_thread(taking.wait, WAIT_S)
        sending.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await sending
        assert services.turns.running(OWN) == []
        assert isinstance(await _answered(services, "next"), TurnDone)


async def test_an_answer_is_kept_and_told_however_often_the_turn_is_cancelled(
    services: Services, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, reply = _held("half ", "more")
    client.replies += [reply]
    writing, go_on = threading.Event(), threading.Event()
    answer = TurnStore.answer

    def slowly(*arguments: Any) -> Any:
        writing.set()
        assert go_on.wait(WAIT_S)
        return answer(*arguments)

    monkeypatch.setattr(TurnStore, "answer", slowly)
    turn, listener = await _ask(services, "?")
    await _reached(gate)
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
    failed = await _answered(services, "?")
    assert isinstance(failed, TurnFailed)
    assert "somebody's text" not in failed.error.message


async def test_a_long_answer_in_small_pieces_costs_no_more_the_longer_it_is(
    services: Services, client: ScriptedClient
) -> None:
    """Each piece used to copy the whole answer: other turns then waited for seconds, and their connections timed out."""
    text = GrowingText()
    offsets = [text.add("ab") for _ in range(1000)]
    assert offsets == list(range(0, 2000, 2))
    assert str(text) == str(text) == "ab" * 1000
    assert text.add("c") == 2000
    client.replies += [says(*["word "] * 30_000)]
    done = await _answered(services, "?")
    assert isinstance(done, TurnDone)
