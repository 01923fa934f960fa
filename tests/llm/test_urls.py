"""Addresses made from what a person typed as the base URL."""

import pytest

from sidekeep.errors import ProviderFailed
from sidekeep.llm import urls

CASES = {
    "http://localhost:11434/v1": "http://localhost:11434/v1/chat/completions",
    " https://api.example.com/v1/ \n": "https://api.example.com/v1/chat/completions",
    "https://api.example.com": "https://api.example.com/chat/completions",
    "https://api.example.com/v1/chat/completions": "https://api.example.com/v1/chat/completions",
    "https://x.example.com/deployments/a?api-version=2": "https://x.example.com/deployments/a/chat/completions?api-version=2",
    "http://[::1]:8080/v1#part": "http://[::1]:8080/v1/chat/completions",
}


@pytest.mark.parametrize(("typed", "url"), CASES.items())
def test_chat_completions_lies_below_the_base_url(typed: str, url: str) -> None:
    assert urls.below(typed, "/chat/completions") == url


VERSIONED = {
    "https://api.anthropic.com": "https://api.anthropic.com/v1/messages",
    "https://api.anthropic.com/v1/": "https://api.anthropic.com/v1/messages",
    "https://api.anthropic.com/v1/messages": "https://api.anthropic.com/v1/messages",
    "https://api.deepseek.com/anthropic": "https://api.deepseek.com/anthropic/v1/messages",
    "http://localhost:4000?team=1": "http://localhost:4000/v1/messages?team=1",
}
OLLAMA = {
    "http://127.0.0.1:11434": "http://127.0.0.1:11434/api/chat",
    "http://127.0.0.1:11434/v1": "http://127.0.0.1:11434/api/chat",
    "http://127.0.0.1:11434/v1/chat/completions": "http://127.0.0.1:11434/api/chat",
    "http://127.0.0.1:11434/api/chat/": "http://127.0.0.1:11434/api/chat",
    "https://example.com/ollama/api": "https://example.com/ollama/api/chat",
}


@pytest.mark.parametrize(("typed", "url"), VERSIONED.items())
def test_a_version_is_put_in_where_the_base_url_has_none(typed: str, url: str) -> None:
    assert urls.versioned(typed, "/v1", "/messages") == url


def test_a_query_of_the_endpoints_own_joins_the_base_urls() -> None:
    assert urls.versioned("http://h/v1?a=1", "/v1", "/models?limit=9") == "http://h/v1/models?a=1&limit=9"


@pytest.mark.parametrize(("typed", "url"), OLLAMA.items())
def test_ollamas_own_api_is_found_from_whatever_address_people_have(typed: str, url: str) -> None:
    assert urls.ollama(typed, "/api/chat") == url


def test_models_lies_beside_chat_completions() -> None:
    assert urls.below("http://localhost/v1/chat/completions", "/models") == "http://localhost/v1/models"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("HTTPS://API.Example.com:443/v1", "https://api.example.com"),
        ("http://example.com:80", "http://example.com"),
        ("http://example.com:8080/v1?x=1", "http://example.com:8080"),
        ("http://[::1]:8080/v1", "http://[::1]:8080"),
    ],
)
def test_an_origin_is_scheme_host_and_an_unusual_port(url: str, origin: str) -> None:
    assert urls.origin(url) == origin


@pytest.mark.parametrize("typed", ["", "example.com", "file:///x", "javascript:alert(1)", "http:///v1", "http://u@h"])
def test_anything_but_an_http_address_is_refused(typed: str) -> None:
    with pytest.raises(ProviderFailed) as caught:
        urls.below(typed, "/chat/completions")
    assert caught.value.verdict == "other"
