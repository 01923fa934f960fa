"""The shared cases of group `rescue`, against a real store and a scripted model."""

from typing import Any

import pytest
from tests.support.asking import TOO_LONG, Asking, begins_then_overflows, capped
from tests.support.request_cases import cases
from tests.support.stores import OWN

from sidekeep.llm.scripted import Reply, ScriptedClient, says
from sidekeep.service.running import TurnDone
from sidekeep.service.services import Services

pytestmark = pytest.mark.anyio

REPLIES = {
    "overflow": TOO_LONG,
    "delta+overflow": begins_then_overflows("Some "),
    "length": capped("Some "),
    "ok": says("ok"),
}


def _messages(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the person's side of the case is; the system text is a setting."""
    return [message for message in history if message["role"] != "system"]


@pytest.mark.parametrize("case", cases("rescue"))
async def test_a_rescue_is_what_the_case_says(services: Services, client: ScriptedClient, case: dict[str, Any]) -> None:
    *before, last = _messages(case["history"])
    expected = case["expect"]
    answers: list[Reply] = [REPLIES[name] for name in case["params"]["answers"]]
    asking = Asking(services, client)
    asking.knows(window=1_000_000)
    asking.has(before)
    client.replies = answers
    done = await asking.ask(last["content"])
    if "next" in case["params"]:
        await asking.ask(case["params"]["next"])
    if "requests" in expected:
        assert len(client.requests) == expected["requests"]
    if expected.get("result") == "ok":
        assert isinstance(done, TurnDone)
        assert len(asking.statuses) == expected["notice"]
    for name in expected.get("stubs_stored", ()):
        original = next(message["content"] for message in before if message.get("attachId") == name)
        stored = next(message["content"] for message in asking.stored() if message.get("attachId") == name)
        assert len(stored) < 300
        assert services.attachments.get(OWN, name).text == original
    if text := expected.get("contains_text"):
        assert any(message["content"] == text for message in asking.sent())
    if "third_contains_full_attachment" in expected:
        assert ("p" * 10_000 in asking.sent_text(2) or "r" * 10_000 in asking.sent_text(2)) is False
    if expected.get("partial_kept"):
        assert (asking.stored()[-1]["content"], asking.stored()[-1]["interrupted"]) == ("Some ", True)
    if expected.get("third_fits"):
        assert len(asking.sent_text()) < 1_000
