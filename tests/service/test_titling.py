"""Titles by the model: only where they are wanted, once, and never over a name that somebody gave."""

from pathlib import Path

import pytest
from tests.support.asking import Asking
from tests.support.stores import OWN, open_services

from sidekeep.llm.scripted import Gate, Reply, ScriptedClient, refuses, says
from sidekeep.service.services import Services

pytestmark = pytest.mark.anyio


def names(services: Services) -> list[str]:
    return [chat.name for chat, _ in services.chats.page(OWN, limit=9, offset=0).chats]


async def test_a_chat_is_named_after_its_first_answer_and_not_again(services: Services, client: ScriptedClient) -> None:
    asking = Asking(services, client, titles=True)
    await asking.ask("How far is the light seen?", says("28 km."), says("The light of Vell"))
    await asking.background()
    assert names(services) == ["The light of Vell"]
    assert "How far is the light seen?" in asking.sent_text()
    assert "28 km." in asking.sent_text()
    await asking.ask("And in fog?", says("Less."))
    await asking.background()
    assert len(client.requests) == 3


async def test_nothing_is_asked_where_titles_are_not_switched_on(services: Services, client: ScriptedClient) -> None:
    asking = Asking(services, client)
    await asking.ask("How far?", says("28 km."))
    await asking.background()
    assert (names(services), len(client.requests)) == (["How far?"], 1)


@pytest.mark.parametrize(
    "reply", [refuses(401, "bad key"), says(""), says("word " * 99), says("Half a", reason="length")]
)
async def test_where_the_model_gives_no_title_the_name_stays(
    services: Services, client: ScriptedClient, reply: Reply
) -> None:
    asking = Asking(services, client, titles=True)
    await asking.ask("How far?", says("28 km."), reply)
    await asking.background()
    assert (names(services), len(client.requests)) == (["How far?"], 2)
    assert [type(event).__name__ for event in asking.events[-1:]] == ["TurnDone"]


async def test_a_name_that_somebody_gives_meanwhile_stays(services: Services, client: ScriptedClient) -> None:
    asking = Asking(services, client, titles=True)
    gate = Gate()
    held = Reply((gate, *says("The light").pieces))
    await asking.ask("How far?", says("28 km."), held)
    await gate.reached.wait()
    chat = services.chats.every_id(OWN)[0]
    services.chats.rename(OWN, chat, "Mine")
    gate.open()
    await asking.background()
    assert names(services) == ["Mine"]


async def test_a_chat_that_was_renamed_before_its_answer_is_not_asked_about(
    services: Services, client: ScriptedClient
) -> None:
    asking = Asking(services, client, titles=True)
    await asking.ask("How far?", refuses(401, "bad key"))
    services.chats.rename(OWN, services.chats.every_id(OWN)[0], "Mine")
    await asking.ask("How far then?", says("28 km."))
    await asking.background()
    assert (names(services), len(client.requests)) == (["Mine"], 2)


async def test_a_chat_that_is_kept_nowhere_gets_no_title(tmp_path: Path, client: ScriptedClient) -> None:
    with open_services(tmp_path / "home", client, in_memory=True) as passing:
        asking = Asking(passing, client, titles=True)
        await asking.ask("How far?", says("28 km."))
        await asking.background()
        assert len(client.requests) == 1
