"""Reading a file of Sidekeep's own: pictures first, set aside on the disk; then folders, chats, what was open, the archive."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sidekeep.domain.scope import Scope
from sidekeep.errors import Unreadable
from sidekeep.service import aside, import_own
from sidekeep.service.import_own import Base64Of, Chatful, Rows, prepared, size_of
from sidekeep.service.import_room import Room
from sidekeep.service.import_run import Outcomes, Run
from sidekeep.service.messages import Prepared
from sidekeep.service.writing import Write
from sidekeep.transfer.documents import Document
from sidekeep.transfer.formats import sidekeep

Record = TypeVar("Record")


def read(document: Document, run: Run, home: Path) -> None:
    """Import the document. Its pictures lie in `home` meanwhile. Raises Unreadable where the file itself is at fault."""
    rows = Rows()
    folders: dict[str, str] = {}
    with _pictures(document, run, home) as base64_of:
        for where, own in _records(document, run, "folders", sidekeep.folder):
            run.write(partial(_folder, own=own, folders=folders, fail=partial(run.fail, where)))
        for where, own_chat in _records(document, run, "chats", sidekeep.chat):
            with _told(run, where):
                chat = Chatful(own_chat, base64_of, run.clock())
                run.write(partial(_chat, own=chat, folders=folders, room=run.room, rows=rows), size=chat.size)
        for where, own_live in _records(document, run, "live", sidekeep.live):
            with _told(run, where):
                said = prepared(import_own.items_of(own_live), base64_of, run.clock())
                scope = Scope(run.scope.namespace, own_live.profile)
                run.write(partial(_live, own=own_live, said=said, rows=rows), scope, size=size_of(said))
        for where, own_archive in _records(document, run, "archives", sidekeep.archive):
            with _told(run, where):
                said = prepared(own_archive.messages, base64_of, run.clock())
                steps = partial(_archive, own=own_archive, folders=folders, said=said, rows=rows)
                run.write(steps, size=size_of(said))
        for _, own_import in _records(document, run, "imports", sidekeep.imported):
            run.write(partial(_import, own=own_import))


def _records(
    document: Document, run: Run, section: str, shaped: Callable[[Any], Record]
) -> Iterator[tuple[str, Record]]:
    for where, record in sidekeep.records(document, section):
        try:
            yield where, shaped(record)
        except Unreadable as exc:
            run.fail(where, exc.message)


@contextmanager
def _told(run: Run, where: str) -> Iterator[None]:
    try:
        yield
    except Unreadable as exc:
        run.fail(where, exc.message)


def _folder(write: Write, *, own: sidekeep.OwnFolder, folders: dict[str, str], fail: Callable[[str], None]) -> Outcomes:
    try:
        folders[own.id] = import_own.take_folder(write, own)
    except Unreadable as exc:
        fail(exc.message)
    return ()


def _chat(write: Write, *, own: Chatful, folders: dict[str, str], room: Room, rows: Rows) -> Outcomes:
    return import_own.take_chat(write, own, folders.get(own.entry.folder or ""), room, rows)


def _live(write: Write, *, own: sidekeep.OwnLive, said: Sequence[Prepared], rows: Rows) -> Outcomes:
    import_own.take_live(write, own, said, rows)
    return ()


def _archive(
    write: Write, *, own: sidekeep.OwnArchive, folders: dict[str, str], said: Sequence[Prepared], rows: Rows
) -> Outcomes:
    folder = folders.get(own.folder or "", own.folder)
    return ((f"{sidekeep.SOURCE}:archive:{own.id}", import_own.take_archive(write, own, folder, said, rows)),)


def _import(write: Write, *, own: sidekeep.OwnImport) -> Outcomes:
    import_own.take_import(write, own)
    return ()


@contextmanager
def _pictures(document: Document, run: Run, home: Path) -> Iterator[Base64Of]:
    """The file's pictures by their hash. They lie on the disk meanwhile: together they may be larger than memory."""
    with aside.folder(home) as folder:
        for sha256, text in sidekeep.pictures(document):
            if not _set_aside(folder, sha256, text):
                run.fail(f"{document.name}: pictures", "One of them is damaged. What shows it arrives without it.")

        def base64_of(sha256: str) -> str | None:
            file = folder / sha256
            return base64.b64encode(file.read_bytes()).decode("ascii") if file.exists() else None

        yield base64_of


def _set_aside(folder: Path, sha256: str, text: str) -> bool:
    """Whether the picture is what its name says; only then it is written."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        return False
    is_whole = hashlib.sha256(data).hexdigest() == sha256
    if is_whole:
        (folder / sha256).write_bytes(data)
    return is_whole
