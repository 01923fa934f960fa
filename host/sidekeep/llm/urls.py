"""Addresses made from the base URL that a person typed."""

from urllib.parse import SplitResult, urlsplit

from sidekeep.errors import ProviderFailed

_CHAT = "/chat/completions"
_DEFAULT_PORTS = {"http": 80, "https": 443}


def chat_completions(base_url: str) -> str:
    """`<base_url>/chat/completions`; a query (Azure's `?api-version=…`) stays at the end.

    Raises ProviderFailed (verdict other) for what is no http or https address.
    """
    return _below(base_url, _CHAT)


def models(base_url: str) -> str:
    """`<base_url>/models`. Raises as `chat_completions` does."""
    return _below(base_url, "/models")


def lm_studio_models(base_url: str) -> str:
    """LM Studio's own list, which tells windows and vision; it lies beside `/v1`, not below it."""
    return f"{origin(base_url)}/api/v0/models"


def origin(url: str) -> str:
    """`scheme://host[:port]` in lower case, a default port left out: what a key is bound to.

    Raises as `chat_completions` does.
    """
    parts = _split(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = parts.port
    return f"{parts.scheme}://{host}" + (f":{port}" if port and port != _DEFAULT_PORTS[parts.scheme] else "")


def _below(base_url: str, path: str) -> str:
    parts = _split(base_url)
    folder = parts.path.rstrip("/").removesuffix(_CHAT).rstrip("/")
    return parts._replace(path=folder + path, fragment="").geturl()


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        _ = parts.port  # checked only when read
    except ValueError as exc:
        raise _refused("The base URL is not an address. It looks like https://api.example.com/v1.") from exc
    if parts.scheme not in _DEFAULT_PORTS:
        raise _refused("The base URL must begin with http:// or https://, like http://localhost:11434/v1.")
    if not parts.hostname or any(character.isspace() for character in parts.netloc):
        raise _refused("The base URL names no server. It looks like https://api.example.com/v1.")
    if parts.username is not None:
        raise _refused("The base URL holds a user name or a password. Leave them out; a key has its own field.")
    return parts


def _refused(message: str) -> ProviderFailed:
    return ProviderFailed(message, verdict="other")
