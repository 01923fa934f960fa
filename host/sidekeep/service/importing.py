"""Importing: files become chats, one conversation a transaction, so that one that was stopped is simply run again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, UnknownFormat, Unreadable
from sidekeep.service import import_chats, import_own_file
from sidekeep.service.clock import Clock
from sidekeep.service.import_run import Report, Run
from sidekeep.service.incoming import incoming
from sidekeep.service.limits import Limits
from sidekeep.service.progress import Progress
from sidekeep.service.writing import Writes
from sidekeep.store.database import Database
from sidekeep.transfer.conversation import Conversation, Failure
from sidekeep.transfer.documents import Document, documents
from sidekeep.transfer.formats import sidekeep
from sidekeep.transfer.reading import conversations, surveyed

# Of a folder that has nothing for us so many files are named.
_NAMED_FILES = 10
NO_NAMES: Mapping[str, str] = MappingProxyType({})


class Imports:
    """One store's imports. `home` is where pictures are set aside while a file is read."""

    def __init__(self, database: Database, home: Path, clock: Clock, limits: Limits) -> None:
        self._home = home
        self._clock = clock
        self._writes = Writes(database, clock, limits)

    def run(
        self,
        scope: Scope,
        files: Iterable[Path],
        *,
        dry_run: bool = False,
        progress: Progress = lambda *_: None,
        names: Mapping[str, str] = NO_NAMES,
    ) -> Report:
        """Import what lies at these paths: files, folders, ZIPs. With `dry_run` only tell what would become of it.

        `names` are what the report calls a file, where that is not its own name.
        What cannot be read is in the report. Raises StoreFailed or StoreBusy; what was imported before stays.
        """
        run = Run(self._writes, self._clock, scope, is_dry=dry_run, progress=progress)
        for file in files:
            try:
                with documents(file, names.get(file.name, file.name)) as found:
                    self._documents(run, [replace(document, on_read=run.read) for document in found])
            except Unreadable as exc:
                run.fail(names.get(file.name, file.name), exc.message)
        run.end()
        return run.report

    def _documents(self, run: Run, found: Sequence[Document]) -> None:
        """Of many files in one place those that are no export are passed over, unless there is no other."""
        if not found:
            raise Unreadable("There is no JSON file in it, so no export. A ZIP inside of it is unpacked first.")
        run.begin(sum(document.size for document in found))
        unknown: list[tuple[str, str]] = []
        for document in found:
            try:
                self._document(run, document)
            except UnknownFormat as exc:
                unknown.append((document.name, exc.message))
            except Unreadable as exc:
                run.fail(document.name, exc.message)
        if len(unknown) == len(found):
            for name, reason in unknown[:_NAMED_FILES]:
                run.fail(name, reason)

    def _document(self, run: Run, document: Document) -> None:
        survey = surveyed(document)
        if survey.source not in run.report.sources:
            run.report.sources.append(survey.source)
        run.keys(survey.keys)
        if survey.source == sidekeep.SOURCE:
            sidekeep.check(survey.outline)
            import_own_file.read(document, run, self._home)
            return
        for found in conversations(survey):
            if isinstance(found, Failure):
                run.fail(found.where, found.reason)
            else:
                run.keys(found.keys)
                _take(run, found, document.name)


def _take(run: Run, found: Conversation, file: str) -> None:
    try:
        ways = incoming(found, run.clock())
    except InvalidParams as exc:
        run.fail(f"{file}: {found.fingerprint}", exc.message)
        return
    size = sum(way.size for way in ways)
    run.write(lambda write: import_chats.take(write, ways, run.room), size=size)
