"""Exporting: chats become files in the data home's `exports/`, or where a person at the command line says."""

import itertools
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from sidekeep import __version__, paths
from sidekeep.domain.scope import Scope
from sidekeep.errors import StoreFailed, remedy
from sidekeep.service.clock import Clock
from sidekeep.service.export_view import Order, View
from sidekeep.service.progress import Progress, untold
from sidekeep.store.database import Database
from sidekeep.transfer.exported import ExportedChat, pictures_of
from sidekeep.transfer.writers import json_document, markdown

Piece = TypeVar("Piece")


@dataclass(frozen=True, slots=True)
class Made:
    """The file to open; `bytes` of all that was written."""

    file: Path
    bytes: int


class Steps:
    """The pieces of an export, counted as they are taken: pictures, chats and archives."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._total = total
        self._progress = progress
        self._done = 0
        self._chats = 0

    def of(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        for piece in pieces:
            self._progress(self._done, self._total, self._chats)
            yield piece
            self._done += 1
            self._chats += isinstance(piece, ExportedChat)

    def end(self) -> None:
        self._progress(self._total, self._total, self._chats)


class Exports:
    """One store's exports."""

    def __init__(self, database: Database, home: Path, clock: Clock) -> None:
        self._database = database
        self._home = home
        self._clock = clock

    def make(self, scope: Scope, order: Order, progress: Progress = untold) -> Made:
        """Write the export, from one moment of the store.

        Raises NotFound for a chat that is not there, StoreFailed, and whatever `progress` raises: then nothing of it is left.
        """
        with self._database.reading() as tx:
            view = View(tx, scope, order)
            try:
                return self._written(view, order, progress)
            except OSError as exc:
                where, otherwise = exc.filename or self._home, "Check who owns the data folder."
                raise StoreFailed(
                    f"The export could not be written to {where}: {exc.strerror}. Nothing is lost. {remedy(exc, otherwise)}"
                ) from exc

    def _written(self, view: View, order: Order, progress: Progress) -> Made:
        if order.format == "json":
            return self._document(view, order, progress)
        steps = Steps(view.chat_count, progress)
        chats = steps.of(view.chats())
        if order.format == "markdown":
            made = _write_folder(view, chats, self._target(order, ""))
        else:
            from sidekeep.transfer.writers.html_page import Page

            pieces = Page(view.base64_of).write(chats, "Sidekeep chats")
            made = _write_file(self._target(order, ".html"), pieces)
        steps.end()
        return made

    def _document(self, view: View, order: Order, progress: Progress) -> Made:
        hashes = view.picture_hashes()
        steps = Steps(len(hashes) + view.chat_count + view.archive_count, progress)
        sections = json_document.Sections(
            steps.of(view.pictures(hashes)),
            view.folders(),
            steps.of(view.chats()),
            view.live(),
            steps.of(view.archives()),
            view.imports(),
        )
        pieces = json_document.write(sections, exported_at_ms=self._clock(), host=__version__, is_redacted=order.redact)
        made = _write_file(self._target(order, ".json"), pieces)
        steps.end()
        return made

    def _target(self, order: Order, ending: str) -> Path:
        """Where it goes: a name that is not taken."""
        if order.target is not None:
            return order.target
        folder = paths.ensure_private(paths.exports(self._home))
        stem = time.strftime("sidekeep-%Y%m%dT%H%M%SZ", time.gmtime(self._clock() / 1000))
        numbers = itertools.chain([""], (f"-{count}" for count in itertools.count(2)))
        names = (folder / f"{stem}{number}{ending}" for number in numbers)
        return next(name for name in names if not name.exists())


def _write_file(target: Path, pieces: Iterable[bytes]) -> Made:
    """Write beside the target first: a half-written export must not look like one.

    Into a file of its own: in a folder that others write to, one of that name may be theirs, or a link to somewhere else.
    """
    partial = target.with_name(f"{target.name}.unfinished")
    size = 0
    try:
        partial.unlink(missing_ok=True)
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            for piece in pieces:
                size += out.write(piece)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return Made(target, size)


def _write_folder(view: View, chats: Iterable[ExportedChat], target: Path) -> Made:
    """A Markdown file for each chat, the pictures beside them, and a list of all. Where it fails, the folder goes."""
    is_ours = not target.exists()
    paths.ensure_private(target)
    try:
        return _fill_folder(view, chats, target)
    except BaseException:
        if is_ours:
            shutil.rmtree(target, ignore_errors=True)
        raise


def _fill_folder(view: View, chats: Iterable[ExportedChat], target: Path) -> Made:
    size = 0
    names: list[tuple[str, str]] = []
    taken = {"index.md"}
    for chat in chats:
        name = markdown.file_name(chat, taken)
        names.append((chat.name, name))
        size += _write_file(target / name, [markdown.write(chat).encode()]).bytes
        size += _write_pictures(view, target / markdown.PICTURES, chat)
    made = _write_file(target / "index.md", [markdown.index(names).encode()])
    return replace(made, bytes=size + made.bytes)


def _write_pictures(view: View, folder: Path, chat: ExportedChat) -> int:
    size = 0
    for picture in pictures_of(chat.items):
        file = paths.ensure_private(folder) / markdown.picture_name(picture)
        data = None if file.exists() else view.file_of(picture.sha256)
        if data is not None:
            size += _write_file(file, [data]).bytes
    return size
