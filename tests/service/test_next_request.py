"""What a turn leaves for the next one: which pictures were seen, where the request was cut."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import Asking
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, live_messages, open_services, say

from sidekeep.domain.message import SAW_MEMBER
from sidekeep.llm.scripted import ScriptedClient, breaks_off, hangs, refuses, says
from sidekeep.service.running import TurnDelta, TurnEvent
from sidekeep.service.turn_store import Question

pytestmark = pytest.mark.anyio
PICTURE = url_of(picture(60, 40))
WAIT_S = 10


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    client = ScriptedClient()
    with open_services(tmp_path, client) as services:
        yield Asking(services, client)


def _look(text: str = "look") -> dict[str, Any]:
    return {
        "role": "user",
        "content": [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": PICTURE}}],
    }


def _forms(asking: Asking) -> str:
    """How the pictures of the last request went out: P as pixels, L as labels."""
    parts = [part for message in asking.sent() for part in _parts(message)]
    return "".join("P" if part.get("type") == "image_url" else "L" * part["text"].count("[image 1]") for part in parts)


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


async def test_a_picture_goes_out_until_an_answer_was_given_to_it(asking: Asking) -> None:
    asking.has([_look()])
    await asking.ask("What is it?", refuses(401, "no"))
    assert _forms(asking) == "P"
    await asking.ask("What is it?", says("A cat."))
    assert _forms(asking) == "P"
    assert [m.get("imagesSeen") for m in asking.stored()] == [True, None, None, None]
    await asking.ask("Which colour?", says("Red."))
    assert _forms(asking) == "L"
    assert "imagesSeen" not in asking.sent_text()
    assert SAW_MEMBER not in str(asking.sent())


async def test_an_answer_that_broke_off_has_seen_nothing(asking: Asking) -> None:
    asking.has([_look()])
    await asking.ask("What is it?", breaks_off("A c"))
    await asking.ask("Go on.", says("cat."))
    assert _forms(asking) == "P"


async def test_an_answer_that_was_stopped_has_seen_nothing(asking: Asking) -> None:
    asking.has([_look()])
    asking.client.replies.append(hangs("A c"))
    begun = asyncio.Event()

    def emit(told: TurnEvent) -> None:
        if isinstance(told, TurnDelta):
            begun.set()

    turn = await asking.turns.send(OWN, Question("What is it?", None), emit)
    async with asyncio.timeout(WAIT_S):
        await begun.wait()
    await asking.turns.cancel(turn)
    await asking.ask("Go on.", says("cat."))
    assert _forms(asking) == "P"


async def test_who_asks_again_is_shown_the_pixels_again(asking: Asking) -> None:
    asking.has([_look("a page")])
    await asking.ask("What is it?", says("A cat."))
    question = asking.stored()[1]["id"]
    await asking.ask(None, says("A dog."), replaces=question)
    assert _forms(asking) == "P"


async def test_a_branch_from_before_the_answer_has_not_seen_it(asking: Asking) -> None:
    asking.has([_look()])
    await asking.ask("What is it?", says("A cat."))
    look = asking.stored()[0]["id"]
    branch, _ = asking.services.chats.branch(OWN, None, look)
    asking.services.chats.load(OWN, branch.id)
    await asking.ask("Is it big?", says("No."))
    assert _forms(asking) == "P"


async def test_the_cut_stays_where_it_was_for_the_next_turns(asking: Asking) -> None:
    asking.knows(window=4_000)
    asking.has(say(f"{n} " + "word " * 120, role=role) for n in range(20) for role in ("user", "assistant"))
    await asking.ask("now?", says("yes"))
    first = [message["content"] for message in asking.sent()]
    assert len(first) < 30
    for _ in range(3):
        before = asking.sent()
        await asking.ask("and now? " + "word " * 120, says("yes " * 60))
        assert asking.sent()[: len(before)] == before


async def test_the_frugal_window_of_the_settings_is_used(asking: Asking) -> None:
    asking.services.area.set(OWN, {"requestWindow": {"mode": "tail", "messages": 2, "chars": 10}})
    asking.has([say("old"), say("answer, and a long one", role="assistant")])
    await asking.ask("now?", says("yes"))
    assert [m["content"] for m in asking.sent()[1:]] == ["…", "[16 characters left out]ng one", "now?"]
    assert len(live_messages(asking.services)) == 4
