"""Open WebUI: an array of rows with a `chat`; of its earlier days, an array of the chats themselves."""

from collections.abc import Iterable, Mapping
from typing import Any

from sidekeep.transfer import content
from sidekeep.transfer.assembly import Row, content_id, shown
from sidekeep.transfer.assets import Assets
from sidekeep.transfer.conversation import Conversation, Message, Missing, Part
from sidekeep.transfer.tree import Node
from sidekeep.transfer.values import Fields, Flag, Foreign, Items, Time, Words, parsed

SOURCE = "openwebui"


class _History(Foreign):
    messages: Fields = {}
    currentId: Words = ""


class _Chat(Foreign):
    id: Words = ""
    title: Words = ""
    history: _History | None = None
    messages: Items = []
    timestamp: Time = None


class _Wrapped(Foreign):
    id: Words = ""
    title: Words = ""
    chat: _Chat
    created_at: Time = None
    updated_at: Time = None
    pinned: Flag = False


class _Message(Foreign):
    id: Words = ""
    parentId: Words = ""
    childrenIds: Items = []
    role: Words = ""
    content: Any = ""
    timestamp: Time = None
    model: Words = ""
    done: Any = None
    files: Items = []
    error: Any = None
    usage: Fields = {}
    sources: Items = []


def read(record: Any, assets: Assets) -> Conversation:
    """One conversation. Raises Unreadable."""
    is_legacy = not isinstance(record.get("chat"), dict)
    row = parsed(_Wrapped, {"chat": record} if is_legacy else record)
    history = row.chat.history
    if history is not None and history.messages:
        rows = [_row(name, raw) for name, raw in history.messages.items() if isinstance(raw, dict)]
        current = history.currentId
    else:
        rows = _linear(row.chat.messages)
        current = rows[-1].node.id if rows else ""
    result = shown(rows, current)
    return Conversation(
        SOURCE,
        row.id or row.chat.id or content_id(record),
        result.messages,
        title=row.title or row.chat.title,
        created_at_ms=row.created_at if row.created_at is not None else row.chat.timestamp,
        updated_at_ms=row.updated_at,
        pinned=row.pinned,
        branches=result.branches,
        kept=result.kept,
    )


def _row(name: str, raw: Mapping[str, Any]) -> Row:
    message = parsed(_Message, raw)
    children = tuple(child for child in message.childrenIds if isinstance(child, str))
    node = Node(name, message.parentId, children, message.timestamp, parent_known="parentId" in raw)
    made = _message(name, message)
    return Row(node, (made,) if made.content or made.extra else ())


def _linear(messages: Iterable[Any]) -> list[Row]:
    """A list without links: each message answers the one before."""
    rows: list[Row] = []
    for number, raw in enumerate((each for each in messages if isinstance(each, dict)), start=1):
        previous = rows[-1].node.id if rows else ""
        found = raw.get("id")
        name = found if isinstance(found, str) and found else f"message-{number}"
        rows.append(_row(name, {**raw, "parentId": previous, "childrenIds": []}))
    return rows


def _message(name: str, message: _Message) -> Message:
    is_answer = message.role not in ("user", "system")
    parts, reasoning = _content(message.content, is_answer=is_answer)
    parts += [part for each in message.files if isinstance(each, dict) for part in _file(each)]
    extra: dict[str, Any] = {
        "model": message.model if is_answer else "",
        "reasoning": reasoning,
        "error": _error(message.error),
        "usage": _usage(message.usage),
        "sources": message.sources,
        "interrupted": is_answer and message.done is False,
    }
    role = message.role if message.role in ("user", "system") else "assistant"
    return Message(
        name, role, content.joined(parts), message.timestamp, {key: each for key, each in extra.items() if each}
    )


def _content(value: Any, *, is_answer: bool) -> tuple[list[Part], str]:
    if isinstance(value, str):
        reasoning, text = content.apart(value) if is_answer else ("", value)
        return list(content.texts(text)), reasoning
    parts: list[Part] = []
    for part in value if isinstance(value, list) else ():
        if not isinstance(part, dict):
            continue
        url = part.get("image_url")
        if isinstance(url, dict):
            parts.append(content.image(url.get("url")))
        elif isinstance(part.get("text"), str):
            parts += content.texts(part["text"])
    return parts, ""


def _file(file: Mapping[str, Any]) -> Iterable[Part]:
    name = file.get("name")
    name = name if isinstance(name, str) else ""
    url = file.get("url")
    if file.get("type") == "image":
        yield content.image(url, name=name)
    else:
        ref = file.get("id") or url
        yield Missing("file", name, ref if isinstance(ref, str) else "")


def _error(value: Any) -> str:
    text = value.get("content") if isinstance(value, dict) else value
    return text if isinstance(text, str) else ""


def _usage(value: Mapping[str, Any]) -> dict[str, int]:
    prompt, completion = value.get("prompt_tokens"), value.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return {}
    return {"promptTokens": prompt, "completionTokens": completion}
