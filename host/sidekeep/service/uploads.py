"""Files that come over the wire in pieces to be imported (transfer.*). A page names no path, and none is made from its name.

What was sent lies in the data home until it is committed, the connection ends, or a day has passed.
"""

import base64
import binascii
import contextlib
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sidekeep import paths
from sidekeep.domain.scope import Scope
from sidekeep.errors import Conflict, InvalidParams, LimitReached, NotFound, PayloadTooLarge, StoreFailed, remedy
from sidekeep.service import aside
from sidekeep.service.import_run import Report
from sidekeep.service.importing import Imports
from sidekeep.service.progress import Progress

MAX_BYTES = 16 * 1024**3
MAX_OPEN = 16


@dataclass(slots=True)
class _Upload:
    """One file on its way. `name` is what reports call it."""

    name: str
    expected: int
    file: Path
    received: int = 0
    next_seq: int = 0
    is_read: bool = False


class Uploads:
    """One process's uploads."""

    def __init__(self, home: Path, imports: Imports) -> None:
        self._home = home
        self._folder = paths.uploads(home)
        self._imports = imports
        self._open: dict[str, _Upload] = {}

    def open(self, name: str, size: int) -> str:
        """Announce a file of `size` bytes. Returns the transfer's id.

        Of more than 16 the one that was announced first is given up: nobody says of a file that was only looked at that it is not
        wanted any more. Raises PayloadTooLarge, StoreFailed; LimitReached where all of them are being imported.
        """
        if size > MAX_BYTES:
            raise PayloadTooLarge(f"The file is larger than {MAX_BYTES // 1024**3} GB. Import it with: sidekeep import")
        if len(self._open) >= MAX_OPEN:
            self._give_up_oldest()
        paths.ensure_private(self._folder)
        aside.sweep(self._home, {each.file for each in self._open.values()})
        transfer = str(uuid.uuid4())
        upload = _Upload(_shown(name), size, self._folder / transfer)
        with _written():
            os.close(os.open(upload.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        self._open[transfer] = upload
        return transfer

    def add(self, transfer: str, seq: int, text: str) -> None:
        """Append a piece, in base64. Raises InvalidParams for one out of order, or more than was announced."""
        upload = self._found(transfer)
        if seq != upload.next_seq:
            raise InvalidParams.at("seq", f"piece {upload.next_seq} comes next")
        try:
            data = base64.b64decode(text, validate=True)
        except binascii.Error as exc:
            raise InvalidParams.at("base64", "is no base64") from exc
        if upload.received + len(data) > upload.expected:
            raise InvalidParams.at("base64", f"there are more bytes than the {upload.expected} that were announced")
        try:
            with _written(), upload.file.open("ab") as out:
                out.write(data)
        except StoreFailed:
            self.drop(transfer)  # part of the piece may be there: the file can only be sent anew
            raise
        upload.received += len(data)
        upload.next_seq += 1

    def commit(self, scope: Scope, transfer: str, *, dry_run: bool, progress: Progress) -> Report:
        """Import the file, which is given up then, however it went; after a dry run it can be committed still.

        Raises NotFound, InvalidParams, Conflict, and what an import raises.
        """
        upload = self._found(transfer)
        if upload.received != upload.expected:
            raise InvalidParams.at("transfer", f"{upload.expected - upload.received} bytes have not been sent yet")
        if upload.is_read:
            raise Conflict("That file is being imported already.")
        upload.is_read = True
        try:
            return self._imports.run(
                scope, [upload.file], dry_run=dry_run, progress=progress, names={upload.file.name: upload.name}
            )
        finally:
            upload.is_read = False
            if not dry_run:
                self.drop(transfer)

    def drop(self, transfer: str) -> None:
        """Give a file up."""
        upload = self._open.pop(transfer, None)
        if upload is not None:
            upload.file.unlink(missing_ok=True)

    def drop_all(self) -> None:
        """The connection ends."""
        for transfer in list(self._open):
            self.drop(transfer)

    def _give_up_oldest(self) -> None:
        resting = next((transfer for transfer, upload in list(self._open.items()) if not upload.is_read), None)
        if resting is None:
            raise LimitReached("Too many files are being imported at once. Wait for one of them.", limit=MAX_OPEN)
        self.drop(resting)

    def _found(self, transfer: str) -> _Upload:
        upload = self._open.get(transfer)
        if upload is None:
            raise NotFound("That file is not being sent (any more). Send it again.", what="transfer", id=transfer)
        return upload


def _shown(name: str) -> str:
    """The last part of a name, for reports alone."""
    return name.replace("\\", "/").rpartition("/")[2][:200] or "file"


@contextlib.contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        otherwise = "Check who owns the data folder."
        raise StoreFailed(
            f"The file could not be kept while it is read: {exc.strerror}. Nothing was imported. {remedy(exc, otherwise)}"
        ) from exc
