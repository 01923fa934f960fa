"""Pictures among the parts of messages, as each provider writes them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain.image_parts import image_url_of

URL = "data:image/png;base64,iVBORw=="

SPELLINGS: dict[str, dict[str, Any]] = {
    "chat completions": {"type": "image_url", "image_url": {"url": URL, "detail": "low"}},
    "a bare address": {"type": "image_url", "image_url": URL},
    "Responses": {"type": "input_image", "image_url": URL},
    "Anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
    "Anthropic, by address": {"type": "image", "source": {"type": "url", "url": URL}},
    "Gemini": {"inline_data": {"mime_type": "image/png", "data": "iVBORw=="}},
    "Gemini, camel case": {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}},
    "Gemini, by address": {"fileData": {"mimeType": "image/png", "fileUri": URL}},
    "a file": {"type": "file", "file": {"filename": "a.png", "file_data": URL}},
}


@pytest.mark.parametrize("part", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_picture_is_one_in_every_spelling(part: dict[str, Any]) -> None:
    assert image_url_of(part) == URL


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": URL},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}},
        {"type": "image", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}},
        {"inline_data": {"mime_type": "audio/wav", "data": "UklGRg=="}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0="}},
        {"type": "image_url", "image_url": None},
        {},
    ],
)
def test_what_is_no_picture_has_no_address(part: dict[str, Any]) -> None:
    assert image_url_of(part) == ""


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
names = st.sampled_from(
    ["type", "image_url", "source", "inline_data", "inlineData", "file_data", "fileData", "file", "url", "data"]
)


@given(st.dictionaries(names, json | st.dictionaries(names, json, max_size=3), max_size=4))
def test_no_part_is_too_odd(part: dict[str, Any]) -> None:
    assert isinstance(image_url_of(part), str)
