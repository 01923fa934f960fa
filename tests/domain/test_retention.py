"""Which chats leave: the oldest by activity, pinned ones last, exempt ones never."""

import pytest

from sidekeep.domain.chat import Chat, ChatId, SessionId
from sidekeep.domain.retention import chats_over


def _chat(name: str, updated_at_ms: int, *, pinned: bool = False) -> Chat:
    return Chat(ChatId(name), SessionId(name), name, 0, updated_at_ms, pinned)


CHATS = [_chat("old", 1), _chat("pinned old", 0, pinned=True), _chat("new", 3), _chat("pinned new", 4, pinned=True)]


@pytest.mark.parametrize(
    ("limit", "leaving"),
    [
        (0, []),
        (5, []),
        (4, []),
        (3, ["old"]),
        (2, ["old", "new"]),
        (1, ["old", "new", "pinned old"]),
    ],
)
def test_pinned_chats_are_the_last_to_leave(limit: int, leaving: list[str]) -> None:
    assert [chat.name for chat in chats_over(CHATS, limit, set())] == leaving


def test_an_exempt_chat_counts_and_stays() -> None:
    assert [chat.name for chat in chats_over(CHATS, 3, {ChatId("old")})] == ["new"]
    everything = {chat.id for chat in CHATS}
    assert chats_over(CHATS, 1, everything) == []
