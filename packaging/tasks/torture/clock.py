"""A wall clock that goes back a year and on ten, under a host that runs: nothing changes its order, nothing is deleted.

The shim shifts the wall clock alone, as somebody does who sets it; the clock that only goes on goes on.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from tasks.places import HOST_PROGRAM
from tasks.torture import control
from tasks.torture.client import Client, Message
from tasks.torture.control import Control, NoShim
from tasks.torture.fault import Outcome, Wish
from tasks.torture.ledger import backups_unsound, unsound

YEAR_S = 365 * 86_400
JUMPS_S = (0, -YEAR_S, 10 * YEAR_S, -YEAR_S, 10 * YEAR_S, 0)
# A chat is deleted for good after a month in the archive.
EXPIRE = "[archive]\nexpireDays = 30\n"


def run(wish: Wish) -> Outcome:
    """Jump, write, let the host look after its store for `wish.size` seconds, and see what is there in which order."""
    outcome = Outcome("clock", wish.seed)
    with tempfile.TemporaryDirectory(prefix="sidekeep-torture-") as folder:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        (home / "settings.toml").write_text(EXPIRE, encoding="utf-8")
        try:
            with control.controlled(Path(folder), home) as switch:
                _jump(home, switch, wish, outcome)
        except NoShim as exc:
            outcome.skipped.append(str(exc))
        else:
            for complaint in (*unsound(home), *backups_unsound(home)):
                outcome.find(complaint)
    return outcome


def _jump(home: Path, switch: Control, wish: Wish, outcome: Outcome) -> None:
    written: list[str] = []
    deleted: list[str] = []
    heard: list[Message] = []
    with (
        Client(home, environment=switch.environment) as host,
        Client(home, environment=switch.environment, heard=heard.append) as other,
    ):
        host.hello()
        other.hello()
        for number, jump_s in enumerate(JUMPS_S):
            switch.shift_clock(jump_s)
            for message in range(5):
                written.append(f"{number}-{message}")
                host.request("history.append", message={"id": written[-1], "role": "user", "content": written[-1]})
            host.request("storage.set", items={"jump": number})
            deleted.append(host.request("sessions.save", name=f"deleted {number}")["id"])
            host.request("sessions.delete", ids=[deleted[-1]])
            _back_up(home, switch, outcome)
            time.sleep(wish.size)
            _look(host, written, deleted, outcome)
            outcome.count("jumps")
        other.request("storage.set", items={"jump": len(JUMPS_S)})
    told = [change["newValue"] for message in heard if (change := _jump_in(message)) is not None]
    if told != [*range(len(JUMPS_S) + 1)]:
        outcome.find(f"the other client heard {told} of {len(JUMPS_S) + 1} changes")
    names = len(list((home / "backups").glob("sidekeep-*.sqlite3")))
    outcome.counts["backups"] = names
    if names < len(set(JUMPS_S)):
        outcome.find(f"of {len(set(JUMPS_S))} backups of different days {names} are left")


def _jump_in(message: Message) -> Message | None:
    found: Message | None = message["params"].get("changes", {}).get("jump")
    return found


def _look(host: Client, written: list[str], deleted: list[str], outcome: Outcome) -> None:
    there = [message["id"] for message in host.request("history.get", pixels="none")["messages"]]
    if there != written:
        outcome.find(f"{len(written)} messages were written, {len(there)} are there, or in another order")
    archives = {archive["name"] for archive in host.request("archive.list", limit=1000)["archives"]}
    if len(archives) != len(deleted):
        outcome.find(f"of {len(deleted)} deleted chats the archive has {len(archives)}")


def _back_up(home: Path, switch: Control, outcome: Outcome) -> None:
    done = subprocess.run(
        [str(HOST_PROGRAM), "backup", "now"],
        env={**os.environ, **switch.environment, "SIDEKEEP_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        outcome.find(f"a backup failed: {done.stderr.strip()[:200]}")
