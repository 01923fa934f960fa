"""Messages that say less than they did, and carry what they said."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain.shortened import original_content, restored, shortened

contents = st.text(max_size=5) | st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2))
messages = st.fixed_dictionaries(
    {"role": st.just("user"), "content": contents}, optional={"attachId": st.text(), "imagesSeen": st.booleans()}
)
reasons = st.sampled_from(["rescued", "summarized"])


@given(message=messages, changes=st.lists(st.tuples(contents, reasons), min_size=1, max_size=3))
def test_what_was_shortened_comes_back_however_often(message: dict[str, Any], changes: list[Any]) -> None:
    changed = message
    for content, reason in changes:
        changed = shortened(changed, content, reason)
        assert (changed["content"], changed[reason]) == (content, True)
        assert original_content(changed) == message["content"]
    assert restored(changed) == message


@pytest.mark.parametrize(
    "message", [{"role": "user", "content": "a"}, {"role": "user", "content": [], "rescued": True}]
)
def test_what_was_not_shortened_stays_as_it_is(message: dict[str, Any]) -> None:
    assert restored(message) is message
    assert original_content(message) == message["content"]
