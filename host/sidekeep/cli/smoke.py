"""`sidekeep smoke`: the manual test of the host that a browser would start, over its real pipes."""

import argparse
import contextlib
import os
import tempfile
from pathlib import Path

from sidekeep.cli import plans
from sidekeep.domain.scope import BUILT_IN_EXTENSION_IDS
from sidekeep.errors import InstallFailed
from sidekeep.install import installation, recording, smoke
from sidekeep.install.doctor.browser import follow
from sidekeep.install.doctor.examination import Case
from sidekeep.install.machine import ThisMachine
from sidekeep.install.manifest import origin
from sidekeep.install.start import NotStarted, Started


def configure(parser: argparse.ArgumentParser) -> None:
    """Add which host, and the recording."""
    plans.configure_browsers(parser)
    parser.add_argument("--program", metavar="FILE", help="this program instead of the one that a browser would start")
    recorded = parser.add_mutually_exclusive_group()
    recorded.add_argument("--record", metavar="FILE", type=Path, help="keep the conversation in this file")
    recorded.add_argument("--replay", metavar="FILE", type=Path, help="play such a file to the host, on an empty store")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0 where every step went well; 1 where one did not, or an answer differs from the recording's."""
    program = installation.absolute(arguments.program) if arguments.program else _registered(arguments)
    print(f"The host: {program}")
    try:
        if arguments.replay:
            return _replay(program, arguments.replay)
        return _steps(program, arguments.record)
    except NotStarted as exc:
        raise InstallFailed(f"The system does not start {program}: {exc}.") from exc


def _registered(arguments: argparse.Namespace) -> Path:
    """The program that the first browser with a registration would start."""
    case = Case(ThisMachine(), plans.wish(arguments))
    ways = [follow(patient) for patient in case.patients()]
    for way in ways:
        if way.program is not None:
            return way.program
    wrong = [finding.message for way in ways for finding in way.findings]
    raise InstallFailed(wrong[0] if wrong else "No browser was found here: name the host with --program.")


def _steps(program: Path, record: Path | None) -> int:
    with contextlib.ExitStack() as stack:
        listen = stack.enter_context(recording.Recorder(record)) if record else lambda *_: None
        wrong = ""
        for step in smoke.steps(lambda: Started(program, _origin(), listen=listen)):
            wrong = step.wrong
            print(f"{step.ms:9.1f} ms  {step.what}{f': WRONG: {wrong}' if wrong else ''}")
            if wrong:
                break
    if record:
        print(f"Kept: {record}")
    return 1 if wrong else 0


def _replay(program: Path, file: Path) -> int:
    lines = recording.read(file)
    different = 0
    with tempfile.TemporaryDirectory(prefix="sidekeep-replay-") as home:
        environment = {**os.environ, "SIDEKEEP_HOME": home}
        for played in recording.play(lines, lambda: Started(program, _origin(), environment=environment)):
            same = played.then == played.now
            different += not same
            print(
                f"{played.ms:9.1f} ms  {played.method}: {played.now if same else f'{played.now}, and was {played.then}'}"
            )
    print("Every answer is of the recorded kind." if not different else f"{different} answers differ.")
    return 1 if different else 0


def _origin() -> str:
    return origin(min(BUILT_IN_EXTENSION_IDS))
