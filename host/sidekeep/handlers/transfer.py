"""transfer.*: a file comes in pieces and is imported, or everything goes out as a file."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from sidekeep.errors import Cancelled, Conflict
from sidekeep.handlers.context import Context
from sidekeep.protocol.transfer import ChunkParams, CommitParams, ExportParams, OpenParams
from sidekeep.service.export_view import Order
from sidekeep.service.import_run import Report
from sidekeep.service.progress import Progress
from sidekeep.service.uploads import Uploads

PROGRESS_EVERY_S = 0.1
IMPORT_STOPPED = "The import was stopped. What was imported before stays; run it again to go on."
EXPORT_STOPPED = "The export was stopped. Nothing of it is left."
Made = TypeVar("Made")


def open_file(context: Context, params: OpenParams) -> dict[str, Any]:
    return {"transfer": _uploads(context).open(params.name, params.bytes)}


def add_chunk(context: Context, params: ChunkParams) -> dict[str, Any]:
    _uploads(context).add(params.transfer, params.seq, params.base64)
    return {}


async def commit(context: Context, params: CommitParams) -> dict[str, Any]:
    """Import what was sent. A cancelled one ends behind the conversations it is writing; what was imported stays."""
    uploads, stop = _uploads(context), threading.Event()
    progress = _progress(context, params.transfer, stop, IMPORT_STOPPED)

    def run() -> Report:
        return uploads.commit(context.scope, params.transfer, dry_run=params.dryRun, progress=progress)

    try:
        return imported(await _stoppable(run, stop))
    finally:
        context.written()


async def export(context: Context, params: ExportParams) -> dict[str, Any]:
    """A cancelled one leaves no file."""
    stop = threading.Event()
    progress = _progress(context, params.transfer, stop, EXPORT_STOPPED)
    ids = None if params.what == "all" else params.what
    order = Order(format=params.format, ids=ids, redact=params.redact)
    made = await _stoppable(lambda: context.services.exports.make(context.scope, order, progress), stop)
    return {"file": str(made.file), "bytes": made.bytes}


def imported(report: Report) -> dict[str, Any]:
    """IMPORT."""
    return {
        "source": ", ".join(report.sources),
        "added": report.counts["added"],
        "updated": report.counts["updated"],
        "unchanged": report.counts["unchanged"],
        "archived": report.counts["archived"],
        "checkpoints": report.counts["compacted"],
        "failed": [{"where": each.where, "reason": each.reason} for each in report.failed],
        "keysFound": [{"where": each.where, "provider": each.provider} for each in report.keys_found],
    }


def _uploads(context: Context) -> Uploads:
    if context.services.database.engine == "memory":
        raise Conflict("A private window keeps nothing, so nothing is imported in it. Import in another window.")
    return context.services.uploads


async def _stoppable(run: Callable[[], Made], stop: threading.Event) -> Made:
    """In a thread, which ends at its next progress once it is to stop."""
    try:
        return await asyncio.to_thread(run)
    except asyncio.CancelledError:
        stop.set()
        raise


def _progress(context: Context, transfer: str | None, stop: threading.Event, stopped: str) -> Progress:
    """Tells the caller, not more often than a person can see, and of the end in any case."""
    last_s = 0.0

    def tell(done: int, total: int, conversations: int) -> None:
        nonlocal last_s
        if stop.is_set():
            raise Cancelled(stopped)
        now_s = time.monotonic()
        if transfer is not None and (done == total or now_s - last_s >= PROGRESS_EVERY_S):
            last_s = now_s
            told = {"transfer": transfer, "done": done, "total": total, "conversations": conversations}
            context.notify("transfer.progress", told)

    return tell
