"""How much of each request a server has seen before: a cached prefix costs a tenth."""

import random

import pytest
from tests.support.request_runs import SERVER

from sidekeep.request.build import Conversation, RequestSettings, Turn, build
from sidekeep.request.view import Entry, Text

WINDOW = 32_000
HEADER = "[Page context attached by sidekeep]\nURL: https://e.org/{n}\nTitle: Page {n}\nMode: full\n---\n\n"


def _entry(number: int, role: str, tokens: int, *, page: bool = False) -> Entry:
    text = (HEADER.format(n=number) if page else f"{number} ") + "word " * tokens
    return Entry(f"m{number}", role, (Text(text),), attach_id=f"a{number}" if page else None, tokens=tokens)


def _chat(turns: int, pages: float) -> list[list[Entry]]:
    """What each turn adds: now and then a page, a question; then its answer."""
    rolls = random.Random(7)
    added: list[list[Entry]] = []
    number = 0
    for _ in range(turns):
        turn = []
        if rolls.random() < pages:
            turn.append(_entry(number, "user", rolls.randint(500, 8_000), page=True))
        turn.append(_entry(number + 1, "user", rolls.choice([15, 60, 250])))
        turn.append(_entry(number + 2, "assistant", rolls.choice([80, 300, 900])))
        number += 3
        added.append(turn)
    return added


def _share(chat: list[list[Entry]]) -> float:
    """The share of all requests' tokens, once the budget is full, with which the request before began, too."""
    conversation = Conversation(())
    before: list[Entry] = []
    seen = sent = 0
    provider = SERVER._replace(window=WINDOW)
    for *asked, answer in chat:
        conversation = Conversation((*conversation.entries, *asked), conversation.cut)
        request, report = build(conversation, Turn(), provider, RequestSettings("Be brief."))
        same = 0
        for one, other in zip(before, request.entries, strict=False):
            if one != other:
                break
            same += request.estimates[other.message_id]
        if report.messages_dropped or sent:
            seen += same
            sent += sum(request.estimates.values())
        before = list(request.entries)
        conversation = Conversation((*conversation.entries, answer), report.cut)
    assert sent > 100 * WINDOW // 2
    return seen / sent


@pytest.mark.parametrize("pages", [0.0, 0.05, 0.3], ids=["questions only", "a page now and then", "many pages"])
def test_a_long_chat_at_a_full_budget_begins_as_the_request_before(pages: float) -> None:
    assert _share(_chat(300, pages)) >= 0.85
