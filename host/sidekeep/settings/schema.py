"""What settings.toml may hold, for pydantic. Keys as in docs/protocol.md, SETTINGS; unknown ones belong to other versions."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

ExtensionId = Annotated[str, Field(pattern=r"^[a-p]{32}$")]


class _Table(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Network(_Table):
    proxy: str = ""
    ca: str = ""


class Log(_Table):
    level: Literal["debug", "info", "warning", "error"] = "info"


class Wire(_Table):
    # A part is escaped once more: a frame holds at most four bytes for each of its characters.
    partChars: Annotated[int, Field(ge=1024, le=262_000)] = 131_072


class Sqlite(_Table):
    synchronous: Literal["NORMAL", "FULL"] = "NORMAL"


class Model(_Table):
    idleSeconds: Annotated[int, Field(ge=1, le=86_400)] = 300


class SettingsFile(_Table):
    """The whole file."""

    allowed_extensions: list[ExtensionId] = []
    network: Network = Network()
    log: Log = Log()
    wire: Wire = Wire()
    sqlite: Sqlite = Sqlite()
    model: Model = Model()
