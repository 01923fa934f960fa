"""Which chats leave when there are more than a limit allows."""

from collections.abc import Collection, Sequence

from sidekeep.domain.chat import Chat, ChatId


def chats_over(chats: Sequence[Chat], limit: int, exempt: Collection[ChatId]) -> list[Chat]:
    """The chats that leave, first to leave first: the oldest by last activity, pinned ones only when no other is left.

    `limit` 0 is none. Exempt chats count, and never leave.
    """
    excess = len(chats) - limit if limit else 0
    leaving = sorted(
        (chat for chat in chats if chat.id not in exempt), key=lambda chat: (chat.pinned, chat.updated_at_ms, chat.id)
    )
    return leaving[: max(excess, 0)]
