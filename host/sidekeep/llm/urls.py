"""Addresses made from the base URL that a person typed."""

import re
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from sidekeep.errors import ProviderFailed

_DEFAULT_PORTS = {"http": 80, "https": 443}
# What people copy along with the base URL from an example.
_ENDPOINT = re.compile(r"/(chat/completions|responses|messages|models(/[^/]*)?)$")
_VERSION = re.compile(r"/v\d\w*$")
_OLLAMA = re.compile(r"(/v1(/chat/completions)?|/api(/chat)?)$")


def below(base_url: str, path: str) -> str:
    """`<base_url><path>`; queries (Azure's `?api-version=…`) stay at the end.

    Raises ProviderFailed (verdict other) for what is no http or https address.
    """
    return _joined(base_url, lambda folder: _ENDPOINT.sub("", folder).rstrip("/"), path)


def versioned(base_url: str, version: str, path: str) -> str:
    """As `below`, with the API's version where the base URL ends in none: Anthropic's own clients leave it out."""

    def folder(typed: str) -> str:
        found = _ENDPOINT.sub("", typed).rstrip("/")
        return found if _VERSION.search(found) else found + version

    return _joined(base_url, folder, path)


def ollama(base_url: str, path: str) -> str:
    """Ollama's own API lies beside its imitation of OpenAI's under `/v1`, whose address most people have."""
    return _joined(base_url, lambda folder: _OLLAMA.sub("", folder).rstrip("/"), path)


def llama_cpp_props(base_url: str) -> str:
    """What a llama.cpp server was started with; beside `/v1`, too."""
    return ollama(base_url, "/props")


def lm_studio_models(base_url: str) -> str:
    """LM Studio's own list, which tells windows and vision; it lies beside `/v1`, not below it."""
    return f"{origin(base_url)}/api/v0/models"


def origin(url: str) -> str:
    """`scheme://host[:port]` in lower case, a default port left out: what a key is bound to.

    Raises as `below` does.
    """
    parts = _split(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = parts.port
    return f"{parts.scheme}://{host}" + (f":{port}" if port and port != _DEFAULT_PORTS[parts.scheme] else "")


def _joined(base_url: str, folder: Callable[[str], str], path: str) -> str:
    parts = _split(base_url)
    path, _, query = path.partition("?")
    queries = "&".join(filter(None, (parts.query, query)))
    return parts._replace(path=folder(parts.path.rstrip("/")) + path, query=queries, fragment="").geturl()


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
