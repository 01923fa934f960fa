"""backups.*: the copies of the store."""

from sidekeep.protocol.model import Millis, Shape


class Backup(Shape):
    name: str
    at: Millis
    bytes: int


class BackupList(Shape):
    """The newest first."""

    backups: list[Backup]


class Made(Shape):
    """`removed`: how many older ones went for it."""

    backup: Backup
    removed: int
