"""The frugal window: the last messages, up to a number of them and of characters."""

from collections.abc import Sequence

from sidekeep.request.cut import cut_entry
from sidekeep.request.pairs import paired
from sidekeep.request.view import Entry

MESSAGES = 12
CHARACTERS = 8_000


def tail(entries: Sequence[Entry], *, max_messages: int = MESSAGES, max_characters: int = CHARACTERS) -> list[Entry]:
    """The last `max_messages` entries with at most `max_characters` in all, counted from the newest back.

    The entry at which they are used up keeps its end, with a marker that stands outside of the count; what is older goes.
    Entries without text cost nothing. What calls a tool is not cut, and a tool's result whose call is outside goes, too.
    """
    room = max_characters
    kept: list[Entry] = []
    for entry in reversed(entries[-max_messages:] if max_messages > 0 else ()):
        length = entry.characters
        if length > room and (room <= 0 or entry.tool_calls):
            break
        kept.append(entry if length <= room else cut_entry(entry, room, "tail"))
        room -= length
    return paired(kept[::-1])
