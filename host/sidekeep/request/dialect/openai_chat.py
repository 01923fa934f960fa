"""OpenAI's chat completions, as most servers speak it."""

from collections.abc import Mapping
from typing import Any

import orjson

from sidekeep.request.build import Request
from sidekeep.request.view import Entry, Image, Text, ToolCall


def write(request: Request, data_urls: Mapping[Image, bytes]) -> bytes:
    """The body of a streaming request. `data_urls` has the pictures of `request.pictures`, as data URLs.

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


def _messages(request: Request, data_urls: Mapping[Image, bytes]) -> list[dict[str, Any]]:
    system = [{"role": "system", "content": request.system}] if request.system else []
    return [*system, *(_message(entry, data_urls) for entry in request.entries)]


def _message(entry: Entry, data_urls: Mapping[Image, bytes]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": entry.role}
    message["content"] = [_part(part, data_urls) for part in entry.parts] if entry.images else entry.text
    if entry.tool_calls:
        message["tool_calls"] = [_call(call) for call in entry.tool_calls]
    if entry.role == "tool":
        message["tool_call_id"] = entry.tool_call_id
    return message


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _part(part: Text | Image, data_urls: Mapping[Image, bytes]) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if part.url:
        return {"type": "image_url", "image_url": {"url": part.url}}
    data_url = data_urls.get(part)
    if data_url is None:
        return {"type": "text", "text": "[a picture that is missing from the store]"}
    return {"type": "image_url", "image_url": {"url": orjson.Fragment(b'"%s"' % data_url)}}
