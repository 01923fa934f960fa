"""LibreChat: one conversation a file, its messages flat and linked, or as a tree of `children`."""

from collections.abc import Mapping
from typing import Any

from sidekeep.errors import Unreadable
from sidekeep.transfer import content
from sidekeep.transfer.assembly import Row, content_id, shown
from sidekeep.transfer.assets import Assets
from sidekeep.transfer.conversation import Conversation, Message, Missing, Part
from sidekeep.transfer.tree import Node
from sidekeep.transfer.values import Flag, Foreign, Items, Time, Words, parsed

SOURCE = "librechat"

# Content parts that the chat shows; of reasoning and errors it knows too, and everything else is kept beside it.
_SHOWN = ("text", "summary", "image_url", "image_file")


class _Conversation(Foreign):
    conversationId: Words = ""
    title: Words = ""
    messages: Items = []


class _Message(Foreign):
    messageId: Words = ""
    parentMessageId: Words = ""
    text: Words = ""
    isCreatedByUser: Flag = False
    model: Words = ""
    createdAt: Time = None
    error: Flag = False
    unfinished: Flag = False
    content: Items = []
    files: Items = []
    attachments: Items = []


def flattened(record: Any) -> Any:
    """The same conversation with `messagesTree` as `messages` that name their parents. A tree is as deep as the conversation
    is long, so this comes before anything that counts levels."""
    tree = record.get("messagesTree") if isinstance(record, dict) else None
    if not isinstance(tree, list):
        tree = record.get("messages") if isinstance(record, dict) else None
        if not isinstance(tree, list) or not any(isinstance(each, dict) and each.get("children") for each in tree):
            return record
    flat: list[Any] = []
    waiting = [(raw, "") for raw in reversed(tree)]
    while waiting:
        raw, parent = waiting.pop()
        if not isinstance(raw, dict):
            raise Unreadable("messagesTree: one of its messages is no object.")
        message = {name: value for name, value in raw.items() if name != "children"}
        message_id = message.setdefault("messageId", f"message-{len(flat) + 1}")
        if parent:
            message["parentMessageId"] = parent
        flat.append(message)
        children: Any = raw.get("children")
        waiting += [(child, message_id) for child in reversed(children if isinstance(children, list) else [])]
    return {**{name: value for name, value in record.items() if name != "messagesTree"}, "messages": flat}


def read(record: Any, assets: Assets) -> Conversation:
    """One conversation, flattened. The file has no time of its own: `exportAt` is a time of day. Raises Unreadable."""
    found = parsed(_Conversation, record)
    rows = [_row(number, parsed(_Message, raw), raw) for number, raw in enumerate(found.messages, start=1)]
    result = shown(rows, "")
    times = [row.node.at_ms for row in rows if row.node.at_ms is not None]
    return Conversation(
        SOURCE,
        found.conversationId or content_id(record),
        result.messages,
        title=found.title,
        created_at_ms=min(times, default=None),
        updated_at_ms=max(times, default=None),
        branches=result.branches,
        kept=result.kept,
    )


def _row(number: int, message: _Message, raw: Any) -> Row:
    message_id = message.messageId or f"message-{number}"
    node = Node(message_id, message.parentMessageId, at_ms=message.createdAt)
    told = [_part(part) for part in message.content]
    parts = [part for kind, text, images in told if kind in _SHOWN for part in (*content.texts(text), *images)]
    if not parts:
        parts += content.texts(message.text)
    parts += [_file(each) for each in (*message.files, *message.attachments) if isinstance(each, dict)]
    extra: dict[str, Any] = {
        "model": "" if message.isCreatedByUser else message.model,
        "reasoning": "\n\n".join(text for kind, text, _ in told if kind == "think"),
        "error": "\n\n".join(text for kind, text, _ in told if kind == "error"),
        "interrupted": message.unfinished or message.error,
    }
    made = Message(
        message_id,
        "user" if message.isCreatedByUser else "assistant",
        content.joined(parts),
        message.createdAt,
        {name: value for name, value in extra.items() if value},
    )
    is_whole = all(kind in (*_SHOWN, "think", "error") for kind, _, _ in told)
    return Row(node, (made,) if made.content or made.extra else (), kept=None if is_whole else raw)


def _part(part: Any) -> tuple[str, str, tuple[Part, ...]]:
    """A content part's type, its text (a string, or the `value` of an object), and the picture it shows."""
    if not isinstance(part, dict):
        return "", "", ()
    kind = str(part.get("type") or "")
    if kind in ("image_url", "image_file"):
        return kind, "", (_image(part, kind),)
    text = part.get(kind)
    if isinstance(text, dict):
        text = text.get("value")
    return kind, text if isinstance(text, str) else "", ()


def _image(part: Mapping[str, Any], kind: str) -> Part:
    value = part.get(kind)
    value = value if isinstance(value, dict) else {"url": value}
    name = value.get("filename")
    return content.image(value.get("url") or value.get("filepath"), name=name if isinstance(name, str) else "")


def _file(file: Mapping[str, Any]) -> Part:
    path = file.get("filepath")
    path = path if isinstance(path, str) else ""
    name = file.get("filename")
    name = name if isinstance(name, str) and name else path.rpartition("/")[2]
    if str(file.get("type") or "").startswith("image/"):
        return content.image(path or None, name=name)
    return Missing("file", name, str(file.get("file_id") or path))
