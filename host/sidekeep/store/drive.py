"""Whether a folder is on a drive that other computers write to as well.

SQLite's WAL keeps its index in memory that processes share, so all of them must be on one computer: two that open one store
over a network each see a store of their own, and what they write damages the other's (sqlite.org/wal.html, section 1, and
sqlite.org/useovernet.html).
"""

import re
import sys
from pathlib import Path, PurePosixPath

# As /proc/self/mountinfo names them; a FUSE one has its program's name behind a dot.
_NETWORK = frozenset(
    ("9p", "afs", "ceph", "cifs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs")
)
_NETWORK_FUSE = frozenset(
    ("sshfs", "rclone", "s3fs", "davfs", "davfs2", "glusterfs", "gvfsd-fuse", "google-drive-ocamlfuse")
)
_MOUNTS = Path("/proc/self/mountinfo")
_REMOTE_DRIVE = 4  # Windows' DRIVE_REMOTE


def network_kind(folder: Path) -> str | None:
    """What kind of network drive a folder is on; None where it is on none, or the system does not tell."""
    real = folder.resolve()
    if sys.platform == "win32":
        return _windows_kind(str(real))
    try:
        mounts = _MOUNTS.read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    kind = file_system(mounts, real.as_posix())
    name = kind.removeprefix("fuse.")
    return name if name in (_NETWORK_FUSE if name != kind else _NETWORK) else None


def file_system(mounts: str, folder: str) -> str:
    """The kind of file system that a folder is on, of Linux' list of mounts; "" where there is none. Later ones lie on top."""
    found, kind = PurePosixPath("/"), ""
    for line in mounts.splitlines():
        fields, _, about = line.partition(" - ")
        point = PurePosixPath(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields.split(" ")[4]))
        if PurePosixPath(folder).is_relative_to(point) and point.is_relative_to(found):
            found, kind = point, about.split(" ")[0]
    return kind


def _windows_kind(folder: str) -> str | None:
    if sys.platform != "win32":
        return None
    import ctypes

    is_remote = folder.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(folder[:3]) == _REMOTE_DRIVE
    return "smb" if is_remote else None
