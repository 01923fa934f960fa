"""One turn at a time in a conversation, and an answer joins the chat it was asked in, wherever the person has gone meanwhile."""

from collections.abc import Callable

import pytest
from tests.support.listening import answered, ask, held, reached
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    STRANGER,
    archived,
    chat_ids,
    chat_texts,
    live_texts,
    say,
)

from sidekeep.errors import Conflict
from sidekeep.llm.scripted import ScriptedClient, says
from sidekeep.service import in_memory
from sidekeep.service.running import TurnDone
from sidekeep.service.services import Services

pytestmark = pytest.mark.anyio


async def test_a_second_question_meanwhile_is_a_conflict_and_not_stored(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = held("a", "b")
    client.replies += [reply, says("c")]
    _, listener = await ask(services, "first")
    await reached(gate)
    with pytest.raises(Conflict):
        await ask(services, "second")
    assert live_texts(services) == ["first"]
    gate.open()
    await listener.end()
    assert isinstance(await answered(services, "second"), TurnDone)


async def test_a_second_question_in_a_temporary_chat_is_a_conflict_too(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = held("a", "b")
    client.replies += [reply, says("c")]
    temporary = in_memory.open_beside(services, OWN)
    _, listener = await ask(temporary, "first")
    await reached(gate)
    with pytest.raises(Conflict):
        await ask(temporary, "second")
    gate.open()
    await listener.end()
    assert isinstance(await answered(temporary, "second"), TurnDone)


async def test_another_profile_may_not_answer_the_same_chat_meanwhile(
    services: Services, client: ScriptedClient
) -> None:
    services.conversation.append(OWN, say("start"))
    (chat,) = chat_ids(services)
    services.chats.load(OTHER_PROFILE, chat)
    gate, reply = held("a", "b")
    client.replies += [reply]
    _, listener = await ask(services, "first")
    await reached(gate)
    with pytest.raises(Conflict):
        await ask(services, "second", scope=OTHER_PROFILE)
    gate.open()
    await listener.end()


async def test_two_conversations_are_answered_at_once(services: Services, client: ScriptedClient) -> None:
    (gate, reply), (other_gate, other_reply) = held("a", "b"), held("x", "y")
    client.replies += [reply, other_reply]
    _, first = await ask(services, "one?")
    await reached(gate)
    _, second = await ask(services, "two?", scope=OTHER_PROFILE)
    await reached(other_gate)
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
    gate, reply = held("an", "swer")
    client.replies += [reply]
    _, listener = await ask(services, "question")
    await reached(gate)
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
    gate, reply = held("an", "swer")
    client.replies += [reply, says("more")]
    _, listener = await ask(services, "question")
    await reached(gate)
    (chat,) = chat_ids(services)
    services.conversation.clear(OWN)
    services.chats.load(OWN, chat)
    gate.open()
    await listener.end()
    await answered(services, "next")
    assert chat_ids(services) == [chat]
    assert chat_texts(services, chat) == ["question", "answer", "next", "more"]


async def test_an_answer_whose_chat_was_deleted_stays_with_its_question(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = held("an", "swer")
    client.replies += [reply]
    _, listener = await ask(services, "question")
    await reached(gate)
    services.chats.delete(OWN, chat_ids(services))
    gate.open()
    assert isinstance(await listener.end(), TurnDone)
    assert live_texts(services) == ["question", "answer"]
    assert chat_texts(services, chat_ids(services)[0]) == ["question", "answer"]


async def test_an_answer_whose_chat_was_deleted_after_the_person_moved_on_is_not_lost(
    services: Services, client: ScriptedClient
) -> None:
    gate, reply = held("an", "swer")
    client.replies += [reply]
    _, listener = await ask(services, "question")
    await reached(gate)
    (chat,) = chat_ids(services)
    services.conversation.clear(OWN)
    services.chats.delete(OWN, [chat])
    gate.open()
    assert isinstance(await listener.end(), TurnDone)
    everywhere = [*live_texts(services), *(text for _, texts in archived(services) for text in texts)]
    assert "answer" in everywhere
