"""Every method: its lane, how its parameters are checked, what handles it.

hello, ping and storage.* name a check of their own. The first two are imported with this table, storage.* after the reply to
hello; the rest is validated by pydantic through protocol/methods.py and imported when it is first called, or in a quiet moment
(app.py).
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from sidekeep.handlers import life
from sidekeep.protocol.methods import METHODS, load
from sidekeep.rpc.method import Handler, Lane, Method

Check = Callable[[dict[str, Any]], Any]


def _first(parse: Check, handle: Callable[..., Any]) -> Method:
    """A method that is answered before hello, too."""
    handler = Handler(parse, handle)
    return Method("direct", lambda: handler, needs_hello=False)


def _area(parse: str, handle: str) -> Method:
    """A method of the storage area: a check and a handler in `sidekeep.handlers.storage`."""
    return Method("ordered", partial(_resolve_area, parse, handle))


def _resolve_area(parse: str, handle: str) -> Handler:
    from sidekeep.handlers import storage

    return Handler(getattr(storage, parse), getattr(storage, handle))


def _lazy(lane: Lane, name: str, where: str) -> Method:
    """A method handled by `module:function` below `sidekeep.handlers`."""
    return Method(lane, partial(_resolve, name, where))


def _resolve(name: str, where: str) -> Handler:
    module, _, function = where.partition(":")
    handle = getattr(import_module(f"sidekeep.handlers.{module}"), function)
    return Handler(partial(_validate, load(METHODS[name].params)), handle)


def _validate(model: Any, params: dict[str, Any]) -> Any:
    from pydantic import ValidationError

    from sidekeep.protocol.model import invalid_params

    try:
        return model.model_validate(params)
    except ValidationError as exc:
        raise invalid_params(exc) from exc


_LAZY: Mapping[str, tuple[Lane, str]] = {
    "status": ("ordered", "life:status"),
    "settings.get": ("ordered", "settings:get"),
    "settings.set": ("ordered", "settings:change"),
    "settings.preview": ("ordered", "settings:preview"),
    "history.get": ("ordered", "history:get"),
    "history.append": ("ordered", "history:append"),
    "history.remove": ("ordered", "history:remove"),
    "history.truncate": ("ordered", "history:truncate"),
    "history.clear": ("ordered", "history:clear"),
    "image.get": ("ordered", "history:image"),
    "sessions.list": ("ordered", "sessions:list_chats"),
    "sessions.save": ("ordered", "sessions:save"),
    "sessions.load": ("ordered", "sessions:load"),
    "sessions.get": ("ordered", "sessions:get"),
    "sessions.rename": ("ordered", "sessions:rename"),
    "sessions.pin": ("ordered", "sessions:pin"),
    "sessions.move": ("ordered", "sessions:move"),
    "sessions.branch": ("ordered", "sessions:branch"),
    "sessions.delete": ("ordered", "sessions:delete"),
    "sessions.clear": ("ordered", "sessions:clear"),
    "sessions.compact": ("task", "checkpoints:compact"),
    "sessions.restore": ("ordered", "checkpoints:restore"),
    "sessions.checkpoints": ("ordered", "checkpoints:list_all"),
    "sessions.deleteCheckpoint": ("ordered", "checkpoints:delete"),
    "folders.list": ("ordered", "folders:list_all"),
    "folders.create": ("ordered", "folders:create"),
    "folders.rename": ("ordered", "folders:rename"),
    "folders.exclude": ("ordered", "folders:exclude"),
    "folders.delete": ("ordered", "folders:delete"),
    "archive.list": ("ordered", "archive:list_all"),
    "archive.get": ("ordered", "archive:get"),
    "archive.restore": ("ordered", "archive:restore"),
    "archive.purge": ("ordered", "archive:purge"),
    "attachments.add": ("task", "attachments:add"),
    "attachments.get": ("ordered", "attachments:get"),
    "attachments.remove": ("ordered", "attachments:remove"),
    "attachments.restore": ("ordered", "attachments:restore"),
    "backups.list": ("ordered", "backups:list_all"),
    "backups.make": ("task", "backups:make"),
    "adoption.state": ("ordered", "adoption:state"),
    "adoption.body": ("ordered", "adoption:body"),
    "adoption.finish": ("ordered", "adoption:finish"),
    "adoption.read": ("ordered", "adoption:read"),
    "transfer.open": ("ordered", "transfer:open_file"),
    "transfer.chunk": ("ordered", "transfer:add_chunk"),
    "transfer.commit": ("task", "transfer:commit"),
    "transfer.export": ("task", "transfer:export"),
    "turn.send": ("task", "turns:send"),
    "turn.cancel": ("task", "turns:cancel"),
    "turn.peek": ("task", "turns:peek"),
    "request.prepare": ("task", "requests:prepare"),
    "request.failed": ("task", "requests:failed"),
    "request.succeeded": ("task", "requests:succeeded"),
    "providers.models": ("task", "providers:models"),
    "providers.test": ("task", "providers:test"),
    "providers.detect": ("task", "providers:detect"),
    "secrets.set": ("task", "providers:set_secret"),
    "secrets.clear": ("task", "providers:clear_secret"),
}

TABLE: Mapping[str, Method] = {
    "hello": _first(life.parse_hello, life.hello),
    "ping": _first(life.parse_ping, life.ping),
    "storage.get": _area("parse_get", "get"),
    "storage.getAll": _area("parse_nothing", "get_all"),
    "storage.set": _area("parse_set", "set_items"),
    "storage.remove": _area("parse_names", "remove"),
    "storage.clear": _area("parse_nothing", "clear"),
    "storage.getKeys": _area("parse_nothing", "get_keys"),
    "storage.getBytesInUse": _area("parse_optional_names", "get_bytes_in_use"),
    "storage.watch": _area("parse_watch", "watch"),
    **{name: _lazy(lane, name, where) for name, (lane, where) in _LAZY.items()},
}


def get_ready() -> None:
    """Import what a browser asks for directly after hello."""
    from sidekeep.service import area  # noqa: F401  imported to be there

    TABLE["storage.getAll"].resolve()


def warm_up() -> None:
    """Import what the first question will need."""
    for method in TABLE.values():
        method.resolve()
