"""What other users of the computer can get at: folders and files of the data home, exports, and what a crash leaves."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.model_server import ModelServer
from tests.support.host import PROGRAM, WAIT_S, RunningHost
from tests.support.stores import OWN, open_services, say
from tests.support.waiting import wait_until

from sidekeep import logs, paths
from sidekeep.install import trust
from sidekeep.service.export_view import Order

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")

OPEN, PRIVATE = 0o755, 0o700
MEGABYTE = 1024 * 1024


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_data_home_that_others_could_look_into_is_closed_at_the_next_start(home: Path) -> None:
    home.mkdir()
    home.chmod(OPEN)
    (home / "settings.toml").write_text('network.proxy = "http://me:secret@proxy.example:3128"\n', encoding="utf-8")
    with RunningHost(home) as host:
        host.hello()
    assert mode(home) == PRIVATE


def test_every_file_and_folder_that_the_host_makes_is_its_owners_alone_whatever_the_umask(
    home: Path, model: ModelServer
) -> None:
    """Under a umask that takes nothing away: what is private is private because the host says so."""
    open_to_all = ("sh", "-c", 'umask 0 && exec "$0" "$@"', *PROGRAM)
    with RunningHost(home, program=open_to_all) as host:
        host.hello()
        host.request("storage.set", items={"providers": {"test": {**model.provider(), "apiKey": "a key"}}})
        host.request("history.append", message=say("hello"))
        host.request("transfer.export", what="all", format="markdown")
        host.request("transfer.open", name="x.json", bytes=9)
        host.send(b"not json")  # so that there is a log
        wait_until((home / "logs" / "crash.txt").exists, "crashes are not noted")
        subprocess.run([*open_to_all, "backup", "now"], check=True, env={**os.environ, "SIDEKEEP_HOME": str(home)})
        modes = {str(path.relative_to(home)): mode(path) for path in (home, *home.rglob("*"))}
    assert {name: found for name, found in modes.items() if found not in (0o700, 0o600)} == {}
    assert {"logs/host.log", "exports", "locks", "backups", "uploads", "secrets.json"} <= modes.keys()


@pytest.mark.parametrize("above", ["", ".."], ids=["the home itself", "a folder above it"])
def test_the_persons_own_home_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, above: str) -> None:
    person = tmp_path / "home" / "ania"
    person.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(person))
    named = (person / above).resolve()
    named.chmod(OPEN)
    paths.keep_private(named)
    assert mode(named) == OPEN


def test_a_log_that_comes_before_all_else_leaves_no_open_folder(log: Callable[[], str], tmp_path: Path) -> None:
    logs.configure(tmp_path / "home" / "logs")
    logs.warning("the first record")
    assert [mode(tmp_path / "home"), mode(tmp_path / "home" / "logs")] == [PRIVATE, PRIVATE]


@pytest.mark.parametrize("planted", ["a link", "a file of theirs"])
def test_an_export_into_a_shared_folder_goes_through_nothing_that_was_planted_there(
    tmp_path: Path, planted: str
) -> None:
    shared, theirs = tmp_path / "shared", tmp_path / "theirs.txt"
    shared.mkdir()
    theirs.write_text("theirs", encoding="utf-8")
    target = shared / "chats.json"
    unfinished = target.with_name("chats.json.unfinished")
    if planted == "a link":
        unfinished.symlink_to(theirs)
    else:
        os.link(theirs, unfinished)
    with open_services(tmp_path / "home") as services:
        services.conversation.append(OWN, say("a secret"))
        services.exports.make(OWN, Order("json", target=target))
    assert theirs.read_text(encoding="utf-8") == "theirs"
    assert "a secret" in target.read_text(encoding="utf-8")
    assert (mode(target), target.is_symlink()) == (0o600, False)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_crash_writes_no_memory_to_the_disk(home: Path) -> None:
    if 0 <= resource.getrlimit(resource.RLIMIT_CORE)[1] < MEGABYTE:  # -1 is no limit
        pytest.skip("here nobody may have a core")
    with RunningHost(home, program=("sh", "-c", 'ulimit -S -c 2048 && exec "$0" "$@"', *PROGRAM)) as host:
        host.hello()
        limits = Path(f"/proc/{host.process.pid}/limits")
        end = time.monotonic() + WAIT_S
        while _largest_core(limits) > 1 and time.monotonic() < end:  # from its first quiet moment on
            time.sleep(0.02)
        assert _largest_core(limits) <= 1


def _largest_core(limits: Path) -> float:
    """Bytes."""
    line = next(line for line in limits.read_text("ascii").splitlines() if line.startswith("Max core file size"))
    return float(line.removeprefix("Max core file size").split()[0].replace("unlimited", "inf"))


def test_a_program_that_others_can_change_is_named_before_every_user_starts_it(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    program = folder / "sidekeep"
    program.touch(mode=0o755)
    folder.chmod(0o777)
    assert trust.changeable(program) in (program, folder)
    assert trust.changeable(Path("/usr/bin/env")) is None
