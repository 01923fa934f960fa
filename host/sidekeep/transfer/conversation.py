"""What every reader gives, whichever program the file is from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that the file carries, as a data URL."""

    url: str


@dataclass(frozen=True, slots=True)
class Missing:
    """What the file only names: its bytes are elsewhere. `ref` is the other program's name for it."""

    kind: str
    name: str
    ref: str = ""

    @property
    def placeholder(self) -> str:
        return f"[{self.kind.capitalize()} not in the export: {self.name or self.ref or 'no name'}]"


Part: TypeAlias = Text | Image | Missing


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `created_at_ms` is None where the file does not say. `extra` are further fields of MESSAGE (docs/protocol.md,
    section 4), such as `model` and `attachId`, and what no field is made for, such as `reasoning` and `citations`. `stays` makes
    it the summary of a compaction: so many of the messages before it stay word for word beside it."""

    id: str
    role: str
    content: tuple[Part, ...]
    created_at_ms: int | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    stays: int | None = None

    @property
    def text(self) -> str:
        return "\n\n".join(part.text for part in self.content if isinstance(part, Text))


@dataclass(frozen=True, slots=True)
class Branch:
    """Another way through the same conversation, whole from its first message. `id` stays as the branch grows; `forked_at` is the
    last message it shares with an earlier way."""

    id: str
    messages: tuple[Message, ...]
    forked_at: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: the path to its current leaf, and the other branches.

    `id` is the source's own, or a hash of the content where it has none. `kept` are records that are no messages of a chat
    (hidden rows, tool calls, unknown types), as they were. `keys` were in what these say, and are there no longer. `folder` is a
    name, where the source tells one.
    """

    source: str
    id: str
    messages: tuple[Message, ...]
    title: str = ""
    created_at_ms: int | None = None
    updated_at_ms: int | None = None
    pinned: bool = False
    folder: str | None = None
    branches: tuple[Branch, ...] = ()
    kept: tuple[Any, ...] = ()
    keys: tuple["KeyFound", ...] = ()

    @property
    def fingerprint(self) -> str:
        """What a repeated import knows it by."""
        return f"{self.source}:{self.id}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A conversation, or a whole file, that could not be read. `where` names file and place, never its content."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class KeyFound:
    """A key of a model server that lies in the file. It is not taken, and its value is told nowhere."""

    where: str
    provider: str
