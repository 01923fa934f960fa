"""What a setting may be, for pydantic: settings.toml and what a panel sets alike. Unknown keys belong to other versions.

No defaults stand here (settings/model.py has them): a key that is absent is None.
"""

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


def _is_proxy(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if value and not usable:
        raise PydanticCustomError("proxy", "should be the address of a proxy, like http://proxy.example:3128, or empty")
    return value


def _is_absolute(value: str) -> str:
    if value and not Path(value).is_absolute():
        raise PydanticCustomError("path", "should be a path from the root on, or empty")
    return value


ExtensionId = Annotated[str, Field(pattern=r"^[a-p]{32}$")]
AbsolutePath = Annotated[str, AfterValidator(_is_absolute)]
Limit = Annotated[int, Field(ge=0, le=10_000_000)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Limits(_Table):
    folders: Limit | None = None
    chats: Limit | None = None
    messages: Limit | None = None


class Archive(_Table):
    expireDays: Annotated[int, Field(ge=0, le=36_500)] | None = None


class Backup(_Table):
    enabled: bool | None = None
    daily: Annotated[int, Field(ge=0, le=366)] | None = None
    weekly: Annotated[int, Field(ge=0, le=520)] | None = None


class Compact(_Table):
    automatic: bool | None = None


class Title(_Table):
    automatic: bool | None = None


class Network(_Table):
    proxy: Annotated[str, AfterValidator(_is_proxy)] | None = None
    ca: AbsolutePath | None = None


class Log(_Table):
    level: Literal["debug", "info", "warning", "error"] | None = None


class Wire(_Table):
    # A part is escaped once more: a frame holds at most four bytes for each of its characters.
    partChars: Annotated[int, Field(ge=1024, le=262_000)] | None = None


class Sqlite(_Table):
    synchronous: Literal["NORMAL", "FULL"] | None = None


class Request(_Table):
    maxBytes: Annotated[int, Field(ge=65_536, le=1_073_741_824)] | None = None


class Model(_Table):
    idleSeconds: Annotated[int, Field(ge=1, le=86_400)] | None = None


class Import(_Table):
    dropFolder: AbsolutePath | None = None


class SettingsFile(_Table):
    """The whole file."""

    allowed_extensions: Annotated[list[ExtensionId], Field(max_length=1000)] | None = None
    limits: Limits = Limits()
    archive: Archive = Archive()
    backup: Backup = Backup()
    compact: Compact = Compact()
    title: Title = Title()
    network: Network = Network()
    log: Log = Log()
    wire: Wire = Wire()
    sqlite: Sqlite = Sqlite()
    request: Request = Request()
    model: Model = Model()
    # `import` is a word of Python's.
    import_: Annotated[Import, Field(alias="import")] = Import()
