"""Page Assist: all its data (`chat` is an array of `{history, messages}`), or one chat as the rows of its screen."""

from typing import Any

from sidekeep.transfer import content
from sidekeep.transfer.assembly import content_id, unique_ids
from sidekeep.transfer.assets import Assets
from sidekeep.transfer.conversation import Conversation, Message, Part
from sidekeep.transfer.tree import Node, in_time
from sidekeep.transfer.values import Fields, Flag, Foreign, Items, Time, Words, parsed

SOURCE = "pageassist"


class _History(Foreign):
    id: Words = ""
    title: Words = ""
    createdAt: Time = None
    is_pinned: Flag = False


class _Chat(Foreign):
    history: _History
    messages: list[Any]


class _Message(Foreign):
    id: Words = ""
    role: Words = ""
    isBot: Flag = False
    content: Words = ""
    message: Words = ""
    images: Items = []
    createdAt: Time = None
    modelName: Words = ""
    name: Words = ""
    messageKind: Words = ""
    sources: Items = []
    documents: Items = []
    generationInfo: Fields = {}


def read(record: Any, assets: Assets) -> Conversation:
    """One chat of all data. Its messages lie in no order; a branch is a chat of its own here. Raises Unreadable."""
    chat = parsed(_Chat, record)
    found = [parsed(_Message, raw) for raw in chat.messages]
    messages = _messages(found)
    first = next((message.created_at_ms for message in messages if message.created_at_ms is not None), None)
    return Conversation(
        SOURCE,
        chat.history.id or content_id(record),
        messages,
        title=chat.history.title,
        # `history.createdAt` is set anew by each answer.
        created_at_ms=first if first is not None else chat.history.createdAt,
        updated_at_ms=chat.history.createdAt,
        pinned=chat.history.is_pinned,
        kept=_kept(found, chat.messages),
    )


def read_one(record: Any, assets: Assets) -> Conversation:
    """The file of one chat: no title, no dates, no id. Raises Unreadable."""
    found = [parsed(_Message, raw) for raw in record]
    return Conversation(SOURCE, content_id(record), _messages(found), kept=_kept(found, record))


def _messages(found: list[_Message]) -> tuple[Message, ...]:
    nodes = [Node(str(number), at_ms=message.createdAt) for number, message in enumerate(found)]
    ordered = (found[int(node.id)] for node in in_time(nodes))
    shown = (_message(number, message) for number, message in enumerate(ordered) if _is_shown(message))
    return unique_ids(message for message in shown if message.content or message.extra.get("reasoning"))


def _is_shown(message: _Message) -> bool:
    """Calls of tools and their results are no part of the chat."""
    return message.messageKind in ("", "text") and message.role != "tool"


def _message(number: int, message: _Message) -> Message:
    is_question = message.role == "user" or (not message.role and not message.isBot)
    reasoning, text = ("", message.content or message.message)
    extra: dict[str, Any] = {}
    if not is_question:
        reasoning, text = content.apart(text)
        model = message.modelName or message.name
        extra = {name: value for name, value in (("model", model), ("reasoning", reasoning)) if value}
    if message.sources:
        extra["sources"] = message.sources
    if message.documents:
        extra["documents"] = message.documents
    pictures: list[Part] = [content.image(url) for url in message.images if isinstance(url, str) and url]
    role = "user" if is_question else ("system" if message.role == "system" else "assistant")
    return Message(
        message.id or f"message-{number + 1}", role, (*content.texts(text), *pictures), message.createdAt, extra
    )


def _kept(found: list[_Message], raw: list[Any]) -> tuple[Any, ...]:
    return tuple(record for message, record in zip(found, raw, strict=True) if not _is_shown(message))
