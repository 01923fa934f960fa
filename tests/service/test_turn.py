"""A turn's promises: the question first, what it is asked with, the answer as it comes and as it is kept."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support.listening import Listener, answered, ask, messages_sent
from tests.support.pictures import picture, url_of
from tests.support.stores import (
    OWN,
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

from sidekeep.errors import InvalidParams, NotFound
from sidekeep.llm.scripted import ScriptedClient, says
from sidekeep.service import in_memory
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.running import GrowingText, TurnDelta, TurnDone, TurnStarted
from sidekeep.service.services import Services
from sidekeep.service.turn_store import Question

pytestmark = pytest.mark.anyio


PICTURE = url_of(picture(60, 40))


async def test_question_and_answer_are_stored(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("It ", "blinks.", usage={"prompt_tokens": 3, "completion_tokens": 2})]
    done = await answered(services, "What does it do?")
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
    _, listener = await ask(services, "?")
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
        await answered(services, "Is it there?")
    assert stored_then == [["Is it there?"]]


async def test_the_request_has_the_system_prompt_and_the_whole_conversation(
    services: Services, client: ScriptedClient
) -> None:
    services.area.set(OWN, {"systemPrompt": "Be brief.", "replyLanguage": "Polish"})
    services.conversation.append(OWN, say("earlier"))
    services.conversation.append(OWN, say("answer", role="assistant"))
    client.replies += [says("ok")]
    await answered(services, "now")
    roles = [(message["role"], message["content"]) for message in messages_sent(client)]
    assert roles[0][0] == "system"
    assert "Be brief." in roles[0][1]
    assert "Polish" in roles[0][1]
    assert roles[1:] == [("user", "earlier"), ("assistant", "answer"), ("user", "now")]


async def test_an_edited_question_takes_the_place_of_the_old_one(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("one"), says("two")]
    await answered(services, "old text", images=(PICTURE,))
    question = live_messages(services)[0]["id"]
    await answered(services, "new text", replaces=question)
    question_now, answer = live_messages(services)
    assert question_now["content"][0]["text"] == "new text"
    assert "ref" in question_now["content"][1]["image_url"], "an absent `images` keeps the stored ones"
    assert answer["content"] == "two"
    assert [reason for reason, _ in archived(services)] == ["deleted"]
    sent = messages_sent(client)
    assert len(sent) == 2
    assert sent[1]["content"][1]["image_url"]["url"] == PICTURE


async def test_an_answer_is_written_again_without_naming_the_question(
    services: Services, client: ScriptedClient
) -> None:
    client.replies += [says("one"), says("two")]
    await answered(services, "question")
    await answered(services, None, replaces=live_messages(services)[0]["id"])
    assert live_texts(services) == ["question", "two"]
    assert messages_sent(client, 0) == messages_sent(client, 1)


async def test_images_may_be_taken_out_of_a_question(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("one"), says("two")]
    await answered(services, "look", images=(PICTURE,))
    await answered(services, None, images=(), replaces=live_messages(services)[0]["id"])
    assert live_texts(services) == ["look", "two"]


async def test_a_question_that_is_not_there_cannot_be_replaced(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("one"), says("two")]
    await answered(services, "question")
    with pytest.raises(NotFound):
        await ask(services, "new", replaces="nobody")
    assert live_texts(services) == ["question", "one"]
    assert isinstance(await answered(services, "the lock is free"), TurnDone)


@pytest.mark.parametrize("text", [None, "", " \n"])
async def test_an_empty_question_is_not_sent(services: Services, text: str | None) -> None:
    with pytest.raises(InvalidParams):
        await ask(services, text)
    assert live_messages(services) == []


async def test_a_picture_alone_is_a_question(services: Services, client: ScriptedClient) -> None:
    client.replies += [says("a lighthouse")]
    await answered(services, "", images=(PICTURE,))
    assert messages_sent(client)[1]["content"][-1]["image_url"]["url"] == PICTURE


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


async def test_a_temporary_chat_and_a_private_window_leave_nothing_behind(
    services: Services, client: ScriptedClient
) -> None:
    """Both are services in memory."""
    client.replies += [says("a secret answer")]
    private = in_memory.open_beside(services, OWN)
    private.attachments.add(OWN, _page("a secret page"))
    await answered(private, "a secret question", images=(PICTURE,))
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
    done = await answered(services, "?")
    assert isinstance(done, TurnDone)
