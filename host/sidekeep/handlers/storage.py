"""storage.*, checked by hand (protocol/storage.py is the truth the checks are tested against)."""

from typing import Any

from sidekeep.domain import plain_json
from sidekeep.domain.json_value import merge_defaults, sorted_deeply
from sidekeep.errors import InvalidParams
from sidekeep.handlers.context import Context


def parse_get(params: dict[str, Any]) -> Any:
    keys = params.get("keys")
    if keys is None or isinstance(keys, (str, dict)) or _is_names(keys):
        return keys
    raise InvalidParams.at("keys", "is null, a string, a list of strings, or an object of defaults")


def parse_nothing(params: dict[str, Any]) -> dict[str, Any]:
    """A method without parameters ignores what comes."""
    return params


def parse_names(params: dict[str, Any]) -> list[str]:
    """`keys` of storage.remove."""
    keys = params.get("keys")
    if isinstance(keys, str):
        return [keys]
    if isinstance(keys, list) and _is_names(keys):
        return keys
    raise InvalidParams.at("keys", "is a string or a list of strings")


def parse_optional_names(params: dict[str, Any]) -> list[str] | None:
    """`keys` of storage.getBytesInUse; None asks for all."""
    return None if params.get("keys") is None else parse_names(params)


def parse_set(params: dict[str, Any]) -> tuple[dict[str, Any], int | None]:
    items, quota_bytes = params.get("items"), params.get("quotaBytes")
    if not isinstance(items, dict):
        raise InvalidParams.at("items", "is an object")
    if quota_bytes is not None and (isinstance(quota_bytes, bool) or not isinstance(quota_bytes, int)):
        raise InvalidParams.at("quotaBytes", "is an integer")
    return items, quota_bytes


def parse_watch(params: dict[str, Any]) -> tuple[list[str], bool]:
    keys, values = params.get("keys"), params.get("values")
    if not isinstance(keys, list) or not _is_names(keys):
        raise InvalidParams.at("keys", "is a list of strings")
    if not isinstance(values, bool):
        raise InvalidParams.at("values", "is true or false")
    return keys, values


def get(context: Context, keys: Any) -> dict[str, Any]:
    defaults = keys if isinstance(keys, dict) else {}
    _check_depth(defaults)
    wanted = [keys] if isinstance(keys, str) else list(keys) if keys is not None else None
    found = context.area.get(context.scope, wanted)
    items: dict[str, Any] = {key: plain_json.embedded(value) for key, value in found.items()}
    for key in sorted(defaults):
        if key not in found:
            items[key] = sorted_deeply(defaults[key])
        elif isinstance(defaults[key], dict):
            items[key] = merge_defaults(defaults[key], plain_json.read(found[key]))
    return {"items": dict(sorted(items.items()))}


def get_all(context: Context, _params: Any) -> dict[str, Any]:
    return {"items": context.area.get_all(context.scope)}


def set_items(context: Context, params: tuple[dict[str, Any], int | None]) -> dict[str, Any]:
    items, quota_bytes = params
    context.area.set(context.scope, items, quota_bytes=quota_bytes)
    context.written()
    return {}


def remove(context: Context, keys: list[str]) -> dict[str, Any]:
    context.area.remove(context.scope, keys)
    context.written()
    return {}


def clear(context: Context, _params: Any) -> dict[str, Any]:
    context.area.clear(context.scope)
    context.written()
    return {}


def get_keys(context: Context, _params: Any) -> dict[str, Any]:
    return {"keys": context.area.keys(context.scope)}


def get_bytes_in_use(context: Context, keys: list[str] | None) -> dict[str, Any]:
    return {"bytes": context.area.bytes_in_use(context.scope, keys)}


def watch(context: Context, params: tuple[list[str], bool]) -> dict[str, Any]:
    keys, values = params
    if values:
        context.spared.difference_update(keys)
    else:
        context.spared.update(keys)
    return {}


def _check_depth(defaults: dict[str, Any]) -> None:
    """Defaults go back into the reply, three levels down, and orjson writes 254."""
    try:
        plain_json.write([[[defaults]]])
    except TypeError as exc:
        raise InvalidParams.at("keys", "is nested too deeply") from exc


def _is_names(keys: Any) -> bool:
    return isinstance(keys, list) and all(isinstance(key, str) for key in keys)
