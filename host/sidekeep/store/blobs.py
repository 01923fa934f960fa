"""Pictures, once each by their SHA-256, whoever refers to them. Originals are never rewritten; thumbnails stand beside them."""

from collections.abc import Iterable
from dataclasses import dataclass

from sidekeep.store.database import Transaction


@dataclass(frozen=True, slots=True)
class BlobInfo:
    """What is known of a picture without reading it. Width and height are 0 where it could not be decoded, `thumbnail_bytes`
    where there is no thumbnail.
    """

    sha256: bytes
    width: int
    height: int
    bytes: int
    thumbnail_bytes: int = 0


def put(tx: Transaction, info: BlobInfo, data: bytes, thumbnail: bytes | None) -> None:
    """Keep a picture; one that is there already stays as it is. `thumbnail` None: the original serves as its own."""
    tx.execute(
        "INSERT INTO blobs (sha256, width, height, bytes, thumbnail, data) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (sha256) DO NOTHING",
        (info.sha256, info.width, info.height, info.bytes, thumbnail, data),
    )


def known(tx: Transaction, hashes: Iterable[bytes]) -> dict[bytes, BlobInfo]:
    """What is known of those pictures that are there."""
    found: dict[bytes, BlobInfo] = {}
    for sha256 in hashes:
        for row in tx.execute(
            "SELECT sha256, width, height, bytes, coalesce(length(thumbnail), 0) FROM blobs WHERE sha256 = ?", (sha256,)
        ):
            found[sha256] = BlobInfo(*row)
    return found


def original(tx: Transaction, sha256: bytes) -> tuple[BlobInfo, bytes] | None:
    for *info, data in tx.execute("SELECT sha256, width, height, bytes, data FROM blobs WHERE sha256 = ?", (sha256,)):
        return BlobInfo(*info), data
    return None


def thumbnail(tx: Transaction, sha256: bytes) -> bytes | None:
    """The JPEG thumbnail; None where the picture needs none or cannot have one."""
    row: tuple[bytes | None] | None = tx.execute("SELECT thumbnail FROM blobs WHERE sha256 = ?", (sha256,)).fetchone()
    return row[0] if row is not None else None


def of_transcript(tx: Transaction, session_id: str) -> set[bytes]:
    """The hashes of the pictures in a transcript."""
    found = tx.execute(
        "SELECT DISTINCT sha256 FROM message_pixels JOIN transcript_events USING (message_pk) WHERE session_id = ?",
        (session_id,),
    )
    return {sha256 for (sha256,) in found}


def of_archives(tx: Transaction, namespace: str) -> set[bytes]:
    """The hashes of the pictures in a namespace's archives."""
    found = tx.execute(
        "SELECT DISTINCT sha256 FROM archive_blobs JOIN archives USING (archive_id) WHERE namespace = ?", (namespace,)
    )
    return {sha256 for (sha256,) in found}


def is_visible(tx: Transaction, namespace: str, sha256: bytes) -> bool:
    """Whether a conversation or an archive of that namespace has the picture: nobody else's is given out."""
    found = tx.execute(
        "SELECT 1 FROM message_pixels JOIN transcript_events USING (message_pk) JOIN entry_families USING (session_id) "
        "WHERE sha256 = ?1 AND namespace = ?2 "
        "UNION ALL SELECT 1 FROM archive_blobs JOIN archives USING (archive_id) WHERE sha256 = ?1 AND namespace = ?2 LIMIT 1",
        (sha256, namespace),
    )
    return found.fetchone() is not None


def totals(tx: Transaction, namespace: str) -> tuple[int, int]:
    """How many pictures a namespace has, and their bytes."""
    count, size = next(
        tx.execute(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM blobs WHERE sha256 IN ("
            "SELECT sha256 FROM message_pixels JOIN transcript_events USING (message_pk) "
            "JOIN entry_families USING (session_id) WHERE namespace = ?1 "
            "UNION SELECT sha256 FROM archive_blobs JOIN archives USING (archive_id) WHERE namespace = ?1)",
            (namespace,),
        )
    )
    return int(count), int(size)


def drop_unreferenced(tx: Transaction, hashes: Iterable[bytes]) -> int:
    """Delete those of `hashes` that no message and no archive refers to any more. Returns the bytes that they took."""
    freed = 0
    for sha256 in set(hashes):
        for (size,) in tx.execute(
            "DELETE FROM blobs WHERE sha256 = ?1 AND NOT EXISTS (SELECT 1 FROM message_pixels WHERE sha256 = ?1) "
            "AND NOT EXISTS (SELECT 1 FROM archive_blobs WHERE sha256 = ?1) "
            "RETURNING length(data) + coalesce(length(thumbnail), 0)",
            (sha256,),
        ):
            freed += size
    return freed
