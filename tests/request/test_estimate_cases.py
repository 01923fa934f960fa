"""The shared cases of group `estimate` that are about messages: what the report of a request says of them."""

from typing import Any

import pytest
from tests.support.pictures import picture, url_of
from tests.support.request_cases import cases
from tests.support.request_runs import SERVER, entries_of

from sidekeep.request.build import Conversation, RequestSettings, Turn, build

SPELLINGS: dict[str, Any] = {
    "image_url": lambda url: {"type": "image_url", "image_url": {"url": url}},
    "input_image": lambda url: {"type": "input_image", "image_url": url},
    "anthropic_image": lambda url: {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": url.partition(",")[2]},
    },
    "inline_data": lambda url: {"inline_data": {"mime_type": "image/png", "data": url.partition(",")[2]}},
}


def _histories(case: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The history; where the case names spellings of a picture, one for each."""
    shapes = case["params"].get("shapes")
    if shapes is None:
        return [case["history"]]
    ((message),) = case["history"]
    text, picture = message["content"]
    return [[{**message, "content": [text, SPELLINGS[shape](picture["image_url"]["url"])]}] for shape in shapes]


@pytest.mark.parametrize("case", [case for case in cases("estimate") if case.values[0].get("history")])
def test_messages_cost_what_the_case_says(case: dict[str, Any]) -> None:
    for history in _histories(case):
        _, report = build(Conversation(entries_of(history)), Turn(), SERVER, RequestSettings())
        assert case["expect"]["tokens_min"] <= report.estimated_tokens <= case["expect"]["tokens_max"]


def test_a_picture_that_stayed_in_its_message_costs_what_its_header_says() -> None:
    """Base64 that is not canonical is not cut out of a message (domain/pixels.py)."""
    url = url_of(picture(1024, 1024)) + "="
    content = [{"type": "image_url", "image_url": {"url": url}}]
    gpt = SERVER._replace(model="gpt-4o")
    _, report = build(Conversation(entries_of([{"role": "user", "content": content}])), Turn(), gpt, RequestSettings())
    assert report.estimated_tokens == pytest.approx(765, abs=20)
