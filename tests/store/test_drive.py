"""A store on a network drive is told of, because two computers that write to it damage it."""

from pathlib import Path

import pytest

from sidekeep.errors import StoreFailed
from sidekeep.install.doctor import health
from sidekeep.store import drive, moving
from sidekeep.store.database import Database

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /home rw - nfs4 server:/home rw,vers=4.2
31 30 0:41 / /home/ania/local rw - btrfs /dev/sdb rw
32 22 0:42 / /mnt/two\\040words rw - fuse.sshfs me@server:/ rw
33 22 0:43 / /media rw - ext4 /dev/sdc rw
34 22 0:44 / /media rw - cifs //server/share rw
35 22 0:45 / /apps rw - fuse.snapfuse snap rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", None),
        ("/home/ania/.local/share/sidekeep", "nfs4"),
        ("/home/ania/local/sidekeep", None),
        ("/home2/sidekeep", None),
        ("/mnt/two words/sidekeep", "sshfs"),
        ("/media/sidekeep", "cifs"),
        ("/apps/sidekeep", None),
    ],
)
def test_the_drive_that_a_folder_is_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, kind: str | None
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, encoding="utf-8")
    monkeypatch.setattr(drive, "_MOUNTS", mounts)
    assert drive.network_kind(Path(folder)) == kind


def test_where_the_system_does_not_tell_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive, "_MOUNTS", tmp_path / "none")
    assert drive.network_kind(tmp_path) is None


def test_a_store_is_not_moved_to_one_and_the_doctor_names_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    Database(home / "sidekeep.sqlite3").close()
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 0:40 / {tmp_path} rw - nfs server:/ rw\n", encoding="utf-8"
    )
    monkeypatch.setattr(drive, "_MOUNTS", mounts)
    with pytest.raises(StoreFailed, match="two computers that write would damage"):
        moving.move(home, tmp_path / "elsewhere", now_ms=0)
    assert not (tmp_path / "elsewhere").exists()
    assert "home_on_network" in [finding.cause for finding in health.examine(home)]
