"""A plan carried out on a real disk: whole or not at all, and taken back without a trace."""

import os
import stat
from pathlib import Path

import pytest

from sidekeep.errors import InstallFailed
from sidekeep.install import manifest, plan
from sidekeep.install.apply import carry_out
from sidekeep.install.machine import ThisMachine
from sidekeep.install.places import Wish
from sidekeep.install.plan import CopyTree, Plan, RemoveTree, WriteFile
from sidekeep.install.sandbox import Program

PLACE = "NativeMessagingHosts/dev.sidekeep.host.json"
THEIRS = b'{"name": "dev.sidekeep.host", "path": "/opt/other"}'


def installed(profile: Path, program: Path = Path("/opt/sidekeep")) -> Plan:
    made = plan.install(ThisMachine(), Wish(user_data_dir=profile), Program(program))
    carry_out(made)
    return made


def uninstalled(profile: Path) -> Plan:
    made = plan.uninstall(ThisMachine(), Wish(user_data_dir=profile))
    carry_out(made)
    return made


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every name below a folder with its content."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_install_and_uninstall_leave_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("x")
    before = tree(tmp_path)
    installed(tmp_path / "new" / "profile")
    assert (tmp_path / "new" / "profile" / PLACE).is_file()
    uninstalled(tmp_path / "new" / "profile")
    assert tree(tmp_path) == before


def test_folders_that_were_there_or_hold_something_stay(tmp_path: Path) -> None:
    (tmp_path / "NativeMessagingHosts").mkdir()
    installed(tmp_path)
    uninstalled(tmp_path)
    assert (tmp_path / "NativeMessagingHosts").is_dir()
    installed(tmp_path / "fresh")
    (tmp_path / "fresh" / "NativeMessagingHosts" / "other.json").write_text("{}")
    uninstalled(tmp_path / "fresh")
    assert tree(tmp_path / "fresh") == {"NativeMessagingHosts": None, "NativeMessagingHosts/other.json": b"{}"}


def test_folders_made_by_an_earlier_install_are_still_known_after_a_later_one(tmp_path: Path) -> None:
    installed(tmp_path / "profile", Path("/opt/older"))
    installed(tmp_path / "profile", Path("/opt/newer"))
    uninstalled(tmp_path / "profile")
    assert tree(tmp_path) == {}


def test_somebody_elses_manifest_is_kept_and_comes_back(tmp_path: Path) -> None:
    place = tmp_path / PLACE
    place.parent.mkdir()
    place.write_bytes(THEIRS)
    installed(tmp_path)
    assert manifest.mark(place.read_bytes()) is not None
    uninstalled(tmp_path)
    assert tree(tmp_path) == {"NativeMessagingHosts": None, PLACE: THEIRS}


def test_a_link_in_the_manifests_place_is_replaced_and_what_it_names_is_left(tmp_path: Path) -> None:
    place = tmp_path / PLACE
    place.parent.mkdir()
    (tmp_path / "dotfiles.json").write_bytes(THEIRS)
    place.symlink_to(tmp_path / "dotfiles.json")
    installed(tmp_path)
    assert not place.is_symlink()
    uninstalled(tmp_path)
    assert place.is_symlink()
    assert place.read_bytes() == THEIRS


def test_every_user_can_read_what_is_for_the_whole_machine_whatever_the_umask(tmp_path: Path) -> None:
    step = WriteFile(tmp_path / "etc" / "opt" / "host.json", b"{}", "Chromium", public=True)
    before = os.umask(0o077)
    try:
        carry_out(Plan((step,)))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "etc" / "opt").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "etc" / "opt" / "host.json").stat().st_mode) == 0o644


def failing(folder: Path) -> WriteFile:
    """A step that cannot be done, also by root: a file is where a folder has to be."""
    (folder / "file").write_text("in the way")
    return WriteFile(folder / "file" / "host.json", b"{}", "Chromium")


def test_a_step_that_fails_undoes_all_before_it(tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "sidekeep").write_text("new")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "sidekeep").write_text("old")
    (tmp_path / "gone").mkdir()
    (tmp_path / "old.json").write_bytes(THEIRS)
    last = failing(tmp_path)
    before = tree(tmp_path)
    steps = (
        CopyTree(tmp_path / "program", tmp_path / "copy"),
        CopyTree(tmp_path / "program", tmp_path / "deep" / "copy"),
        WriteFile(tmp_path / "old.json", b"{}", "Chromium", replaces=True),
        WriteFile(tmp_path / "other" / "new.json", b"{}", "Chromium"),
        RemoveTree(tmp_path / "gone"),
        last,
    )
    with pytest.raises(InstallFailed, match="Everything is as it was before") as failed:
        carry_out(Plan(steps))
    assert str(last.path) in failed.value.message
    assert tree(tmp_path) == before


def test_what_was_set_aside_goes_when_all_is_done(tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "sidekeep").write_text("new")
    (tmp_path / "copy").mkdir()
    (tmp_path / "old.json").write_bytes(THEIRS)
    carry_out(
        Plan(
            (
                CopyTree(tmp_path / "program", tmp_path / "copy"),
                WriteFile(tmp_path / "old.json", b"{}", "Chromium", replaces=True),
            )
        )
    )
    assert sorted(tree(tmp_path)) == ["copy", "copy/sidekeep", "old.json", "program", "program/sidekeep"]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")
def test_a_full_disk_leaves_the_old_manifest(tmp_path: Path, small_disk: Path) -> None:
    place = small_disk / PLACE
    place.parent.mkdir()
    place.write_bytes(THEIRS)
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "filler").write_bytes(bytes(1_000_000))
    with pytest.raises(InstallFailed, match="No space left"):
        installed(small_disk)
    assert sorted(path.name for path in place.parent.iterdir()) == [place.name]
    assert place.read_bytes() == THEIRS
