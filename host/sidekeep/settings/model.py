"""The settings with their defaults, and the table of their keys (docs/settings.md).

On the start path: no pydantic, no TOML. settings/file.py reads the file and settings/layers.py decides which value counts.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Settings(NamedTuple):
    """Effective settings. The defaults stand here and nowhere else."""

    limit_folders: int = 50
    limit_chats: int = 200
    limit_messages: int = 300
    archive_expire_days: int = 0
    backup_enabled: bool = True
    backup_daily: int = 7
    backup_weekly: int = 4
    compact_automatic: bool = False
    title_automatic: bool = False
    proxy: str = ""
    ca: str = ""
    log_level: str = "info"
    allowed_extensions: tuple[str, ...] = ()
    part_chars: int = 131_072
    synchronous: str = "NORMAL"
    max_request_bytes: int = 25_165_824
    model_idle_seconds: int = 300
    drop_folder: str = ""


class Key(NamedTuple):
    """One setting as the file and the wire name it.

    `panel`: the panel may set it too. `live`: a change counts at once, else from the next start of the host. `evicts`: a lower
    value removes chats or messages (0 is none). `shown`: other extensions may read it; the rest is about the person's machine.
    """

    name: str
    field: str
    panel: bool = False
    live: bool = True
    evicts: bool = False
    shown: bool = False


KEYS: Mapping[str, Key] = {
    key.name: key
    for key in (
        Key("limits.folders", "limit_folders", panel=True, shown=True),
        Key("limits.chats", "limit_chats", panel=True, evicts=True, shown=True),
        Key("limits.messages", "limit_messages", panel=True, evicts=True, shown=True),
        Key("archive.expireDays", "archive_expire_days", panel=True, shown=True),
        Key("backup.enabled", "backup_enabled", panel=True, shown=True),
        Key("backup.daily", "backup_daily", panel=True, shown=True),
        Key("backup.weekly", "backup_weekly", panel=True, shown=True),
        Key("compact.automatic", "compact_automatic", panel=True),
        Key("title.automatic", "title_automatic", panel=True),
        Key("network.proxy", "proxy", panel=True),
        Key("network.ca", "ca"),
        Key("log.level", "log_level"),
        Key("allowed_extensions", "allowed_extensions", live=False),
        Key("wire.partChars", "part_chars"),
        Key("sqlite.synchronous", "synchronous", live=False),
        Key("request.maxBytes", "max_request_bytes"),
        Key("model.idleSeconds", "model_idle_seconds"),
        Key("import.dropFolder", "drop_folder"),
    )
}

EVICTING = tuple(name for name, key in KEYS.items() if key.evicts)


def made(values: Mapping[str, Any]) -> Settings:
    """Settings with these values, by key; the defaults for the others."""
    fields: dict[str, Any] = {
        KEYS[name].field: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return Settings()._replace(**fields)


def value_of(settings: Settings, name: str) -> Any:
    """The value of a key."""
    return getattr(settings, KEYS[name].field)
