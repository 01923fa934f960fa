"""A tool's call and its result go together."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.request_runs import pairs_are_whole
from tests.support.requests import answers, asks, calls, returns, says

from sidekeep.request.pairs import paired
from sidekeep.request.view import Entry, ToolCall

Q, A = asks("q"), answers("a")
CALL, RESULT = calls("c1", "read"), returns("c1", "ok")


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ([Q, CALL, RESULT, A], [Q, CALL, RESULT, A]),
        ([Q, CALL, RESULT, RESULT, A], [Q, CALL, RESULT, A]),
        ([RESULT, Q, A], [Q, A]),
        ([Q, CALL, A], [Q, A]),
        ([Q, CALL, asks("x"), RESULT, A], [Q, CALL, RESULT, asks("x"), A]),
        ([Q, CALL, RESULT, A, CALL, RESULT], [Q, CALL, RESULT, A, CALL, RESULT]),
        ([Q, CALL, RESULT, CALL], [Q, CALL, RESULT]),
    ],
    ids=["whole", "answered twice", "never called for", "never answered", "late", "an id again", "an id again, open"],
)
def test_pairs_are_made_whole(given_: list[Entry], shown: list[Entry]) -> None:
    assert paired(given_) == shown


def test_an_open_call_leaves_what_was_said_with_it() -> None:
    both = says("assistant", "let me see", tool_calls=(ToolCall("c1", "read", "{}"), ToolCall("c2", "read", "{}")))
    (_, said, result) = paired([Q, both, RESULT])
    assert (said.text, [call.id for call in said.tool_calls], result) == ("let me see", ["c1"], RESULT)
    assert paired([Q, both])[1].tool_calls == ()


pieces: st.SearchStrategy[Any] = st.sampled_from([Q, A, CALL, RESULT, calls("c2", "read"), returns("c2", "x")])


@given(entries=st.lists(pieces, max_size=12))
def test_whatever_was_stored_no_result_is_alone_and_what_was_said_stays(entries: list[Entry]) -> None:
    shown = paired(entries)
    assert pairs_are_whole(shown)
    assert [e for e in shown if e in (Q, A)] == [e for e in entries if e in (Q, A)]
    assert paired(shown) == shown
