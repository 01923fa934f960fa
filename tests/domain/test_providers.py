"""Model servers: what a person set and what is built in, as one list."""

from typing import Any

import pytest

from sidekeep.domain import providers
from sidekeep.domain.providers import BUILT_IN, origin_of


def test_without_settings_there_are_the_built_in_ones() -> None:
    assert providers.merged({}) == {name: {"name": name, **fields} for name, fields in BUILT_IN.items()}


def test_fields_merge_one_by_one() -> None:
    merged = providers.merged({"openai": {"model": "other", "extra": 1}})
    assert merged["openai"] == {**BUILT_IN["openai"], "name": "openai", "model": "other", "extra": 1}


def test_a_persons_own_provider_comes_after_the_built_in_ones() -> None:
    assert list(providers.merged({"mine": {"model": "m"}, "openai": {}})) == [*BUILT_IN, "mine"]


def test_a_removed_provider_stays_removed() -> None:
    assert "openai" not in providers.merged({"openai": None})


@pytest.mark.parametrize("odd", [5, "x", [1], True])
def test_odd_settings_count_as_none(odd: Any) -> None:
    assert providers.merged({"openai": odd})["openai"] == {"name": "openai", **BUILT_IN["openai"]}


def test_neither_a_key_nor_a_name_nor_a_key_flag_can_be_set() -> None:
    merged = providers.merged({"openai": {"apiKey": "sk", "name": "evil", "keySet": True}})
    assert merged["openai"] == {"name": "openai", **BUILT_IN["openai"]}


def test_the_built_in_table_is_not_changed_by_merging() -> None:
    before = repr(BUILT_IN)
    providers.merged({"openai": {"model": "x"}})["openai"]["model"] = "y"
    assert repr(BUILT_IN) == before


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("", "openai-chat", "", "", None, None, None)),
        (
            {"temperature": True, "maxTokens": "5", "window": 0, "model": 7},
            ("", "openai-chat", "", "", None, None, None),
        ),
        (
            {"baseUrl": " http://a/v1 ", "maxTokens": 5.0, "window": 8192},
            ("", "openai-chat", "http://a/v1", "", None, 5, 8192),
        ),
        ({"temperature": 0}, ("", "openai-chat", "", "", 0.0, None, None)),
    ],
)
def test_a_field_of_the_wrong_type_counts_as_absent(fields: dict[str, Any], expected: tuple[Any, ...]) -> None:
    found = providers.provider_from(fields)
    assert (
        *(found.name, found.kind, found.base_url, found.model),
        *(found.temperature, found.max_tokens, found.window),
    ) == expected


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://API.example.org/v1", "https://api.example.org:443"),
        ("http://example.org", "http://example.org:80"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434"),
        ("http://[::1]:8080/", "http://::1:8080"),
        ("https://user:pw@example.org/", "https://example.org:443"),
        ("http://127.0.0.1:9@evil.example/v1", "http://evil.example:80"),
        ("ftp://example.org/", ""),
        ("http://example.org:99999/", ""),
        ("example.org/v1", ""),
        ("http://", ""),
        ("", ""),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin
