"""What limits would remove. Nothing is removed here."""

from collections.abc import Collection
from dataclasses import dataclass

from sidekeep.domain.chat import Chat, ChatId, ChatSize
from sidekeep.domain.retention import chats_over
from sidekeep.domain.scope import Scope
from sidekeep.settings.model import Settings
from sidekeep.store import entries, facts, transcripts
from sidekeep.store.database import Database


@dataclass(frozen=True, slots=True)
class Excess:
    """Chats over the limit, first to leave first, and how many messages of the others are over theirs."""

    chats: list[tuple[Chat, ChatSize]]
    messages: int


def excess(database: Database, scope: Scope, settings: Settings, running: Collection[ChatId] = ()) -> Excess:
    """What these settings' limits would remove of a namespace. Chats that are open in a profile, or `running`, stay."""
    with database.reading() as tx:
        exempt = {*entries.live_chat_ids(tx, scope.namespace), *running}
        chats = chats_over(list(entries.chats(tx, scope.namespace)), settings.limit_chats, exempt)
        leaving = {chat.id for chat in chats}
        limit = settings.limit_messages
        longer = facts.longer_chats(tx, scope.namespace, limit) if limit else {}
        messages = sum(count - limit for chat_id, count in longer.items() if chat_id not in leaving)
        return Excess([(chat, transcripts.size(tx, chat.session_id)) for chat in chats], messages)
