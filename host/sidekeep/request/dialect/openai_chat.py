"""OpenAI's chat completions, as most servers speak it."""

from collections.abc import Iterator
from typing import Any

from sidekeep.request.build import Request
from sidekeep.request.dialect.body import dumps
from sidekeep.request.dialect.models import alternates, counts_unasked, openai_reasons
from sidekeep.request.dialect.pictures import DataUrls, address, in_words
from sidekeep.request.dialect.plain import Message, said, text_only, two_sides
from sidekeep.request.view import Entry, Part, Text, ToolCall


def write(request: Request, data_urls: DataUrls) -> bytes:
    """The body of a streaming request. `data_urls` has the pictures of `request.pictures`, as data URLs.

    Base64 needs no escaping, so pictures are put in as they are. One that is missing becomes a line that says so.
    """
    reasons = openai_reasons(request.model)
    body: dict[str, Any] = {"model": request.model}
    if request.temperature is not None and not reasons:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_completion_tokens" if reasons else "max_tokens"] = request.max_tokens
    body["stream"] = True
    if not counts_unasked(request.model):
        body["stream_options"] = {"include_usage": True}
    body["messages"] = list(_messages(request, data_urls))
    return dumps(body)


def _messages(request: Request, data_urls: DataUrls) -> Iterator[dict[str, Any]]:
    # Servers in between know the developer's role under its old name only.
    instructs = "developer" if openai_reasons(request.model) and "/" not in request.model else "system"
    strict = alternates(request.model) if request.alternate is None else request.alternate
    system, sides = two_sides(request) if strict else (request.system, [])
    if system:
        yield {"role": instructs, "content": system}
    for side in sides:
        yield _message(side, side.role, data_urls)
    for entry in () if strict else request.entries:
        yield from _entry(entry, instructs, data_urls)


def _entry(entry: Entry, instructs: str, data_urls: DataUrls) -> Iterator[dict[str, Any]]:
    """An entry as it is; an answer may call tools without a word."""
    if entry.role == "tool":
        yield {"role": "tool", "content": text_only(entry), "tool_call_id": entry.tool_call_id}
        return
    if entry.tool_calls:
        yield {"role": entry.role, "content": entry.text, "tool_calls": [_call(call) for call in entry.tool_calls]}
    for message in said(entry):
        if message.role == "user" or not entry.tool_calls:
            yield _message(message, instructs if message.role == "system" else message.role, data_urls)


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _message(message: Message, role: str, data_urls: DataUrls) -> dict[str, Any]:
    if not message.has_pictures:
        return {"role": role, "content": message.text}
    return {"role": role, "content": [_part(part, data_urls) for part in message.parts]}


def _part(part: Part, data_urls: DataUrls) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    url = address(part, data_urls)
    return {"type": "text", "text": in_words(part)} if url is None else {"type": "image_url", "image_url": {"url": url}}
