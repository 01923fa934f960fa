"""SIGKILL of the host at random points under load: nothing that was acknowledged may be lost."""

import contextlib
import os
import random
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from tasks.places import HOST_PROGRAM
from tasks.torture.client import Client, HostGone, Refused
from tasks.torture.fault import Outcome, Wish
from tasks.torture.ledger import Ledger, backups_unsound, lost, unsound
from tasks.torture.load import Load

# A store is given up after so many kills, so that reading all of it stays quick.
KILLS_A_STORE = 20
PROFILE = "6f1d3c52-5b0e-4c33-9a57-3f1f5f6f7a10"


def run(wish: Wish) -> Outcome:
    """Kill a host `wish.size` times; after each kill the store is checked, after the last of a store all of its content."""
    rng = random.Random(wish.seed)
    outcome = Outcome("kills", wish.seed)
    killed = 0
    while killed < wish.size and wish.has_time:
        with tempfile.TemporaryDirectory(prefix="sidekeep-torture-") as folder:
            killed += _one_store(Path(folder), rng, outcome, wish, min(KILLS_A_STORE, wish.size - killed))
    return outcome


def _one_store(home: Path, rng: random.Random, outcome: Outcome, wish: Wish, kills: int) -> int:
    ledger = Ledger()
    done = 0
    while done < kills and wish.has_time:
        _one_life(home, rng, outcome, ledger, name=f"life{done}")
        done += 1
        outcome.count("kills")
        for complaint in unsound(home):
            outcome.find(f"after kill {outcome.counts['kills']}: {complaint}")
    outcome.count("acknowledged writes", ledger.size)
    for complaint in (*lost(home, ledger, profile=PROFILE), *backups_unsound(home)):
        outcome.find(complaint)
    return done


def _one_life(home: Path, rng: random.Random, outcome: Outcome, ledger: Ledger, *, name: str) -> None:
    after_s = rng.choice((0.2, 0.8, 1.5, 4.0)) * rng.random()
    with Client(home) as host, _backing_up(home, rng, outcome):
        load = Load(host, ledger, rng, name)
        alarm = threading.Timer(after_s, host.process.kill)
        with contextlib.suppress(HostGone, Refused):
            if rng.random() < 0.05:  # it is killed as it starts
                alarm.start()
            host.hello(profile=PROFILE)
            load.know()
            if alarm.ident is None:
                alarm.start()
            while True:
                load.step()
        host.kill()
        outcome.count("requests answered", load.answered)
        for refusal in load.refusals:
            outcome.find(refusal)


@contextlib.contextmanager
def _backing_up(home: Path, rng: random.Random, outcome: Outcome) -> Iterator[None]:
    """Now and then a backup is being made meanwhile, and is killed too."""
    if rng.random() > 0.1 or not (home / "sidekeep.sqlite3").exists():
        yield
        return
    command = [str(HOST_PROGRAM), "backup", "now"]
    program = subprocess.Popen(
        command,
        env={**os.environ, "SIDEKEEP_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        program.kill()
        program.wait()
        outcome.count("backups killed")
