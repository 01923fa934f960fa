"""Edit-and-resend: what it removes goes to the archive, and comes back where the new turn fails before any text."""

import pytest
from tests.support.listening import answered, ask, held, reached
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    archived,
    chat_ids,
    chat_texts,
    live_messages,
    live_texts,
    prune,
    rows,
    say,
)

from sidekeep.errors import Conflict, RequestRefused, StoreBusy
from sidekeep.llm.scripted import Gate, Reply, ScriptedClient, breaks_off, refuses, says
from sidekeep.service.running import TurnFailed
from sidekeep.service.services import Services
from sidekeep.service.turn_store import Question

pytestmark = pytest.mark.anyio
OLD = ["page", "q1", "a1", "q2", "a2"]


@pytest.fixture(autouse=True)
def conversation(services: Services) -> None:
    """Two turns."""
    services.conversation.append(OWN, say("page", attachId="p"))
    for number in (1, 2):
        services.conversation.append(OWN, say(f"q{number}"))
        services.conversation.append(OWN, say(f"a{number}", role="assistant"))


def _id(services: Services, text: str) -> str:
    return next(str(message["id"]) for message in live_messages(services) if message["content"] == text)


def _fails_late(client: ScriptedClient) -> Gate:
    """The next answer breaks off before any text, once the gate is open."""
    gate = Gate()
    client.replies += [Reply((gate,), ending="cut")]
    return gate


async def test_an_edit_that_is_answered_leaves_the_old_in_the_archive(
    services: Services, client: ScriptedClient
) -> None:
    client.replies += [says("new answer")]
    await answered(services, "new question", replaces=_id(services, "q1"))
    assert live_texts(services) == ["page", "new question", "new answer"]
    assert archived(services) == [("deleted", ["q1", "a1", "q2", "a2"])]
    assert len(chat_ids(services)) == 1


@pytest.mark.parametrize("pruned", [False, True], ids=["soon", "when the rows are gone"])
async def test_a_failure_before_any_text_brings_the_old_back(
    services: Services, client: ScriptedClient, *, pruned: bool
) -> None:
    before, chat = live_messages(services), chat_ids(services)
    gate = _fails_late(client)
    _, listener = await ask(services, "new question", replaces=_id(services, "q1"))
    await reached(gate)
    assert live_texts(services) == ["page", "new question"]
    if pruned:
        prune(services)
    gate.open()
    failed = await listener.end()
    assert isinstance(failed, TurnFailed)
    assert live_messages(services) == before
    assert chat_ids(services) == chat
    assert chat_texts(services, chat[0]) == OLD
    assert archived(services) == [("deleted", ["new question"])], "what was asked is not lost either"


async def test_a_failure_after_some_text_keeps_what_came(services: Services, client: ScriptedClient) -> None:
    client.replies += [breaks_off("some text")]
    failed = await answered(services, "new question", replaces=_id(services, "q2"))
    assert isinstance(failed, TurnFailed)
    assert live_texts(services) == ["page", "q1", "a1", "new question", "some text"]
    assert archived(services) == [("deleted", ["q2", "a2"])]


async def test_a_failure_of_a_new_question_takes_nothing_back(services: Services, client: ScriptedClient) -> None:
    client.replies += [refuses(400, "no")]
    await answered(services, "new question")
    assert live_texts(services) == [*OLD, "new question"]
    assert archived(services) == []


async def test_a_conversation_that_has_gone_on_stays_as_it_is(services: Services, client: ScriptedClient) -> None:
    gate = _fails_late(client)
    _, listener = await ask(services, "new question", replaces=_id(services, "q2"))
    await reached(gate)
    services.conversation.append(OWN, say("written meanwhile", attachId="x"))
    gate.open()
    await listener.end()
    assert live_texts(services) == ["page", "q1", "a1", "new question", "written meanwhile"]
    assert archived(services) == [("deleted", ["q2", "a2"])]


async def test_the_old_comes_back_in_the_chat_that_was_asked_when_another_is_open(
    services: Services, client: ScriptedClient
) -> None:
    (chat,) = chat_ids(services)
    gate = _fails_late(client)
    _, listener = await ask(services, "new question", replaces=_id(services, "q2"))
    await reached(gate)
    services.conversation.clear(OWN)
    services.conversation.append(OWN, say("another chat"))
    gate.open()
    await listener.end()
    assert chat_texts(services, chat) == OLD
    assert live_texts(services) == ["another chat"]
    services.chats.load(OWN, chat)
    assert live_texts(services) == OLD


async def test_another_profile_that_shows_the_chat_goes_along_and_leaves_no_row_behind(
    services: Services, client: ScriptedClient
) -> None:
    (chat,) = chat_ids(services)
    gate = _fails_late(client)
    _, listener = await ask(services, "new question", replaces=_id(services, "q2"))
    await reached(gate)
    services.conversation.clear(OWN)
    services.chats.load(OTHER_PROFILE, chat)
    gate.open()
    await listener.end()
    assert live_texts(services, OTHER_PROFILE) == OLD
    prune(services)
    assert rows(services, "messages") == len(OLD)


async def test_a_question_joins_the_conversation_whose_lock_it_has(
    services: Services, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.replies += [says("yes")]
    store = services.turns._store
    place = store.place
    moved: list[str] = []

    def move_once(*arguments: object) -> object:
        found = place(OWN)
        if not moved:
            moved.append(chat_ids(services)[0])
            services.conversation.clear(OWN)  # another host opens a new chat just now
        return found

    monkeypatch.setattr(store, "place", move_once)
    await answered(services, "Which chat?")
    assert live_texts(services) == ["Which chat?", "yes"]
    assert chat_texts(services, moved[0]) == OLD


async def test_a_turn_that_is_refused_removes_nothing(services: Services, client: ScriptedClient) -> None:
    gate, reply = held("first")
    client.replies += [reply]
    _, listener = await ask(services, "first?")
    await reached(gate)
    before = live_texts(services)
    with pytest.raises(Conflict):
        await services.turns.send(OWN, Question("again", None, _id(services, "q1")), lambda _event: None)
    assert live_texts(services) == before
    assert rows(services, "archives") == 0
    gate.open()
    await listener.end()


async def test_an_edit_that_cannot_be_taken_back_holds_no_lock(
    services: Services, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.replies += [says("yes")]
    with monkeypatch.context() as patched:
        patched.setattr(services.turns._store, "take_back", _busy)
        with pytest.raises(StoreBusy):
            await services.turns.send(OWN, Question("w " * 400_000, None, _id(services, "q1")), lambda _event: None)
    services.conversation.truncate(OWN, live_messages(services)[-1]["id"], inclusive=True)
    await answered(services, "again")
    assert live_texts(services) == ["page", "again", "yes"]


def _busy(*_arguments: object) -> None:
    raise StoreBusy("The store is locked.")


async def test_a_question_that_fits_in_no_request_is_taken_back_so_that_it_is_not_there_twice(
    services: Services,
) -> None:
    for _ in range(2):
        with pytest.raises(RequestRefused):
            await services.turns.send(OWN, Question("w " * 400_000, None), lambda _event: None)
    assert live_texts(services) == OLD
    services.conversation.clear(OWN)
    before = chat_ids(services)
    with pytest.raises(RequestRefused):
        await services.turns.send(OWN, Question("w " * 400_000, None), lambda _event: None)
    assert services.conversation.get(OWN, "none") == ([], ""), "nor does it make a chat"
    assert chat_ids(services) == before
