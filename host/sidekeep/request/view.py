"""A conversation as the request side sees it: roles, texts, pictures, calls of tools and their results."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import orjson

from sidekeep.domain import pixels
from sidekeep.domain.message import StoredMessage


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: kept in the store under `sha256`, or given by a `url` that was never a picture of ours.

    Width and height are 0 where they are not known; `size` is the decoded file's, in bytes. With `thumbnail` it goes out as its
    thumbnail. The whole is the key under which its bytes are asked for.
    """

    sha256: bytes = b""
    url: str = ""
    width: int = 0
    height: int = 0
    size: int = 0
    thumbnail: bool = False


Part = Text | Image


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model asked a tool to do. `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the conversation, or one result of a tool: role "tool" with the call's id.

    `images_seen`: an answer has been given to its pictures. `tokens` is the estimate that is kept beside the message; None
    where there is none.
    """

    message_id: str
    role: str
    parts: tuple[Part, ...]
    attach_id: str | None = None
    images_seen: bool = False
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    tokens: int | None = None

    @property
    def images(self) -> int:
        return sum(isinstance(part, Image) for part in self.parts)

    @property
    def text(self) -> str:
        """All its text, a blank line between the parts."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text))


_NONE: Mapping[bytes, Image] = MappingProxyType({})


def view(messages: Iterable[StoredMessage], pictures: Mapping[bytes, Image] = _NONE) -> tuple[Entry, ...]:
    """Stored messages as entries; their pictures are referred to, not read. `pictures` has what is known of them.

    A message is one entry, and each result of a tool in it one of its own, before it.
    """
    return tuple(entry for message in messages for entry in _entries(message, pictures))


def _entries(message: StoredMessage, pictures: Mapping[bytes, Image]) -> Iterator[Entry]:
    # Where a picture was cut out its hash stands in for it, so that a URL which was empty all along is not taken for one.
    named = [cut.sha256.hex().encode() for cut in message.cuts]
    body = orjson.loads(pixels.join(message.body, message.cuts, named))
    content = body.get("content")
    given = content if isinstance(content, list) else [{"type": "text", "text": content}]
    items = [item for item in given if isinstance(item, dict)]
    results = [item for item in items if item.get("type") == "tool_result"]
    for result in results:
        yield Entry(message.message_id, "tool", _result_parts(result), tool_call_id=_string(result.get("tool_use_id")))
    parts = tuple(_parts(items, message, pictures))
    if results and not parts:
        return
    yield Entry(
        message.message_id,
        message.role,
        parts,
        attach_id=message.attach_id,
        images_seen=body.get("imagesSeen") is True,
        tool_calls=(*_tool_calls(body.get("tool_calls")), *_tool_uses(items)),
        tool_call_id=_string(body.get("tool_call_id")),
    )


def _parts(items: list[dict[str, Any]], message: StoredMessage, pictures: Mapping[bytes, Image]) -> Iterator[Part]:
    """Texts and pictures. What a model thought (and signed) is no part: it goes out unchanged or not at all."""
    cut_out = {cut.head + cut.sha256.hex(): cut.sha256 for cut in message.cuts}
    for item in items:
        text = item.get("text")
        if item.get("type") == "text" and isinstance(text, str):
            if text:
                yield Text(text)
        elif isinstance(item.get("image_url"), dict):
            url = item["image_url"].get("url")
            if isinstance(url, str) and url in cut_out:
                sha256 = cut_out[url]
                yield pictures.get(sha256) or Image(sha256=sha256)
            elif isinstance(url, str) and url:
                yield Image(url=url)


def _result_parts(result: dict[str, Any]) -> tuple[Part, ...]:
    content = result.get("content")
    items = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [item.get("text") for item in items if isinstance(item, dict) and item.get("type") == "text"]
    return tuple(Text(text) for text in texts if isinstance(text, str) and text)


def _tool_calls(calls: Any) -> Iterator[ToolCall]:
    """Calls as OpenAI's chat messages have them."""
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield ToolCall(
                _string(call.get("id")), _string(function.get("name")), _string(function.get("arguments")) or "{}"
            )


def _tool_uses(items: list[dict[str, Any]]) -> Iterator[ToolCall]:
    """Calls as Anthropic's messages have them, among the parts."""
    for item in items:
        if item.get("type") == "tool_use":
            arguments = orjson.dumps(item.get("input") or {}).decode()
            yield ToolCall(_string(item.get("id")), _string(item.get("name")), arguments)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
