"""Live conversations that show a saved chat, when it changes by another hand than theirs: an answer that comes late, a limit, a
compaction. Those that were equal to the chat stay so; one that had gone on by itself stays as it is: by turns of its own, or
because storage.set has made it longer than the chat that it belongs to."""

from sidekeep.domain.chat import Chat, Live
from sidekeep.domain.scope import Scope
from sidekeep.service.writing import Write
from sidekeep.store import entries, message_rows, transcripts

Shown = list[tuple[Scope, Live]]


def showing(write: Write, chat: Chat) -> Shown:
    """The live conversations of all profiles that are equal to the chat. Call before it changes."""
    found = entries.live_with_chat(write.tx, write.scope.namespace, chat.id)
    at_revision = [(scope, own) for scope, own in found if own.chat_revision == chat.revision]
    rows = transcripts.references(write.tx, chat.session_id) if at_revision else []
    return [(scope, own) for scope, own in at_revision if transcripts.references(write.tx, own.session_id) == rows]


def show(write: Write, shown: Shown, chat: Chat) -> None:
    """Make them equal to the chat as it is now."""
    rows = transcripts.references(write.tx, chat.session_id)
    for scope, own in shown:
        with write.of_profile(scope) as its:
            its.touch("history")
            before = transcripts.references(write.tx, own.session_id)
            transcripts.match(write.tx, own.session_id, rows)
            message_rows.give_up(write.tx, [row for row, _ in before], write.now_ms)
            entries.put_live(write.tx, scope, own._replace(chat_revision=chat.revision))
