"""OpenAI's Responses API. Nothing is stored there (`store`): the conversation is Sidekeep's own."""

from collections.abc import Iterator
from typing import Any

from sidekeep.request.build import Request
from sidekeep.request.dialect.body import dumps
from sidekeep.request.dialect.models import openai_reasons
from sidekeep.request.dialect.pictures import DataUrls, address, in_words
from sidekeep.request.dialect.plain import Message, said, text_only
from sidekeep.request.view import Entry, Part, Text


def write(request: Request, data_urls: DataUrls) -> bytes:
    """The body of a streaming request. `data_urls` has the pictures of `request.pictures`, as data URLs."""
    body: dict[str, Any] = {"model": request.model}
    if request.temperature is not None and not openai_reasons(request.model):
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    body["store"] = False
    body["stream"] = True
    if request.system:
        body["instructions"] = request.system
    body["input"] = [item for entry in request.entries for item in _items(entry, data_urls)]
    return dumps(body)


def _items(entry: Entry, data_urls: DataUrls) -> Iterator[dict[str, Any]]:
    if entry.role == "tool":
        yield {"type": "function_call_output", "call_id": entry.tool_call_id, "output": text_only(entry)}
        return
    for message in said(entry):
        yield _message(message, data_urls)
    for call in entry.tool_calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _message(message: Message, data_urls: DataUrls) -> dict[str, Any]:
    role = "developer" if message.role == "system" else message.role
    if not message.has_pictures:
        return {"role": role, "content": message.text}
    return {"role": role, "content": [_part(part, data_urls) for part in message.parts]}


def _part(part: Part, data_urls: DataUrls) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    url = address(part, data_urls)
    if url is None:
        return {"type": "input_text", "text": in_words(part)}
    return {"type": "input_image", "detail": "auto", "image_url": url}
