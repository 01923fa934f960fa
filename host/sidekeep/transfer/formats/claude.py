"""Claude: an array of conversations (or one), alone or in the ZIP. File bytes are never in it, extracted text is."""

from typing import Any

from sidekeep.transfer import content
from sidekeep.transfer.assembly import Row, shown, unique_ids
from sidekeep.transfer.assets import Assets
from sidekeep.transfer.conversation import Conversation, Message, Missing, Part
from sidekeep.transfer.tree import Node
from sidekeep.transfer.values import Foreign, Items, Time, Words, parsed

SOURCE = "claude"


class _File(Foreign):
    file_name: Words = ""
    file_type: Words = ""
    extracted_content: Words = ""


class _Message(Foreign):
    uuid: Words = ""
    sender: Words = ""
    text: Words = ""
    content: Items = []
    created_at: Time = None
    attachments: Items = []
    files: Items = []
    parent_message_uuid: Words = ""


class _Conversation(Foreign):
    uuid: Words = ""
    name: Words = ""
    created_at: Time = None
    updated_at: Time = None
    chat_messages: list[Any]


def read(record: Any, assets: Assets) -> Conversation:
    """One conversation. Raises Unreadable."""
    found = parsed(_Conversation, record)
    rows = [_row(number, parsed(_Message, raw), raw) for number, raw in enumerate(found.chat_messages)]
    if any(row.node.parent for row in rows):
        result = shown(rows, "")
        messages, branches, kept = result.messages, result.branches, result.kept
    else:
        messages = unique_ids(message for row in rows for message in row.messages)
        branches, kept = (), tuple(row.kept for row in rows if row.kept is not None)
    return Conversation(
        SOURCE,
        found.uuid,
        messages,
        title=found.name,
        created_at_ms=found.created_at,
        updated_at_ms=found.updated_at,
        branches=branches,
        kept=kept,
    )


def _row(number: int, message: _Message, raw: Any) -> Row:
    message_id = message.uuid or f"message-{number + 1}"
    node = Node(message_id, message.parent_message_uuid, at_ms=message.created_at)
    parts, reasoning, is_whole = _content(message)
    files = [parsed(_File, each) for each in message.attachments if isinstance(each, dict)]
    named = {each.file_name for each in files if each.extracted_content}
    only_named = [parsed(_File, each) for each in message.files if isinstance(each, dict)]
    parts += [
        Missing("image" if _is_image(each) else "file", each.file_name)
        for each in (*files, *only_named)
        if not each.extracted_content and each.file_name not in named
    ]
    extra = {"reasoning": reasoning} if reasoning else {}
    role = "user" if message.sender == "human" else "assistant"
    made = Message(message_id, role, content.joined(parts), message.created_at, extra)
    shown_messages = content.with_attachments(made, [(each.file_name, each.extracted_content) for each in files])
    return Row(node, shown_messages, kept=None if is_whole else raw)


def _content(message: _Message) -> tuple[list[Part], str, bool]:
    """The parts, the reasoning, and whether that is all there was."""
    parts: list[Part] = []
    reasoning: list[str] = []
    is_whole = True
    for block in message.content:
        kind = block.get("type") if isinstance(block, dict) else None
        text = block.get("thinking" if kind == "thinking" else "text") if isinstance(block, dict) else None
        if kind == "thinking" and isinstance(text, str):
            reasoning.append(text)
        elif kind in ("text", "voice_note") and isinstance(text, str):
            parts += content.texts(text)
            is_whole = is_whole and not block.get("citations")
        elif kind == "tool_use":
            parts += content.texts(_artifact(block.get("input")))
            is_whole = False
        else:
            is_whole = False
    if not parts:
        parts += content.texts(message.text)
    return parts, "\n\n".join(text for text in reasoning if text), is_whole


def _artifact(value: Any) -> str:
    """A document that the model wrote, as a section of its answer; "" for any other tool's input."""
    if not isinstance(value, dict) or not isinstance(value.get("content"), str) or "command" not in value:
        return ""
    title = value.get("title")
    heading = f"**{title}**\n\n" if isinstance(title, str) and title else ""
    language = value.get("language")
    fence = "````"
    return f"{heading}{fence}{language if isinstance(language, str) else ''}\n{value['content']}\n{fence}"


def _is_image(file: _File) -> bool:
    return file.file_type.startswith("image/") or file.file_name.lower().endswith(
        (".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".svg", ".bmp")
    )
