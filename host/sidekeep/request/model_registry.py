"""What is known of models without asking anyone: windows and prices by provider and model (models.json, which has its date).

A bare model name tells nothing: of 1,912 names in the list this comes from, 296 have more than one window, by who serves them.
So a provider is known by the host of its base URL, or by a kind that only its maker speaks.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sidekeep.domain.providers import Provider

# gpt-5-2025-08-07, claude-sonnet-4-5-20250929, mistral-small-2506: the same model, as it was that day.
_SNAPSHOT = re.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


@dataclass(frozen=True, slots=True)
class Prices:
    """USD for a million tokens. `cached` is for the part of a prompt that came from a cache; None: as the rest."""

    prompt: float
    completion: float
    cached: float | None = None


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """`window` in tokens. `long_prices` count for the whole of a request of more than `long_tokens` prompt tokens."""

    window: int | None = None
    prices: Prices | None = None
    long_tokens: int = 0
    long_prices: Prices | None = None


def facts_of(provider: Provider) -> ModelFacts | None:
    """What is known of the provider's model; None where its server or the model is not in the list.

    A server known by its kind alone (a proxy) has the window but no prices: it may charge its own.
    """
    host = _host(provider.base_url)
    of_host = next((known for known in _providers() if host in known["hosts"]), None)
    known = of_host or next((known for known in _providers() if provider.kind in known["kinds"]), None)
    found = _model(known["models"], provider.model.lower()) if known else None
    if found is None:
        return None
    return _facts(found) if of_host else ModelFacts(found.get("window"))


def as_of() -> str:
    """The day the list is from, YYYY-MM-DD."""
    return str(_registry()["asOf"])


def currency() -> str:
    return str(_registry()["currency"])


def _model(models: Mapping[str, Any], name: str) -> Any:
    return models.get(name) or models.get(_SNAPSHOT.sub("", name))


def _providers() -> Collection[Mapping[str, Any]]:
    providers: Mapping[str, Mapping[str, Any]] = _registry()["providers"]
    return providers.values()


def _host(base_url: str) -> str:
    try:
        return (urlsplit(base_url).hostname or "").lower()
    except ValueError:
        return ""


def _facts(found: Mapping[str, Any]) -> ModelFacts:
    above = found.get("above", {})
    return ModelFacts(found.get("window"), _prices(found), above.get("tokens", 0), _prices(above))


def _prices(found: Mapping[str, Any]) -> Prices | None:
    return Prices(found["input"], found["output"], found.get("cached")) if "input" in found else None


@cache
def _registry() -> dict[str, Any]:
    import orjson

    # importlib.resources would do the same and take ten times as long to import.
    data: dict[str, Any] = orjson.loads(Path(__file__).with_name("models.json").read_bytes())
    return data
