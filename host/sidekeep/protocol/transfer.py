"""transfer.*: files in and out (docs/protocol.md, Transfer). No method takes a path."""

from typing import Annotated, Literal

from pydantic import Field

from sidekeep.protocol.model import Name, Params, Shape, Text


class OpenParams(Params):
    """`name` is for reports; `bytes` is the file's size."""

    name: Text
    bytes: Annotated[int, Field(ge=0)]


class Opened(Shape):
    transfer: str


class ChunkParams(Params):
    """The pieces of a file, `seq` from 0 on."""

    transfer: Name
    seq: Annotated[int, Field(ge=0)]
    base64: str


class CommitParams(Params):
    transfer: Name
    dryRun: bool = False


class Failed(Shape):
    """`where` is a file and a place in it, `reason` a sentence."""

    where: str
    reason: str


class KeyFound(Shape):
    """A key that lies in the file and was not taken."""

    where: str
    provider: str


class Import(Shape):
    """What became of an import. `archived` went to the archive, past the limit of chats, and is not among `added`. `checkpoints`
    are earlier states of chats, from before the summaries that lie in the file."""

    source: str
    added: int
    updated: int
    unchanged: int
    archived: int
    checkpoints: int
    failed: list[Failed]
    keysFound: list[KeyFound]


class Progress(Shape):
    """`done` of `total` bytes, and how many conversations have been read. Of an export the pieces are counted: pictures, chats,
    archives.
    """

    transfer: str
    done: int
    total: int
    conversations: int


class ExportParams(Params):
    """`redact` replaces addresses by `[URL]`. `transfer` is a name of the caller's own, under which it hears of the progress."""

    what: Literal["all"] | Annotated[list[Name], Field(min_length=1, max_length=10_000)]
    format: Literal["json", "markdown", "html"]
    redact: bool = False
    transfer: Name | None = None


class Exported(Shape):
    """`file` lies in the data home's `exports/`; of Markdown it is the one to open, and `bytes` are all files'."""

    file: str
    bytes: int
