"""OpenAI's chat completions, as most servers speak it."""

from collections.abc import Mapping
from typing import Any

import orjson

from sidekeep.request.build import Request
from sidekeep.request.view import Entry, Text

_ROLES = frozenset(("system", "developer", "user", "assistant", "tool"))


def write(request: Request, data_urls: Mapping[bytes, bytes]) -> bytes:
    """The body of a streaming request. `data_urls` has the pictures of `request.images`, as data URLs.

    Base64 needs no escaping, so pictures are put in as they are. A picture that is missing becomes a line that says so.
    """
    body: dict[str, Any] = {"model": request.model, "messages": _messages(request, data_urls)}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    body["stream"] = True
    body["stream_options"] = {"include_usage": True}
    return orjson.dumps(body)


def _messages(request: Request, data_urls: Mapping[bytes, bytes]) -> list[dict[str, Any]]:
    system = [{"role": "system", "content": request.system}] if request.system else []
    return [*system, *(_message(entry, data_urls) for entry in request.entries)]


def _message(entry: Entry, data_urls: Mapping[bytes, bytes]) -> dict[str, Any]:
    role = entry.role if entry.role in _ROLES else "user"
    if not entry.images:
        return {"role": role, "content": "\n\n".join(part.text for part in entry.parts if isinstance(part, Text))}
    return {"role": role, "content": [_part(part, data_urls) for part in entry.parts]}


def _part(part: Any, data_urls: Mapping[bytes, bytes]) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if part.url:
        return {"type": "image_url", "image_url": {"url": part.url}}
    data_url = data_urls.get(part.sha256)
    if data_url is None:
        return {"type": "text", "text": "[a picture that is missing from the store]"}
    return {"type": "image_url", "image_url": {"url": orjson.Fragment(b'"%s"' % data_url)}}
