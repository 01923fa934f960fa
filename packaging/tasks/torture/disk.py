"""A disk that is full or breaks, at every write of everything a host does: told plainly, nothing lost, and over when it is over.

First by a shim that lets the n-th write fail, then by a file system that is really full.
"""

import contextlib
import os
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tasks.torture import control
from tasks.torture.client import Client, HostGone, Refused
from tasks.torture.control import Control, NoShim
from tasks.torture.fault import Outcome, Wish
from tasks.torture.ledger import Ledger, lost
from tasks.torture.load import Load

PROFILE = "6f1d3c52-5b0e-4c33-9a57-3f1f5f6f7a10"
# A refusal says which: what to do about it is another matter for a full disk than for a broken one.
SAYS_WHAT_TO_DO = ("room", "check", "free", "disk")
SMALL_DISK = "12m"
START_WRITES = 60


def run(wish: Wish) -> Outcome:
    """Fail each of the first `wish.size` writes of every kind of request, once and from then on, with both errors."""
    outcome = Outcome("disk", wish.seed)
    with tempfile.TemporaryDirectory(prefix="sidekeep-torture-") as folder:
        try:
            _with_shim(Path(folder), wish, outcome)
        except NoShim as exc:
            outcome.skipped.append(str(exc))
    with _small_disk(outcome) as disk:
        if disk is not None:
            _fill(disk / "home", wish, outcome)
    return outcome


def _with_shim(folder: Path, wish: Wish, outcome: Outcome) -> None:
    home = folder / "home"
    ledger = Ledger()
    with control.controlled(folder, home) as switch:
        for error in control.ERRORS.values():
            _at_start(home, switch, error, wish, outcome)
        with Client(home, environment=switch.environment) as host:
            host.hello(profile=PROFILE)
            load = Load(host, ledger, random.Random(wish.seed), "disk")
            for _ in range(3):
                for kind in load.kinds:
                    load.do(kind)
                    load.finish()
            for kind in load.kinds:
                _at_every_write(host, load, kind, switch, wish, outcome)
            host.kill()
    for complaint in lost(home, ledger, profile=PROFILE):
        outcome.find(complaint)
    outcome.counts["acknowledged writes"] = ledger.size


def _at_every_write(host: Client, load: Load, kind: str, switch: Control, wish: Wish, outcome: Outcome) -> None:
    """Let each write of a request fail in turn. Where it was refused, it goes well afterwards."""
    for name, error in control.ERRORS.items():
        for count in (1, 1 << 40):
            after, failed = 0, -1
            while after < wish.size and failed != switch.failed and wish.has_time:
                failed = switch.failed
                switch.fail(error, after=after, count=count)
                told = _refusals(load, kind)
                switch.work()
                _judge(f"{kind}, write {after + 1}, {name}", told, outcome)
                _goes_on(host, load, kind, outcome)
                after += 1
            outcome.counts["failed writes"] = switch.failed


def _refusals(load: Load, kind: str) -> list[str]:
    """Do it; returns what was refused."""
    before = len(load.refusals)
    try:
        load.do(kind)
        load.finish()
    except Refused as refused:
        return [f"{refused.method} was answered {refused.kind}: {refused.message}"]
    return load.refusals[before:]


def _judge(where: str, told: list[str], outcome: Outcome) -> None:
    for refusal in told:
        outcome.count("refusals")
        if "storage_failed" not in refusal or not any(word in refusal.lower() for word in SAYS_WHAT_TO_DO):
            outcome.find(f"{where}: {refusal}")


def _goes_on(host: Client, load: Load, kind: str, outcome: Outcome) -> None:
    try:
        host.request("ping")
    except HostGone:
        outcome.find(f"the host ended at: {kind}")
        raise
    for refusal in _refusals(load, kind):
        outcome.find(f"{kind}, after the fault was over: {refusal}")


def _at_start(home: Path, switch: Control, error: int, wish: Wish, outcome: Outcome) -> None:
    """A host that starts while the disk fails says so, lives, and serves once it does not."""
    for after in range(0, START_WRITES, max(1, START_WRITES // wish.size)):
        switch.fail(error, after=after)
        with Client(home, environment=switch.environment) as host:
            for _ in range(2):
                with contextlib.suppress(HostGone):
                    try:
                        host.hello(profile=PROFILE)
                    except Refused as refused:
                        _judge(f"start, write {after + 1}", [f"hello was answered {refused.kind}: {refused}"], outcome)
                switch.work()
            try:
                host.request("storage.set", items={"started": after})
            except (HostGone, Refused) as exc:
                outcome.find(
                    f"a host that started on a failing disk, write {after + 1}, does not serve after it: {exc!r}"
                )
        outcome.count("starts")


def _fill(home: Path, wish: Wish, outcome: Outcome) -> None:
    """Write until the disk is full; nothing is lost, and it goes on when there is room."""
    ledger = Ledger()
    with Client(home) as host:
        host.hello(profile=PROFILE)
        load = Load(host, ledger, random.Random(wish.seed), "full")
        filler = home.parent / "filler"
        filler.write_bytes(bytes(4_000_000))
        _until(lambda: bool(load.refusals), lambda: load.do("append a picture"), load)
        _judge("a full disk", load.refusals, outcome)
        for kind in load.kinds:
            _judge(f"a full disk, {kind}", _refusals(load, kind), outcome)
        if not load.refusals:
            outcome.find("the small disk was never full")
        filler.unlink()
        for kind in load.kinds:
            _goes_on(host, load, kind, outcome)
        host.kill()
    for complaint in lost(home, ledger, profile=PROFILE):
        outcome.find(f"after a full disk: {complaint}")
    outcome.count("acknowledged writes", ledger.size)


def _until(is_so: Callable[[], bool], step: Callable[[], None], load: Load) -> None:
    for _ in range(2000):
        if is_so():
            return
        step()
        load.finish()


@contextlib.contextmanager
def _small_disk(outcome: Outcome) -> Iterator[Path | None]:
    """A file system of a few megabytes; None, and why, where none can be had."""
    with tempfile.TemporaryDirectory(prefix="sidekeep-torture-disk-") as folder:
        command = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", folder]
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        if not is_root or subprocess.run(command, capture_output=True, check=False).returncode:
            outcome.skipped.append("A small file system needs Linux and the right to mount one.")
            yield None
            return
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
