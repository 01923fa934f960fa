"""What an agent provider is shown: it keeps its own transcript, so only what it has not seen."""

from collections.abc import Sequence

from sidekeep.request.view import Entry


def unseen(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The turn's question, after the attachments that wait for an answer: those since the last one that was given.

    `entries` end with the question. Earlier questions without an answer are not asked again.
    """
    waiting: list[Entry] = []
    for entry in reversed(entries[:-1]):
        if entry.role == "assistant":
            break
        if entry.is_attachment:
            waiting.append(entry)
    return (*reversed(waiting), *entries[-1:])
