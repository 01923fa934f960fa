"""settings.*: the host's settings. Reading is for everybody, changing for Sidekeep's own extension."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import ValidationError

from sidekeep.domain.scope import SIDEKEEP
from sidekeep.errors import ForbiddenOrigin, InvalidParams
from sidekeep.handlers.context import Context
from sidekeep.handlers.history import announced
from sidekeep.handlers.sessions import session
from sidekeep.protocol.settings import ChangeParams
from sidekeep.service import retention
from sidekeep.settings import file
from sidekeep.settings.model import KEYS, value_of


def get(context: Context, _params: Any) -> dict[str, Any]:
    """What is in force, where it comes from, what waits. Other extensions are not shown what is about the person's machine."""
    host = context.services.settings
    host.refresh()
    layered = host.layered
    shown = [name for name, key in KEYS.items() if key.shown or context.namespace == SIDEKEEP]
    return {
        "settings": {name: value_of(layered.settings, name) for name in shown},
        "source": {name: layered.source[name] for name in shown},
        "pending": layered.pending,
    }


def change(context: Context, params: ChangeParams) -> dict[str, Any]:
    if context.namespace != SIDEKEEP:
        raise ForbiddenOrigin("Only Sidekeep's own extension may change the host's settings.")
    values = _checked(params.settings)
    for name in values:
        if not KEYS[name].panel:
            raise _wrong(name, "is set in settings.toml only")
    context.services.settings.set(values)
    if any(KEYS[name].evicts for name in values):
        announced(context, context.services.enforce_limits)
    return get(context, params)


def preview(context: Context, params: ChangeParams) -> dict[str, Any]:
    """What would leave if these values were in force."""
    settings = context.services.settings.with_values(_checked(params.settings))
    services = context.services
    is_running = partial(services.is_running, context.namespace)
    found = retention.excess(services.database, context.scope, settings, is_running)
    return {"evict": {"chats": [session(chat, size) for chat, size in found.chats], "messages": found.messages}}


def _checked(values: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in values:
        if name not in KEYS:
            raise _wrong(name, "is no setting of this version")
    try:
        return file.check(values)
    except ValidationError as exc:
        errors = exc.errors(include_url=False, include_input=False, include_context=False)
        named = [(".".join(map(str, error["loc"])), error["msg"]) for error in errors]
        raise InvalidParams(
            "; ".join(f"{name}: {reason}" for name, reason in named),
            errors=[{"loc": f"settings.{name}", "msg": reason} for name, reason in named],
        ) from exc


def _wrong(name: str, reason: str) -> InvalidParams:
    return InvalidParams(f"{name[:100]}: {reason}", errors=[{"loc": f"settings.{name[:100]}", "msg": reason}])
