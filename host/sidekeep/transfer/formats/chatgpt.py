"""ChatGPT: `conversations.json` or `conversations-NNN.json`, alone or in the ZIP with the pictures beside."""

from collections.abc import Iterable, Mapping
from typing import Any

from sidekeep.transfer import content
from sidekeep.transfer.assembly import Row, shown
from sidekeep.transfer.assets import Assets
from sidekeep.transfer.conversation import Conversation, Message, Missing, Part
from sidekeep.transfer.tree import Node
from sidekeep.transfer.values import Fields, Flag, Foreign, Time, Words, parsed

SOURCE = "chatgpt"

# Content that is told as the text it has; everything else is kept beside the chat.
_TEXT_TYPES = ("code", "execution_output", "tether_quote", "sonic_webpage", "system_error")
_REASONING = ("thoughts", "reasoning_recap")


class _Author(Foreign):
    role: Words = ""
    name: Words = ""


class _Message(Foreign):
    author: _Author = _Author()
    create_time: Time = None
    content: Fields = {}
    recipient: Words = "all"
    status: Words = ""
    metadata: Fields = {}

    @property
    def is_hidden(self) -> bool:
        return (
            self.metadata.get("is_visually_hidden_from_conversation") is True
            or self.author.role not in ("user", "assistant", "tool")
            or self.recipient not in ("all", "")
        )


class _Conversation(Foreign):
    id: Words = ""
    conversation_id: Words = ""
    title: Words = ""
    create_time: Time = None
    update_time: Time = None
    mapping: dict[str, Any]
    current_node: Words = ""
    is_starred: Flag = False
    pinned_time: Time = None


def read(record: Any, assets: Assets) -> Conversation:
    """One conversation. Raises Unreadable."""
    found = parsed(_Conversation, record)
    rows = [_row(name, node, assets) for name, node in found.mapping.items() if isinstance(node, dict)]
    result = shown(rows, found.current_node)
    return Conversation(
        SOURCE,
        found.conversation_id or found.id,
        result.messages,
        title=found.title,
        created_at_ms=found.create_time,
        updated_at_ms=found.update_time,
        pinned=found.is_starred or found.pinned_time is not None,
        branches=result.branches,
        kept=result.kept,
    )


def _row(name: str, node: Mapping[str, Any], assets: Assets) -> Row:
    raw = node.get("message")
    parent = node.get("parent")
    children = node.get("children")
    message = parsed(_Message, raw) if isinstance(raw, dict) else None
    place = Node(
        name,
        parent if isinstance(parent, str) else "",
        tuple(child for child in children if isinstance(child, str)) if isinstance(children, list) else (),
        message.create_time if message is not None else None,
        parent_known="parent" in node,
    )
    if message is None:
        return Row(place)
    kind = message.content.get("content_type")
    if kind in _REASONING:
        return Row(place, reasoning=_reasoning(message.content), kept=raw)
    parts = () if message.is_hidden else content.joined(_parts(message, assets))
    # Of a tool's rows only pictures that were made are part of the chat.
    if not parts or (message.author.role == "tool" and kind != "multimodal_text"):
        return Row(place, kept=raw)
    return Row(place, (_message(name, message, parts),), kept=_unknown(message.content))


def _message(name: str, message: _Message, parts: tuple[Part, ...]) -> Message:
    extra: dict[str, Any] = {}
    model = message.metadata.get("model_slug")
    if isinstance(model, str) and model:
        extra["model"] = model
    citations = message.metadata.get("citations")
    if citations:
        extra["citations"] = citations
    if message.status == "in_progress":
        extra["interrupted"] = True
    role = "user" if message.author.role == "user" else "assistant"
    return Message(name, role, parts, message.create_time, extra)


def _parts(message: _Message, assets: Assets) -> Iterable[Part]:
    body = message.content
    if body.get("content_type") in _TEXT_TYPES:
        text = body.get("text")
        yield from content.texts(text if isinstance(text, str) else "")
    names = _attachment_names(message.metadata)
    pictured: set[str] = set()
    parts = body.get("parts")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            yield from content.texts(part)
        elif isinstance(part, dict):
            pictured.add(_asset_id(part))
            yield from _asset(part, names, assets)
    for asset_id, name in names.items():
        if asset_id not in pictured:
            yield Missing("file", name, asset_id)


def _asset(part: Mapping[str, Any], names: Mapping[str, str], assets: Assets) -> Iterable[Part]:
    kind = part.get("content_type")
    asset_id = _asset_id(part)
    if kind == "audio_transcription":
        text = part.get("text")
        yield from content.texts(text if isinstance(text, str) else "")
    elif kind == "image_asset_pointer":
        data = assets.starting_with(asset_id)
        yield content.picture(data) if data is not None else Missing("image", names.get(asset_id, ""), asset_id)
    elif asset_id:
        yield Missing("audio" if "audio" in str(kind) else "file", names.get(asset_id, ""), asset_id)


def _asset_id(part: Mapping[str, Any]) -> str:
    """`file_…` of `sediment://file_…`, `file-…` of `file-service://file-…`; "" where the part points nowhere."""
    pointer = part.get("asset_pointer")
    if not isinstance(pointer, str):
        inner = part.get("audio_asset_pointer")
        pointer = inner.get("asset_pointer") if isinstance(inner, dict) else None
    return pointer.rpartition("://")[2].partition("#")[0] if isinstance(pointer, str) else ""


def _attachment_names(metadata: Mapping[str, Any]) -> dict[str, str]:
    found = metadata.get("attachments")
    return {
        each["id"]: str(each.get("name") or "")
        for each in (found if isinstance(found, list) else ())
        if isinstance(each, dict) and isinstance(each.get("id"), str)
    }


def _reasoning(body: Mapping[str, Any]) -> str:
    thoughts = body.get("thoughts")
    if not isinstance(thoughts, list):
        return ""  # a recap ("Thought for 3s") is no reasoning
    told = [each.get(name) for each in thoughts if isinstance(each, dict) for name in ("summary", "content")]
    return "\n\n".join(text for text in told if isinstance(text, str) and text)


def _unknown(body: Mapping[str, Any]) -> Any:
    """The content as it was, where some part of it is neither text nor a pointer that the chat shows."""
    parts = body.get("parts")
    known = isinstance(parts, list) and all(isinstance(part, str) for part in parts)
    return None if known else dict(body)
