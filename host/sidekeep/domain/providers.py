"""Model servers: the built-in ones, and how a person's settings and they become one list (docs/protocol.md, PROVIDER)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

OFFLINE = "offline"

# The APIs that providers speak. request/dialect/table.py writes requests for each, llm/api/table.py reads the answers.
KINDS = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama", OFFLINE)

# Addresses are each program's own default. Models are empty where the person's server decides.
BUILT_IN: dict[str, dict[str, Any]] = {
    OFFLINE: {"kind": "offline", "baseUrl": "", "model": "SmolLM2-135M-Instruct", "temperature": 0.2, "maxTokens": 512},
    "ollama": {"kind": "ollama", "baseUrl": "http://127.0.0.1:11434", "model": ""},
    "lmstudio": {"kind": "openai-chat", "baseUrl": "http://127.0.0.1:1234/v1", "model": ""},
    "llamacpp": {"kind": "openai-chat", "baseUrl": "http://127.0.0.1:8080/v1", "model": ""},
    "openai": {"kind": "openai-chat", "baseUrl": "https://api.openai.com/v1", "model": "gpt-5-mini"},
    "anthropic": {"kind": "anthropic", "baseUrl": "https://api.anthropic.com/v1", "model": "claude-sonnet-5-5"},
    "gemini": {
        "kind": "gemini",
        "baseUrl": "https://generativelanguage.googleapis.com/v1beta",
        "model": "gemini-flash-latest",
    },
    "openrouter": {"kind": "openai-chat", "baseUrl": "https://openrouter.ai/api/v1", "model": "openrouter/auto"},
}

# Those that run on the person's own computer.
LOCAL = ("ollama", "lmstudio", "llamacpp")

_DEFAULT_PORTS = {"http": 80, "https": 443}
# What is nested more deeply is refused when it is written (orjson's limit is 254).
MAX_LEVELS = 255


class Provider(NamedTuple):
    """One provider's settings, complete.

    An `agent` keeps its own transcript. `alternate`: whether its server wants questions and answers to take turns; None
    where the person has not said.
    """

    name: str
    kind: str
    base_url: str
    model: str
    temperature: float | None = None
    max_tokens: int | None = None
    window: int | None = None
    agent: bool = False
    alternate: bool | None = None

    @property
    def origin(self) -> str:
        """Scheme, host and port of the base URL: what a key is bound to."""
        return origin_of(self.base_url)

    @property
    def is_loopback(self) -> bool:
        """Whether its server can only be on this computer."""
        from urllib.parse import urlsplit

        try:
            host = urlsplit(self.base_url).hostname
        except ValueError:
            return False
        return host in ("localhost", "127.0.0.1", "::1")


def merged(stored: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Built-in and stored providers by name. Fields merge one by one; a stored null is a provider the person removed."""
    names = [
        name
        for name in (*BUILT_IN, *(name for name in stored if name not in BUILT_IN))
        if stored.get(name, {}) is not None
    ]
    return {name: {"name": name, **BUILT_IN.get(name, {}), **_fields(stored.get(name))} for name in names}


def provider_from(fields: Mapping[str, Any]) -> Provider:
    """Settings as a Provider; a field of the wrong type counts as absent."""
    return Provider(
        name=_text(fields.get("name")),
        kind=_text(fields.get("kind")) or "openai-chat",
        base_url=_text(fields.get("baseUrl")),
        model=_text(fields.get("model")),
        temperature=_number(fields.get("temperature")),
        max_tokens=_positive(fields.get("maxTokens")),
        window=_positive(fields.get("window")),
        agent=fields.get("agent") is True,
        alternate=fields["alternate"] if isinstance(fields.get("alternate"), bool) else None,
    )


def origin_of(url: str) -> str:
    """`scheme://host:port` in lower case, the port always named; "" where the URL has none."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.hostname}:{port}" if parts.hostname and port else ""


def without_keys(value: Any, levels: int = MAX_LEVELS) -> Any:
    """The same JSON without any member `apiKey`, however deep: where no key store can take one, it is kept nowhere."""
    if not levels:
        return value
    if isinstance(value, dict):
        return {name: without_keys(item, levels - 1) for name, item in value.items() if name != "apiKey"}
    return [without_keys(item, levels - 1) for item in value] if isinstance(value, list) else value


def _fields(value: Any) -> dict[str, Any]:
    return (
        {key: item for key, item in value.items() if key not in ("apiKey", "name", "keySet")}
        if isinstance(value, dict)
        else {}
    )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _positive(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 1 else None
