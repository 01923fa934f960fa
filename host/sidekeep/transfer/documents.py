"""What a path holds: one file, or the files of a folder or a ZIP, each a stream with the files beside it."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from sidekeep.errors import Unreadable
from sidekeep.transfer.archive import MAX_ASSET_BYTES, Archive, opened, readable
from sidekeep.transfer.assets import Assets, NameIndex

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
# A transcript's compressed form may not unpack without an end.
MAX_UNPACKED_BYTES = 4 * 1024**3


@dataclass(frozen=True, slots=True)
class Document:
    """A file to be read. `name` is told in reports; `on_read` hears of the bytes as they are read."""

    name: str
    size: int
    _source: "Path | tuple[Archive, str]"
    assets: Assets
    on_read: Callable[[int], None] = lambda _bytes: None

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """From its beginning; zstd is unpacked. Raises Unreadable, and so does reading."""
        with self._raw() as raw:
            with readable():
                head = raw.read(4)
            rest = _buffered(_Behind(head, raw, self.on_read))
            yield _buffered(_Unpacked(rest)) if head == _ZSTD_MAGIC else rest

    def _raw(self) -> BinaryIO:
        if isinstance(self._source, Path):
            try:
                return self._source.open("rb")
            except OSError as exc:
                raise Unreadable(f"It cannot be opened: {exc.strerror}.") from exc
        archive, name = self._source
        return archive.open(name)


@contextmanager
def documents(path: Path, name: str = "") -> Iterator[Iterator[Document]]:
    """The documents at `path`, those of a folder and a ZIP in order of their names. Raises Unreadable.

    `name` is what reports call it, its own without one.
    """
    if path.is_dir():
        yield _in_folder(path)
    elif _is_zip(path):
        with opened(path) as archive:
            yield _in_archive(name or path.name, archive)
    else:
        yield iter((_single(path, name or path.name, _Beside(path)),))


def _is_zip(path: Path) -> bool:
    try:
        if not path.is_file() and path.exists():
            raise Unreadable("It is no file. Name an export's file, or its folder.")
        with path.open("rb") as file:
            return file.read(4) in _ZIP_MAGIC
    except FileNotFoundError as exc:
        raise Unreadable("There is no such file.") from exc
    except OSError as exc:
        raise Unreadable(f"It cannot be opened: {exc.strerror}.") from exc


def _single(path: Path, name: str, assets: Assets) -> Document:
    return Document(name, path.stat().st_size, path, assets)


def _in_folder(folder: Path) -> Iterator[Document]:
    """Every JSON and JSONL below the folder. A link leads elsewhere, so it is not followed."""
    files = sorted(path for path in folder.rglob("*") if not path.is_symlink() and path.is_file())
    index = NameIndex(path.as_posix() for path in files)
    for path in files:
        if _may_hold_conversations(path.name):
            yield _single(path, path.relative_to(folder).as_posix(), _Beside(path, index))


def _in_archive(name: str, archive: Archive) -> Iterator[Document]:
    for member in sorted(archive.names):
        if _may_hold_conversations(member):
            yield Document(f"{name}/{member}", archive.size(member), (archive, member), _InArchive(archive, member))


def _may_hold_conversations(name: str) -> bool:
    """A hint that saves reading pictures; what a file is, its content tells."""
    is_companion = name.endswith((".trajectory.jsonl", ".trajectory-path.json"))
    return name.endswith((".json", ".jsonl", ".jsonl.zst")) and not is_companion


@dataclass(frozen=True, slots=True)
class _InArchive:
    archive: Archive
    member: str

    def starting_with(self, asset_id: str) -> bytes | None:
        return self.archive.starting_with(asset_id)

    def named(self, name: str) -> bytes | None:
        folder, slash, _ = self.member.rpartition("/")
        return self.archive.read(f"{folder}{slash}{name}")


@dataclass(frozen=True, slots=True)
class _Beside:
    """The files beside a file; of an unpacked export also those below its folder."""

    path: Path
    index: NameIndex | None = None

    def starting_with(self, asset_id: str) -> bytes | None:
        found = self.index.starting_with(asset_id) if self.index is not None else None
        return _content_of(Path(found)) if found is not None else None

    def named(self, name: str) -> bytes | None:
        found = self.path.with_name(name)
        return _content_of(found) if found.is_file() and not found.is_symlink() else None


def _content_of(path: Path) -> bytes:
    if path.stat().st_size > MAX_ASSET_BYTES:
        raise Unreadable(f"A file beside it is larger than {MAX_ASSET_BYTES // 1024**2} MB.")
    return path.read_bytes()


class _Behind(io.RawIOBase):
    """A stream from its beginning again, although its head was read; somebody hears how far it is."""

    def __init__(self, head: bytes, raw: BinaryIO, on_read: Callable[[int], None]) -> None:
        self._head = head
        self._raw = raw
        self._on_read = on_read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]  # the base says WriteableBuffer
        with readable():
            data = self._head[: len(buffer)] or self._raw.read(len(buffer))
        self._head = self._head[len(data) :] if self._head else b""
        buffer[: len(data)] = data
        self._on_read(len(data))
        return len(data)


def _buffered(raw: io.RawIOBase) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(raw, 65_536))


class _Unpacked(io.RawIOBase):
    """What a zstd stream holds, to its very end: one that was cut short is no shorter file, and none unpacks without end."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._frame = _new_frame()
        self._ready = memoryview(b"")
        self._left = MAX_UNPACKED_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]  # the base says WriteableBuffer
        while not self._ready:
            packed = self._raw.read(_PACKED_BYTES)
            if not packed:
                if not self._frame.eof:
                    raise Unreadable(_DAMAGED_ZSTD)
                return 0
            self._ready = memoryview(self._unpack(packed))
        data, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def _unpack(self, packed: bytes) -> bytes:
        import zstandard

        try:
            data = b""
            while packed:
                if self._frame.eof:
                    self._frame = _new_frame()
                data += self._frame.decompress(packed)
                packed = self._frame.unused_data
        except zstandard.ZstdError as exc:
            raise Unreadable(_DAMAGED_ZSTD) from exc
        self._left -= len(data)
        if self._left < 0:
            raise Unreadable(f"It unpacks to more than {MAX_UNPACKED_BYTES // 1024**3} GB.")
        return data


_DAMAGED_ZSTD = "It is no sound zstd file: it is damaged or was cut short. Copy it again."
# Of so few no more than 50 MB can come at once: a block of three bytes can stand for 128 KB.
_PACKED_BYTES = 1024


def _new_frame() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=2**27).decompressobj()
