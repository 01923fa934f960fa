"""Reading files as the service does, and telling what came out in few words."""

from pathlib import Path

import pytest

from sidekeep.transfer.conversation import Conversation, Failure, Image, KeyFound, Message, Missing
from sidekeep.transfer.documents import documents
from sidekeep.transfer.reading import conversations, surveyed


class Read:
    """Everything a path holds."""

    def __init__(self, path: Path) -> None:
        self.conversations: list[Conversation] = []
        self.failures: list[Failure] = []
        self.keys: list[KeyFound] = []
        self.sources: list[str] = []
        with documents(path) as found:
            for document in found:
                survey = surveyed(document)
                self.sources.append(survey.source)
                self.keys += survey.keys
                for each in conversations(survey):
                    if isinstance(each, Failure):
                        self.failures.append(each)
                    else:
                        self.conversations.append(each)

    @property
    def only(self) -> Conversation:
        (found,) = self.conversations
        return found


def told(message: Message) -> tuple[str, str]:
    """A message's role, and its content with pictures and what is missing in brackets."""
    parts = []
    for part in message.content:
        if isinstance(part, Image):
            parts.append(f"[{part.url.partition(',')[0]}]")
        else:
            parts.append(part.placeholder if isinstance(part, Missing) else part.text)
    return message.role, " ".join(parts)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that does not exist yet, whose name says nothing."""
    return tmp_path / "x.json"
