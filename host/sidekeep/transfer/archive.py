"""ZIP files from strangers: looked at whole before anything in one is read.

Nothing is ever unpacked to a path: members are read as streams. So a name like `../x` could do no harm here; it is refused
because no honest program writes one.
"""

import errno
import lzma
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, cast

from sidekeep.errors import Unreadable, remedy
from sidekeep.transfer.assets import NameIndex

# A text of conversations shrinks to a tenth or a fiftieth; what shrinks more, and is large, was made to fill a disk.
MAX_RATIO = 200
RATIO_COUNTS_FROM_BYTES = 8 * 1024 * 1024
MAX_TOTAL_BYTES = 32 * 1024**3
MAX_MEMBERS = 200_000
# Pictures are held whole; no camera and no model makes larger ones.
MAX_ASSET_BYTES = 64 * 1024 * 1024
_UNSOUND = "It is no sound ZIP file: it is damaged or was cut short. Download or copy it again."
_AGAIN = "Copy it to this computer's own disk and try again."


class Archive:
    """An open ZIP whose members were checked."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._members = {info.filename: info for info in file.infolist() if not info.is_dir()}
        self._index = NameIndex(self._members)

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def size(self, name: str) -> int:
        return self._members[name].file_size

    def open(self, name: str) -> BinaryIO:
        """Raises Unreadable. What it gives is read within `readable`."""
        with readable():
            return cast(BinaryIO, self._file.open(self._members[name]))

    def read(self, name: str) -> bytes | None:
        info = self._members.get(name)
        return self._whole(info) if info is not None else None

    def starting_with(self, asset_id: str) -> bytes | None:
        """The file whose name begins so, in whichever folder."""
        found = self._index.starting_with(asset_id)
        return self.read(found) if found is not None else None

    def _whole(self, info: zipfile.ZipInfo) -> bytes:
        if info.file_size > MAX_ASSET_BYTES:
            raise Unreadable(f"A file in the ZIP that belongs to it is larger than {MAX_ASSET_BYTES // 1024**2} MB.")
        with readable():
            return self._file.read(info)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The ZIP at `path`. Raises Unreadable where it is damaged or not what an export is."""
    with readable():
        file = zipfile.ZipFile(path)
    with file:
        _check(file)
        yield Archive(file)


# What damage does to the modules that unpack; each has exceptions of its own.
_DAMAGE = (zipfile.BadZipFile, EOFError, UnicodeDecodeError, zlib.error, lzma.LZMAError)


@contextmanager
def readable() -> Iterator[None]:
    """For a step that reads, and nothing else: whatever damage does to it becomes Unreadable."""
    try:
        yield
    except _DAMAGE as exc:
        raise Unreadable(_UNSOUND) from exc
    except (NotImplementedError, RuntimeError) as exc:
        raise Unreadable(
            "It is a ZIP file with a password, or packed in a way that cannot be read. Unpack it and import its folder."
        ) from exc
    except OSError as exc:
        is_damage = exc.errno in (None, errno.EINVAL)  # bzip2's error, and a place before the file's beginning
        raise Unreadable(
            _UNSOUND if is_damage else f"It cannot be read: {exc.strerror}. {remedy(exc, _AGAIN)}"
        ) from exc


def _check(file: zipfile.ZipFile) -> None:
    members = file.infolist()
    if len({info.filename for info in members}) < len(members):
        raise Unreadable("The ZIP has two files of one name, which no export has. It was not read.")
    if len(members) > MAX_MEMBERS:
        raise Unreadable(f"The ZIP has more than {MAX_MEMBERS:,} files.")
    if sum(info.file_size for info in members) > MAX_TOTAL_BYTES:
        raise Unreadable(f"The ZIP unpacks to more than {MAX_TOTAL_BYTES // 1024**3} GB.")
    for info in members:
        if info.header_offset < 0 or not info.filename:
            raise Unreadable(_UNSOUND)
        _check_name(info.filename)
        if stat.S_ISLNK(info.external_attr >> 16):
            raise Unreadable("The ZIP has a symbolic link in it. It was not read.")
        if info.file_size > max(RATIO_COUNTS_FROM_BYTES, MAX_RATIO * info.compress_size):
            raise Unreadable("The ZIP unpacks to a size that no export has (a ZIP bomb). It was not read.")
    ranges = sorted((info.header_offset, info.compress_size) for info in members)
    if any(start + size > following for (start, size), (following, _) in pairwise(ranges)):
        raise Unreadable("Files in the ZIP overlap (a ZIP bomb). It was not read.")


def _check_name(name: str) -> None:
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or (len(parts[0]) == 2 and parts[0][1] == ":"):
        raise Unreadable(
            "The ZIP has a file that wants to be outside of it (../ or an absolute path). It was not read."
        )
