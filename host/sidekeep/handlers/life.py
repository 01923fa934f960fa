"""hello and ping, checked by hand (protocol/life.py is the truth the checks are tested against), and status."""

from typing import Any

from sidekeep import __version__
from sidekeep.domain.scope import SIDEKEEP
from sidekeep.errors import InvalidParams, ProtocolMismatch
from sidekeep.handlers.context import Context
from sidekeep.protocol import PROTOCOL_VERSION
from sidekeep.service.notices import Notice
from sidekeep.store.evictions import Evicted

CAPABILITIES = ("parts", "pixels", "temporary")


def parse_hello(params: dict[str, Any]) -> dict[str, Any]:
    """Strict on what is known, silent on what is not. Raises InvalidParams."""
    for name, kind in (("client", str), ("version", str), ("protocol", int)):
        value = params.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InvalidParams.at(name, "is missing or of the wrong type")
    if not isinstance(params.get("profile"), (str, type(None))):
        raise InvalidParams.at("profile", "is a string")
    if not isinstance(params.get("incognito"), (bool, type(None))):
        raise InvalidParams.at("incognito", "is true or false")
    for name, limit in (("client", 1000), ("version", 1000), ("profile", 100)):
        if len(params.get(name) or "") > limit:
            raise InvalidParams.at(name, f"is longer than {limit} characters")
    return params


def hello(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Greet the caller, or say which side is to be updated."""
    theirs = params["protocol"]
    if theirs != PROTOCOL_VERSION:
        raise _mismatch(theirs)
    context.greet(params.get("profile") or "", incognito=bool(params.get("incognito")))
    state = context.services.status.state(context.scope)
    return {
        "server": "sidekeep",
        "version": __version__,
        "protocol": PROTOCOL_VERSION,
        "store": {
            "engine": state.engine,
            "id": state.store_id,
            "bytes": state.bytes,
            "conversations": state.conversations,
        },
        "capabilities": CAPABILITIES,
    }


def _mismatch(theirs: int) -> ProtocolMismatch:
    from sidekeep import program

    is_host = theirs > PROTOCOL_VERSION
    older = "host" if is_host else "extension"
    command = program.update_command() if is_host else program.extension_command()
    return ProtocolMismatch(
        f"The extension speaks protocol {theirs} and this host ({__version__}) {PROTOCOL_VERSION}. Update the {older}: {command}",
        supported=[PROTOCOL_VERSION],
        update=older,
        version=__version__,
        command=command,
    )


def parse_ping(params: dict[str, Any]) -> dict[str, Any]:
    """A ping without parameters ignores what comes."""
    return params


def ping(_context: Context, _params: dict[str, Any]) -> dict[str, Any]:
    return {}


def status(context: Context, _params: Any) -> dict[str, Any]:
    counts = context.services.status.counts(context.scope)
    offline = context.services.models.offline
    settings = context.services.settings.current
    return {
        "conversations": counts.conversations,
        "messages": counts.messages,
        "bytes": counts.bytes,
        "blobs": {"count": counts.blobs[0], "bytes": counts.blobs[1]},
        "archives": {"count": counts.archives[0], "bytes": counts.archives[1]},
        "limits": {
            "folders": settings.limit_folders,
            "chats": settings.limit_chats,
            "messages": settings.limit_messages,
        },
        "evicted": evicted(counts.evicted),
        "lastBackupAt": context.services.status.last_backup_at(context.services.home),
        "path": _path(context),
        "sqlite": counts.sqlite,
        "model": {"installed": offline.installed, "running": offline.running},
        "notices": _notices(context),
    }


def _path(context: Context) -> str | None:
    """Where the person's machine keeps the store is for Sidekeep's own extension to know."""
    path = context.services.database.path
    return str(path) if path is not None and context.namespace == SIDEKEEP else None


def evicted(count: Evicted) -> dict[str, int | None]:
    """What limits have removed."""
    return {"chats": count.chats, "messages": count.messages, "since": count.since_ms}


def tell_notices(context: Context) -> None:
    """Send `status.changed` to a client that has said hello."""
    if context.greeted:
        context.notify("status.changed", {"notices": _notices(context)})


def _notices(context: Context) -> list[dict[str, str]]:
    """Other extensions learn of the model; the rest is about the person's machine and files."""
    reason = context.services.models.offline.unavailable_reason()
    notices = [Notice("model", reason)] if reason else []
    if context.namespace == SIDEKEEP:
        notices += context.notices.all()
    return [notice._asdict() for notice in notices]
