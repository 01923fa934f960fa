"""A conversation as the request side sees it: roles, texts, pictures, calls of tools and their results."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import orjson

from sidekeep.domain import attachment, pixels
from sidekeep.domain.image_parts import image_url_of
from sidekeep.domain.message import SAW_MEMBER, StoredMessage, saw
from sidekeep.domain.picture_size import data_url_size


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: kept in the store under `sha256`, or given by a `url` that was never a picture of ours.

    Width and height are 0 where they are not known. Sizes are the decoded files', in bytes; `thumbnail_size` is 0 where there is
    no thumbnail. With `thumbnail` it goes out as that. The whole is the key under which its bytes are asked for.
    """

    sha256: bytes = b""
    url: str = ""
    width: int = 0
    height: int = 0
    size: int = 0
    thumbnail_size: int = 0
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

    `attach_id` is "" for an attachment of another program that gives them no id. `images_seen`: an answer has been given to its
    pictures. `tokens` is the estimate for its text that is kept beside the message; None where
    there is none.

    What a request made of it: `kept` is how much of the message's own text is in it, in characters, where something else stands
    there, too (a label, a line in its place, the marker of a cut; None: nothing else); `shortened` how; `labels` how many.
    """

    message_id: str
    role: str
    parts: tuple[Part, ...]
    attach_id: str | None = None
    images_seen: bool = False
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    tokens: int | None = None
    kept: int | None = None
    shortened: Literal["no", "cut", "line"] = "no"
    labels: int = 0

    @property
    def images(self) -> int:
        count = 0
        for part in self.parts:
            if isinstance(part, Image):
                count += 1
        return count

    @property
    def is_attachment(self) -> bool:
        """By its id; a text that only begins like an attachment is the person's or the page's own."""
        return self.attach_id is not None

    @property
    def characters(self) -> int:
        """How long it is: all its text parts together, and what it asks tools."""
        length = 0
        for part in self.parts:
            if isinstance(part, Text):
                length += len(part.text)
        for call in self.tool_calls:
            length += len(call.arguments)
        return length

    @property
    def own_characters(self) -> int:
        """How much of it is the message's own."""
        return self.characters if self.kept is None else self.kept

    @property
    def text(self) -> str:
        """All its text, a blank line between the parts."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text))


_NO_PICTURES: Mapping[bytes, Image] = MappingProxyType({})
_NO_TOKENS: Mapping[int, int] = MappingProxyType({})


def view(
    messages: Iterable[StoredMessage],
    pictures: Mapping[bytes, Image] = _NO_PICTURES,
    tokens: Mapping[int, int] = _NO_TOKENS,
) -> tuple[Entry, ...]:
    """Stored messages as entries; their pictures are referred to, not read. `pictures` has what is known of them, `tokens` the
    estimates by row.

    A message is one entry, and each result of a tool in it one of its own, before it. Pictures are seen where the message says
    so, or an answer of the conversation that was given them.
    """
    found: list[Entry] = []
    seen: set[str] = set()
    for message in messages:
        body = orjson.loads(_with_stand_ins(message) if message.cuts else message.body)
        content = body.get("content")
        if isinstance(content, str) and "tool_calls" not in body and "tool_call_id" not in body:
            found.append(_plain(message, body, content, tokens.get(message.message_pk)))  # nearly all of them
        else:
            found += _entries(message, body, pictures, tokens.get(message.message_pk))
        if SAW_MEMBER in body:
            seen.update(saw(body))
    if not seen:
        return tuple(found)
    return tuple(
        replace(entry, images_seen=True) if entry.message_id in seen and entry.images else entry for entry in found
    )


def _with_stand_ins(message: StoredMessage) -> bytes:
    """The body with a hash where each picture was cut out, so that a URL which was empty all along is not taken for one."""
    return pixels.join(message.body, message.cuts, [cut.sha256.hex().encode() for cut in message.cuts])


def _plain(message: StoredMessage, body: dict[str, Any], content: str, tokens: int | None) -> Entry:
    parts = (Text(content),) if content else ()
    attach_id = message.attach_id if message.attach_id or "id" in body else _imported_attachment(content)
    return Entry(message.message_id, message.role, parts, attach_id, tokens=tokens)


def _entries(
    message: StoredMessage, body: dict[str, Any], pictures: Mapping[bytes, Image], tokens: int | None
) -> Iterator[Entry]:
    content = body.get("content")
    given = content if isinstance(content, list) else [{"type": "text", "text": content}]
    items = [item for item in given if isinstance(item, dict)]
    results = [item for item in items if item.get("type") == "tool_result"]
    for result in results:
        yield Entry(message.message_id, "tool", _result_parts(result), tool_call_id=_string(result.get("tool_use_id")))
    parts = tuple(_parts(items, message, pictures))
    if results and not parts:
        return
    first = next((item.get("text") for item in items if item.get("type") == "text"), None)
    yield Entry(
        message.message_id,
        message.role,
        parts,
        attach_id=message.attach_id if message.attach_id or "id" in body else _imported_attachment(first),
        images_seen=body.get("imagesSeen") is True,
        tool_calls=(*_tool_calls(body.get("tool_calls")), *_tool_uses(items)),
        tool_call_id=_string(body.get("tool_call_id")),
        tokens=None if results else tokens,
    )


def _parts(items: list[dict[str, Any]], message: StoredMessage, pictures: Mapping[bytes, Image]) -> Iterator[Part]:
    """Texts and pictures. What a model thought (and signed) is no part: it goes out unchanged or not at all."""
    cut_out = {cut.head + cut.sha256.hex(): cut.sha256 for cut in message.cuts}
    for item in items:
        text = item.get("text")
        if item.get("type") == "text" and isinstance(text, str):
            if text:
                yield Text(text)
        elif url := image_url_of(item):
            sha256 = cut_out.get(url)
            if sha256 is not None:
                yield pictures.get(sha256) or Image(sha256=sha256)
            else:
                width, height = data_url_size(url)
                yield Image(url=url, width=width, height=height)


def _imported_attachment(text: Any) -> str | None:
    """Whether a message that another program wrote (ours have ids) is an attachment: its header alone says so."""
    return "" if isinstance(text, str) and attachment.has_header(text) else None


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
