"""Anthropic's Messages API: the system text apart, messages that take turns, a breakpoint for the prompt cache."""

from typing import Any

from sidekeep.request.build import Request
from sidekeep.request.dialect.body import dumps
from sidekeep.request.dialect.models import claude_takes_temperature
from sidekeep.request.dialect.pictures import DataUrls, in_words, picture
from sidekeep.request.dialect.plain import two_sides
from sidekeep.request.view import Image, Part, Text

# The API insists on a number. Every model since Claude 3.5 may write this much.
DEFAULT_MAX_TOKENS = 8192

_MEDIA_TYPES = frozenset(("image/jpeg", "image/png", "image/gif", "image/webp"))
_CACHED = {"type": "ephemeral"}


def write(request: Request, data_urls: DataUrls) -> bytes:
    """The body of a streaming request. `data_urls` has the pictures of `request.pictures`, as data URLs.

    `cache_control` on top lets the server put the breakpoint at the end of each request by itself. A mark in the messages
    would move on with every turn, and what was sent once would not be sent the same way again.
    """
    system, sides = two_sides(request)
    body: dict[str, Any] = {"model": request.model, "max_tokens": _max_tokens(request)}
    if request.temperature is not None and claude_takes_temperature(request.model):
        body["temperature"] = min(request.temperature, 1.0)
    body["stream"] = True
    body["cache_control"] = _CACHED
    if system:
        body["system"] = [{"type": "text", "text": system, "cache_control": _CACHED}]
    body["messages"] = [
        {"role": side.role, "content": [_block(part, data_urls) for part in side.parts]} for side in sides
    ]
    return dumps(body)


def _max_tokens(request: Request) -> int:
    return request.max_tokens or max(1, min(DEFAULT_MAX_TOKENS, request.window_tokens // 2))


def _block(part: Part, data_urls: DataUrls) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    source = _source(part, data_urls)
    return {"type": "text", "text": in_words(part)} if source is None else {"type": "image", "source": source}


def _source(image: Image, data_urls: DataUrls) -> dict[str, Any] | None:
    if image.url.startswith("https:"):
        return {"type": "url", "url": image.url}
    found = picture(image, data_urls)
    if found is None or found.media_type not in _MEDIA_TYPES:
        return None
    return {"type": "base64", "media_type": found.media_type, "data": found.base64}
