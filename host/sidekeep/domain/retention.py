"""Which chats leave when there are more than a limit allows."""

import itertools
from collections.abc import Callable, Collection, Sequence

from sidekeep.domain.chat import Chat, ChatId


def chats_over(
    chats: Sequence[Chat],
    limit: int,
    exempt: Collection[ChatId],
    is_running: Callable[[ChatId], bool] = lambda _chat: False,
) -> list[Chat]:
    """The chats that leave, first to leave first: the oldest by last activity, pinned ones only when no other is left.

    `limit` 0 is none. Exempt and running chats count, and never leave. `is_running` is asked of those alone that would leave.
    """
    excess = len(chats) - limit if limit else 0
    if excess <= 0:
        return []
    candidates = sorted(
        (chat for chat in chats if chat.id not in exempt), key=lambda chat: (chat.pinned, chat.updated_at_ms, chat.id)
    )
    return list(itertools.islice((chat for chat in candidates if not is_running(chat.id)), excess))
