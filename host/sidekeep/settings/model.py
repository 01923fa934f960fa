"""The settings with their defaults. pydantic checks the file, and is imported only where there is one."""

from pathlib import Path
from typing import Any, NamedTuple

from sidekeep.errors import SettingsInvalid


class Settings(NamedTuple):
    """Effective settings."""

    allowed_extensions: tuple[str, ...] = ()
    log_level: str = "info"
    part_chars: int = 131_072
    synchronous: str = "NORMAL"
    proxy: str = ""
    ca: str = ""
    model_idle_seconds: int = 300


def load(file: Path) -> Settings:
    """The settings in `file`, or the defaults where it does not exist. Raises SettingsInvalid."""
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        return Settings()
    except OSError as exc:
        raise SettingsInvalid(f"{file} cannot be read: {exc.strerror}.") from exc
    import tomllib

    try:
        parsed = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise SettingsInvalid(f"{file} is not TOML: {exc}.") from exc
    return _checked(file, parsed)


def _checked(file: Path, parsed: dict[str, Any]) -> Settings:
    from pydantic import ValidationError

    from sidekeep.settings.schema import SettingsFile

    try:
        found = SettingsFile.model_validate(parsed)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False, include_context=False)[0]
        key = ".".join(str(step) for step in first["loc"])
        raise SettingsInvalid(f"{file}: {key}: {first['msg']}.") from exc
    return Settings(
        allowed_extensions=tuple(found.allowed_extensions),
        log_level=found.log.level,
        part_chars=found.wire.partChars,
        synchronous=found.sqlite.synchronous,
        proxy=found.network.proxy,
        ca=found.network.ca,
        model_idle_seconds=found.model.idleSeconds,
    )
