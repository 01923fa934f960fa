"""What the client needs to know of a model API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sidekeep.llm.piece import Reader
from sidekeep.llm.types import Endpoint, ModelInfo


@dataclass(frozen=True, slots=True)
class Api:
    """One model API. `key_header` and `key_prefix` are where the key goes: never into an address, which logs keep.

    `answer_url` and `models_url` raise ProviderFailed for a base URL that is no address; `models` is None for what is no
    list of models.
    """

    reader: Callable[[], Reader]
    answer_url: Callable[[Endpoint], str]
    models_url: Callable[[Endpoint], str]
    models: Callable[[Any], list[ModelInfo] | None]
    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    headers: Mapping[str, str] = field(default_factory=dict)
