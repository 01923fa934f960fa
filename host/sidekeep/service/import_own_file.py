"""Reading a file of Sidekeep's own: pictures first, set aside on the disk; then folders, chats, what was open, the archive."""

import base64
import binascii
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sidekeep.domain.scope import Scope
from sidekeep.errors import Unreadable
from sidekeep.service import import_own
from sidekeep.service.import_own import Base64Of, Chatful, Rows
from sidekeep.service.import_run import Outcomes, Run
from sidekeep.service.writing import Write
from sidekeep.transfer.documents import Document
from sidekeep.transfer.formats import sidekeep

_SHA256 = re.compile(r"[0-9a-f]{64}")
Record = TypeVar("Record")


def read(document: Document, run: Run, aside: Path) -> None:
    """Import the document. `aside` is a folder of the store's disk. Raises Unreadable where the file itself is at fault."""
    rows = Rows()
    with _pictures(document, aside) as base64_of:
        folders: dict[str, str] = {}
        for where, own in _records(document, run, "folders", sidekeep.folder):
            _attempt(run, where, partial(_folder, own=own, folders=folders))
        for where, own_chat in _records(document, run, "chats", sidekeep.chat):
            _attempt(run, where, partial(_chat, own=own_chat, folders=folders, base64_of=base64_of, run=run, rows=rows))
        for where, own_live in _records(document, run, "live", sidekeep.live):
            scope = Scope(run.scope.namespace, own_live.profile)
            _attempt(run, where, partial(_live, own=own_live, base64_of=base64_of, rows=rows), scope)
        for where, own_archive in _records(document, run, "archives", sidekeep.archive):
            _attempt(run, where, partial(_archive, own=own_archive, folders=folders, base64_of=base64_of, rows=rows))
        for where, own_import in _records(document, run, "imports", sidekeep.imported):
            _attempt(run, where, partial(_import, own=own_import))


def _records(
    document: Document, run: Run, section: str, shaped: Callable[[Any], Record]
) -> Iterator[tuple[str, Record]]:
    for where, record in sidekeep.records(document, section):
        try:
            yield where, shaped(record)
        except Unreadable as exc:
            run.fail(where, exc.message)


def _attempt(run: Run, where: str, steps: Callable[[Write], Outcomes], scope: Scope | None = None) -> None:
    try:
        run.write(steps, scope)
    except Unreadable as exc:
        run.fail(where, exc.message)


def _folder(write: Write, *, own: sidekeep.OwnFolder, folders: dict[str, str]) -> Outcomes:
    folders[own.id] = import_own.take_folder(write, own)
    return ()


def _chat(
    write: Write, *, own: sidekeep.OwnChat, folders: dict[str, str], base64_of: Base64Of, run: Run, rows: Rows
) -> Outcomes:
    chat = Chatful(own, base64_of, write.now_ms)
    return import_own.take_chat(write, chat, folders.get(own.entry.folder or ""), run.room, rows)


def _live(write: Write, *, own: sidekeep.OwnLive, base64_of: Base64Of, rows: Rows) -> Outcomes:
    import_own.take_live(write, own, base64_of, rows)
    return ()


def _archive(
    write: Write, *, own: sidekeep.OwnArchive, folders: dict[str, str], base64_of: Base64Of, rows: Rows
) -> Outcomes:
    folder = folders.get(own.folder or "", own.folder)
    return ((f"{sidekeep.SOURCE}:archive:{own.id}", import_own.take_archive(write, own, folder, base64_of, rows)),)


def _import(write: Write, *, own: sidekeep.OwnImport) -> Outcomes:
    import_own.take_import(write, own)
    return ()


@contextmanager
def _pictures(document: Document, aside: Path) -> Iterator[Base64Of]:
    """The file's pictures by their hash. They lie on the disk meanwhile: together they may be larger than memory."""
    with tempfile.TemporaryDirectory(prefix="import-", dir=aside) as folder:
        for sha256, text in sidekeep.pictures(document):
            try:
                if _SHA256.fullmatch(sha256):
                    (Path(folder) / sha256).write_bytes(base64.b64decode(text, validate=True))
            except binascii.Error:
                continue  # its link stays where it belongs

        def base64_of(sha256: str) -> str | None:
            file = Path(folder) / sha256
            return base64.b64encode(file.read_bytes()).decode("ascii") if file.exists() else None

        yield base64_of
