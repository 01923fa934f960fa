"""A conversation in the words that every API has: who said what, and pictures, which only the person may send."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sidekeep.request.build import Request
from sidekeep.request.view import Entry, Image, Part, Text

_BEFORE = Text("…")


@dataclass(frozen=True, slots=True)
class Message:
    """What one side says: role system, user or assistant. Texts are not blank; only the user's parts have pictures."""

    role: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def has_pictures(self) -> bool:
        return any(isinstance(part, Image) for part in self.parts)


def said(entry: Entry) -> Iterator[Message]:
    """What one side says in an entry. Pictures in what another than the person says follow it as the person's."""
    if parts := _spaced(part for part in entry.parts if entry.role == "user" or isinstance(part, Text)):
        yield Message(entry.role, parts)
    if entry.role != "user" and entry.images:
        yield Message("user", tuple(part for part in entry.parts if isinstance(part, Image)))


def text_only(entry: Entry) -> str:
    """A tool's result, where it may hold text only."""
    parts = (part if isinstance(part, Text) else Text("[a picture]") for part in entry.parts)
    return "".join(part.text for part in _spaced(parts) if isinstance(part, Text))


def plain(entries: Iterable[Entry]) -> Iterator[Message]:
    """The entries. Calls of tools and their results are told in words: Sidekeep offers no tools, and most APIs refuse the one
    without the other.
    """
    names: dict[str, str] = {}
    for entry in entries:
        names |= {call.id: call.name for call in entry.tool_calls}
        yield from said(_told(entry, names))


def _told(entry: Entry, names: Mapping[str, str]) -> Entry:
    if entry.role == "tool":
        result = Text(f"[Result of the tool {names.get(entry.tool_call_id, entry.tool_call_id)}]")
        return replace(entry, role="user", parts=(result, *entry.parts))
    calls = (Text(f"[Called the tool {call.name} with {call.arguments}]") for call in entry.tool_calls)
    return replace(entry, parts=(*entry.parts, *calls)) if entry.tool_calls else entry


def two_sides(request: Request) -> tuple[str, list[Message]]:
    """The system text, and messages that take turns and begin with the person's: for APIs and chat templates that insist.

    What follows on the same side is joined, a blank line between. System entries at the beginning belong to the system text;
    a later one is shown where it stands, as the person's.
    """
    begin = next((at for at, entry in enumerate(request.entries) if entry.role != "system"), len(request.entries))
    system = "\n\n".join(filter(str.strip, (request.system, *(entry.text for entry in request.entries[:begin]))))
    sides: list[Message] = []
    for message in plain(request.entries[begin:]):
        role = "user" if message.role == "system" else message.role
        if sides and sides[-1].role == role:
            sides[-1] = Message(role, _joined(sides[-1].parts, message.parts))
        elif not sides and role == "assistant":
            sides += [Message("user", (_BEFORE,)), message]
        else:
            sides.append(Message(role, message.parts))
    return system, sides


def _spaced(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts without blank texts, a blank line between two texts."""
    spaced: tuple[Part, ...] = ()
    for part in parts:
        if isinstance(part, Image) or part.text.strip():
            spaced = _joined(spaced, (part,))
    return spaced


def _joined(before: tuple[Part, ...], after: tuple[Part, ...]) -> tuple[Part, ...]:
    first, *rest = after
    if before and isinstance(before[-1], Text) and isinstance(first, Text):
        first = Text("\n\n" + first.text)
    return (*before, first, *rest)
