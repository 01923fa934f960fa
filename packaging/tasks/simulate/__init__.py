"""`simulate`: ten years of heavy use on one store. Builds shares of it, measures each, and says how every figure grows."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tasks import venv
from tasks.bench.host import Host
from tasks.bench.machine import load, machine
from tasks.places import ROOT, VENV_PYTHON
from tasks.say import TaskError, say
from tasks.simulate import commands, wire
from tasks.simulate.growth import Measured, show, to_json

# What ten years of heavy use come to: 274 messages and 14 MB of pictures a day.
MESSAGES = 1_000_000
# Measured on their way: a store with pictures takes 57 KB a message, one without 3.5; a backup and an export come on top.
BYTES_A_MESSAGE = {True: 57_000, False: 3_500}
COPIES = 3
# Chats and messages are kept, whatever the default limits are; backups are made when they are measured. As the panel sets them:
# a settings.toml is read at each start, which would be measured too.
KEPT = {"limits.chats": 0, "limits.messages": 0, "backup.enabled": False}


def simulate(
    shares: Sequence[float], *, pictures: bool, folder: Path | None, runs: int, target: Path | None = None
) -> None:
    """Build and measure a store for each share, and print the table. `folder` is where there is room. Raises TaskError."""
    venv.ensure()
    print(f"Machine: {machine()}, load {load()}")
    measured = {share: _measured(share, pictures=pictures, folder=folder, runs=runs) for share in sorted(shares)}
    print(show(measured))
    if target is not None:
        report = {"machine": machine(), "load": load(), "pictures": pictures, "figures": to_json(measured)}
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _measured(share: float, *, pictures: bool, folder: Path | None, runs: int) -> Measured:
    messages = int(MESSAGES * share)
    with tempfile.TemporaryDirectory(prefix="sidekeep-simulate-", dir=folder) as temporary:
        _expect_room(Path(temporary), messages * BYTES_A_MESSAGE[pictures] * COPIES)
        home = Path(temporary) / "home"
        home.mkdir(mode=0o700)
        with Host(home) as host:
            host.hello()
            host.request("settings.set", settings=KEPT)
        say(f"{share:.0%}: {messages} messages, {'with' if pictures else 'without'} pictures")
        _fill(home, messages, pictures=pictures)
        return wire.measure(home, runs) | commands.measure(home)


def _fill(home: Path, messages: int, *, pictures: bool) -> None:
    """Fill a store through the host's own services, in its own Python."""
    command = ("-m", "tasks.simulate.fill", str(home), str(messages), "pictures" if pictures else "text")
    done = subprocess.run(
        [VENV_PYTHON, *command], env={**os.environ, "PYTHONPATH": str(ROOT / "packaging")}, check=False
    )
    if done.returncode:
        raise TaskError("The store could not be filled: what went wrong stands above.")


def _expect_room(folder: Path, needed: int) -> None:
    found = os.statvfs(folder)
    if (free := found.f_bavail * found.f_frsize) < needed:
        raise TaskError(
            f"{needed / 1e9:.0f} GB are needed in {folder.parent}, and {free / 1e9:.0f} are free: name a --folder with more room."
        )
