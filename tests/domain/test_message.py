"""A message's text."""

from typing import Any

import pytest

from sidekeep.domain.message import text_of


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("as it is", "as it is"),
        (
            [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "b"}],
            "a\n\nb",
        ),
        ([{"type": "text"}, {"type": "text", "text": 5}, "x", None], ""),
        (None, ""),
        ({"text": "x"}, ""),
    ],
)
def test_the_text_of_a_content(content: Any, text: str) -> None:
    assert text_of(content) == text
