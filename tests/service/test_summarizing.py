"""Long attachments: summarised by the chosen model, in parts, or left exactly as they are."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support.pictures import picture, url_of
from tests.support.request_cases import cases
from tests.support.stores import OWN, chat_ids, chat_texts, live_messages, open_services, say

from sidekeep.llm.scripted import Gate, Reply, ScriptedClient, delta, hangs, refuses, says
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.services import Services
from sidekeep.service.summarizing import Summarizing

pytestmark = pytest.mark.anyio
WAIT_S = 10


class Model(ScriptedClient):
    """Answers each request by a rule, whatever their number and order."""

    def __init__(self, answer: Callable[[str], Reply]) -> None:
        super().__init__()
        self._answer = answer

    def _next(self, request: Any) -> Reply:
        self.requests.append(request)
        return self._answer(asked(request))


def asked(request: Any) -> str:
    return str(orjson.loads(request.body)["messages"][-1]["content"])


def _page(text: str, *images: str) -> PageToAttach:
    return PageToAttach(url="https://e.org/", title="T", mode="full", text=text, images=images)


def _attach(services: Services, text: str, *images: str) -> str:
    return services.attachments.add(OWN, _page(text, *images)).attach_id


def _summarizing(services: Services, timeout_s: float = WAIT_S) -> Summarizing:
    return Summarizing(services.database, services.providers, services.windows, lambda: 1, part_timeout_s=timeout_s)


async def _summarized(
    home: Path, text: str, answer: Callable[[str], Reply], *images: str
) -> tuple[bool, Any, Any, Model]:
    """Whether it was, the message before and after, and what was asked."""
    model = Model(answer)
    with open_services(home, model) as services:
        attach_id = _attach(services, text, *images)
        (before,) = live_messages(services)
        done = await _summarizing(services).summarize(OWN, attach_id)
        (after,) = live_messages(services)
        original = services.attachments.get(OWN, attach_id)
        assert (
            original.text == before["content"] if isinstance(before["content"], str) else before["content"][0]["text"]
        )
    return done, before, after, model


@pytest.mark.parametrize("case", cases("attachment-summary"))
async def test_a_summary_is_stored_or_not_as_the_case_says(case: dict[str, Any], tmp_path: Path) -> None:
    params, text = case["params"], case["history"][0]["content"]

    def answer(request: str) -> Reply:
        failed = f"part {params.get('fail_part')} of" in request
        return refuses(500, "broken") if failed else says(params["summary"])

    model = Model(answer)
    with open_services(tmp_path, model) as services:
        services.conversation.append(OWN, {"role": "user", "content": text, "attachId": "A"})
        before = live_messages(services)
        summarizing = services.summarizing
        assert summarizing.is_wanted(OWN, len(text))
        summarizing.start(OWN, "A", lambda: None)
        await summarizing.finished()
        (after,) = live_messages(services)
        original = services.attachments.get(OWN, "A").text
    parts = [asked(request) for request in model.requests if "This is part" in asked(request)]
    checks: dict[str, Any] = {
        "stored_unchanged": lambda _: [after] == before,
        "original_available": lambda _: (
            original == text and after["originalChars"] == len(text) and after["summarized"]
        ),
        "identical": lambda _: f"Summary of {len(text.partition('---')[2]) - 2} characters" in after["content"],
        "max_part_chars": lambda wanted: after["summarized"] and all(len(part) <= wanted + 200 for part in parts),
    }
    for name, wanted in case["expect"].items():
        assert checks[name](wanted), (name, wanted)


async def test_a_summary_stands_below_the_header_and_pictures_stay(tmp_path: Path) -> None:
    images = (url_of(picture(9, 9)), url_of(picture(8, 8)))
    done, before, after, _ = await _summarized(tmp_path, "word " * 30_000, lambda _: says("Short [图1]."), *images)
    assert done
    text, *pictures = after["content"]
    header = before["content"][0]["text"].partition("word")[0]
    assert text["text"].startswith(header)
    assert text["text"].endswith("[Summary of 150000 characters. The original is kept.]\n\nShort [图1].")
    assert [part["image_url"]["ref"] for part in pictures] == [
        part["image_url"]["ref"] for part in before["content"][1:]
    ]
    assert (after["summarized"], after["originalChars"], after["attachId"]) == (
        True,
        len(header) + 150_000,
        before["attachId"],
    )


async def test_all_of_the_text_is_asked_about_once_and_the_parts_are_merged(tmp_path: Path) -> None:
    text = "".join(f"## Part {n}\n\n{'word ' * 800}\n\n" for n in range(30))
    done, _, after, model = await _summarized(
        tmp_path, text, lambda asked: says("# All") if "short forms" in asked else says(asked[60:90])
    )
    assert done
    assert after["content"].endswith("# All")
    parts = [asked(request) for request in model.requests if "This is part" in asked(request)]
    joined = "".join(
        part.partition("document:\n\n")[2].removesuffix("\n\nWrite the short form of this part.") for part in parts
    )
    assert sorted(joined) == sorted(text)
    assert all("## Part" in part[:80] for part in parts)
    assert len(model.requests) == len(parts) + 1


@pytest.mark.parametrize(
    "reply",
    [
        lambda: says(" \n"),
        lambda: says("cut", reason="length"),
        lambda: refuses(500, "broken"),
        lambda: says("long " * 40_000),
    ],
    ids=["empty", "cut by the output limit", "refused", "no shorter"],
)
async def test_what_is_no_whole_summary_changes_nothing(reply: Callable[[], Reply], tmp_path: Path) -> None:
    with open_services(tmp_path, Model(lambda _: reply())) as services:
        attach_id = _attach(services, "x" * 100_001)
        before = live_messages(services)
        told: list[str] = []
        services.summarizing.start(OWN, attach_id, lambda: told.append("written"))
        await services.summarizing.finished()
        assert live_messages(services) == before
        assert told == []


async def test_a_part_that_takes_too_long_ends_the_others(tmp_path: Path) -> None:
    slow = hangs("half")
    model = Model(lambda asked: slow if "part 2 of" in asked else says("S"))
    with open_services(tmp_path, model) as services:
        attach_id = _attach(services, "line\n" * 24_000)
        with pytest.raises(TimeoutError):
            await _summarizing(services, timeout_s=0.05).summarize(OWN, attach_id)
        assert slow.dropped.is_set()


async def _while_asked(services: Services, attach_id: str, gate: Gate, meanwhile: Callable[[], object]) -> bool:
    summarizing = asyncio.create_task(_summarizing(services).summarize(OWN, attach_id))
    async with asyncio.timeout(WAIT_S):
        await gate.reached.wait()
    meanwhile()
    gate.open()
    return await summarizing


async def test_what_is_written_meanwhile_stays(tmp_path: Path) -> None:
    gate = Gate()
    replies = [Reply((gate, delta("S"), b"data: [DONE]\n\n"))]
    with open_services(tmp_path, Model(lambda _: replies.pop() if replies else says("S"))) as services:
        attach_id = _attach(services, "line\n" * 24_000)
        assert await _while_asked(services, attach_id, gate, lambda: services.conversation.append(OWN, say("q")))
        page, question = live_messages(services)
        assert (page["summarized"], question["content"]) == (True, "q")
        assert chat_texts(services, chat_ids(services)[0])[0] == page["content"]


async def test_an_attachment_is_found_in_its_chat_when_the_person_has_gone_on(tmp_path: Path) -> None:
    gate = Gate()
    replies = [Reply((gate, delta("S"), b"data: [DONE]\n\n"))]
    with open_services(tmp_path, Model(lambda _: replies.pop() if replies else says("S"))) as services:
        attach_id = _attach(services, "line\n" * 24_000)
        services.conversation.append(OWN, say("q"))
        (chat,) = chat_ids(services)
        assert await _while_asked(services, attach_id, gate, lambda: services.conversation.clear(OWN))
        assert live_messages(services) == []
        assert "[Summary of 120000 characters" in chat_texts(services, chat)[0]


async def test_an_attachment_that_has_gone_stays_gone(tmp_path: Path) -> None:
    gate = Gate()
    replies = [Reply((gate, delta("S"), b"data: [DONE]\n\n"))]
    with open_services(tmp_path, Model(lambda _: replies.pop() if replies else says("S"))) as services:
        attach_id = _attach(services, "line\n" * 24_000)
        assert not await _while_asked(services, attach_id, gate, lambda: services.attachments.remove(OWN, attach_id))
        assert live_messages(services) == []


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, True),
        ({"autoSummarizeAttachments": False}, False),
        ({"summarizeThresholdChars": 200_000}, False),
        ({"summarizeThresholdChars": 10}, True),
        ({"providers": {"test": {"kind": "openai-chat", "baseUrl": "http://e", "agent": True}}}, False),
        ({"activeProvider": "gone"}, False),
    ],
)
async def test_the_person_decides_whether_and_from_which_length_on(
    settings: dict[str, Any], wanted: bool, services: Services
) -> None:
    services.area.set(OWN, settings)
    assert services.summarizing.is_wanted(OWN, 100_001) is wanted
    services.area.set(OWN, {"summarizeThresholdChars": 0})
    assert not services.summarizing.is_wanted(OWN, 100_000)
