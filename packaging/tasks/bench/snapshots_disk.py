"""`snapshots_disk`: bytes on the disk for 50 snapshots of the same conversation with 8 MB of pictures.

Counted after the browser has ended, when both sides have written what they had; counting gives the same at every run.
"""

from pathlib import Path

from tasks.bench.conversations import MESSAGES, PICTURES, conversation
from tasks.bench.figures import Comparison, Figure, Table
from tasks.bench.worker import OURS, THEIRS, Place, place, settle
from tasks.places import EXTENSION_ID

SNAPSHOTS = 50
PEER = "chrome.storage.local: a key each"
SAVED = "sessions.save"
AREA = "Sidekeep's area: a key each"
WORK = "50 snapshots of the same 300 messages and 8 MB of pictures"


def measure(runs: int, *, snapshots: int = SNAPSHOTS, messages: int = MESSAGES, pictures: int = PICTURES) -> Table:  # noqa: ARG001
    """One count each. Raises TaskError."""
    by_key = f"for (let at = 0; at < {snapshots}; at += 1) await %s.set({{[`session_${{at}}`]: history}})"
    saved = f"for (let left = {snapshots}; left > 0; left -= 1) await sidekeep.request('sessions.save')"
    with place() as first, place() as second:
        _do(first, f"{by_key % THEIRS}; await {OURS}.set({{history}}); {saved}", messages, pictures)
        _do(second, by_key % OURS, messages, pictures)
        peer = Figure(PEER, (_mb(first.profile / "Default" / "Local Extension Settings" / EXTENSION_ID),), "MB")
        figures = (Figure(SAVED, (_mb(first.home),), "MB"), Figure(AREA, (_mb(second.home),), "MB"))
    goals = (Comparison(SAVED, PEER, at_most=1 / 45), Comparison(AREA, PEER))
    return Table("snapshots_disk", WORK, peer, figures, goals)


def _do(made: Place, statements: str, messages: int, pictures: int) -> None:
    with made.worker() as worker:
        settle(worker)
        worker.keep("history", conversation(messages, pictures))
        worker.run(statements)


def _mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
