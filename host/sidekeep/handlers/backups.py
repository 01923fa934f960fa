"""backups.*: for Sidekeep's own extension, since a backup holds what every namespace keeps."""

import asyncio
from typing import Any

from sidekeep.domain.scope import SIDEKEEP
from sidekeep.errors import ForbiddenOrigin
from sidekeep.handlers.context import Context
from sidekeep.service.backing_up import BackingUp
from sidekeep.store.backups import Backup


def list_all(context: Context, _params: Any) -> dict[str, Any]:
    return {"backups": [_shaped(backup) for backup in _own(context).all()]}


async def make(context: Context, _params: Any) -> dict[str, Any]:
    made = await asyncio.to_thread(_own(context).make)
    return {"backup": _shaped(made.backup), "removed": len(made.removed)}


def _own(context: Context) -> BackingUp:
    if context.namespace != SIDEKEEP:
        raise ForbiddenOrigin("Only Sidekeep's own extension may see or make backups.")
    return context.services.backing_up


def _shaped(backup: Backup) -> dict[str, Any]:
    return {"name": backup.name, "at": backup.at_ms, "bytes": backup.bytes}
