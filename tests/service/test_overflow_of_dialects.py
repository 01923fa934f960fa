"""An overflow, and an end before the end, in the recorded streams of every kind of provider."""

import json

import pytest
from tests.llm.playing import pieces, recorded
from tests.support.asking import Asking
from tests.support.stores import say

from sidekeep.domain import attachment
from sidekeep.llm.scripted import Reply, ScriptedClient
from sidekeep.service.running import TurnDone, TurnFailed
from sidekeep.service.services import Services

pytestmark = pytest.mark.anyio

KINDS = ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"]
PAGE = attachment.render(url="https://e.org/p", title="A", mode="full", text="long words " * 2_700)
# The error that the recorded streams carry, and what a server says of a request that is too large.
FAILED = b"The upstream provider failed."
TOO_LONG = b"prompt is too long: 9000 tokens > 8192 maximum"
ANSWER = "Hello, wörld 🙂\u2028!"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def asking(services: Services, client: ScriptedClient, kind: str) -> Asking:
    """A page is attached, and a model of that kind is asked."""
    asking = Asking(services, client)
    asking.knows(kind=kind, window=200_000)
    asking.has([say(PAGE, attachId="A")])
    return asking


def _stream(kind: str, name: str) -> Reply:
    return Reply((recorded(kind, name).replace(FAILED, TOO_LONG),))


async def test_an_error_event_before_any_text_is_rescued(asking: Asking, kind: str) -> None:
    done = await asking.ask("?", _stream(kind, "error"), _stream(kind, "answer"))
    assert isinstance(done, TurnDone)
    assert done.rescued
    first, second = (len(request.body) for request in asking.client.requests)
    assert second < first
    assert asking.stored()[-1]["content"] == ANSWER
    assert len(asking.stored()[0]["content"]) < len(PAGE)


async def test_an_error_event_after_text_keeps_the_partial_answer_and_sends_nothing_more(
    asking: Asking, kind: str
) -> None:
    failed = await asking.ask("?", _stream(kind, "error-after-text"))
    assert isinstance(failed, TurnFailed)
    assert failed.error.data["verdict"] == "overflow"
    assert len(asking.client.requests) == 1
    page, _, partial = asking.stored()
    assert page["content"] == PAGE
    assert (ANSWER.startswith(partial["content"]), partial["interrupted"]) == (True, True)


async def test_an_error_in_a_200_is_rescued(asking: Asking, kind: str) -> None:
    error = json.dumps({"error": {"message": TOO_LONG.decode(), "code": 400}}).encode()
    done = await asking.ask("?", Reply((error,), content_type="application/json"), _stream(kind, "answer"))
    assert isinstance(done, TurnDone)
    assert done.rescued


async def test_a_stream_of_nothing_but_its_end_is_a_failure(asking: Asking, kind: str) -> None:
    failed = await asking.ask("?", _stream(kind, "empty"))
    assert isinstance(failed, TurnFailed)
    assert len(asking.client.requests) == 1
    assert asking.stored()[0]["content"] == PAGE


async def test_a_cut_connection_is_tried_again_before_text_and_kept_after_it(asking: Asking, kind: str) -> None:
    whole = pieces(kind, "answer")
    first_text = next(index for index, piece in enumerate(whole) if b"Hel" in piece)
    cut = Reply(tuple(whole[: first_text + 1]), ending="cut")
    done = await asking.ask("1", Reply((), ending="cut"), _stream(kind, "answer"))
    assert isinstance(done, TurnDone)
    assert [told.kind for told in asking.statuses] == ["retrying"]
    failed = await asking.ask("2", cut)
    assert isinstance(failed, TurnFailed)
    assert asking.stored()[-1]["interrupted"] is True
    assert len(asking.client.requests) == 3
