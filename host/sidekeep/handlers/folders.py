"""folders.*."""

from typing import Any

from sidekeep.handlers.context import Context
from sidekeep.protocol.folders import CreateParams, ExcludeParams, IdParams, RenameParams
from sidekeep.store.folders import Folder


def list_all(context: Context, _params: Any) -> dict[str, Any]:
    return {"folders": [folder._asdict() for folder in context.services.folders.all(context.scope)]}


def create(context: Context, params: CreateParams) -> dict[str, Any]:
    return _named(context.services.folders.create(context.scope, params.name))


def rename(context: Context, params: RenameParams) -> dict[str, Any]:
    return _named(context.services.folders.rename(context.scope, params.id, params.name))


def exclude(context: Context, params: ExcludeParams) -> dict[str, Any]:
    context.services.folders.exclude(context.scope, params.id, excluded=params.excluded)
    return {}


def delete(context: Context, params: IdParams) -> dict[str, Any]:
    context.services.folders.delete(context.scope, params.id)
    return {}


def _named(folder: Folder) -> dict[str, Any]:
    return {"id": folder.id, "name": folder.name}
