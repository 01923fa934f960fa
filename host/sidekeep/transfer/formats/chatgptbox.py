"""ChatGPTBox: conversations as pairs of question and answer, or its whole storage with the conversations in `sessions`."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sidekeep.transfer import content
from sidekeep.transfer.assembly import content_id
from sidekeep.transfer.assets import Assets
from sidekeep.transfer.conversation import Conversation, Message
from sidekeep.transfer.values import Foreign, Time, Words, parsed

SOURCE = "chatgptbox"


class _Pair(Foreign):
    question: Words = ""
    answer: Words = ""


class _Session(Foreign):
    sessionId: Words = ""
    question: Words = ""
    createdAt: Time = None
    updatedAt: Time = None
    aiName: Words = ""
    modelName: Words = ""
    conversationRecords: list[Any]


def read(record: Any, assets: Assets) -> Conversation:
    """One conversation. Its name is a date in some language, so the title is left to the first question. Raises Unreadable."""
    found = parsed(_Session, record)
    return Conversation(
        SOURCE,
        found.sessionId or content_id(record),
        tuple(_spread(_messages(found), found)),
        created_at_ms=found.createdAt,
        updated_at_ms=found.updatedAt,
    )


def _messages(found: _Session) -> list[Message]:
    pairs = [parsed(_Pair, raw) for raw in found.conversationRecords]
    said = [(role, text) for pair in pairs for role, text in (("user", pair.question), ("assistant", pair.answer))]
    # A question that is in no pair yet was asked and never answered.
    if found.question and (not pairs or pairs[-1].question != found.question):
        said.append(("user", found.question))
    return [
        _message(number, role, text, found)
        for number, (role, text) in enumerate(said, start=1)
        if text.strip() not in ("", "undefined")  # what its web modes keep where there was no answer
    ]


def _message(number: int, role: str, text: str, found: _Session) -> Message:
    if role == "user":
        return Message(f"message-{number}", role, content.texts(text))
    reasoning, text = content.apart(text)
    extra = {"model": found.modelName or found.aiName, "reasoning": reasoning}
    return Message(
        f"message-{number}", role, content.texts(text), extra={key: each for key, each in extra.items() if each}
    )


def _spread(messages: list[Message], found: _Session) -> Iterable[Message]:
    """Messages have no times: they are spread evenly between the conversation's first and last."""
    if found.createdAt is None:
        return messages
    length = max((found.updatedAt or found.createdAt) - found.createdAt, 0)
    steps = max(len(messages) - 1, 1)
    return (
        replace(message, created_at_ms=found.createdAt + length * number // steps)
        for number, message in enumerate(messages)
    )
