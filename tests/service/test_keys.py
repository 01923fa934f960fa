"""Keys of model servers: bound to the origin they were entered for."""

from pathlib import Path

import pytest
from tests.support.stores import OWN, SERVER, STRANGER, open_services

from sidekeep.domain.providers import Provider
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service import in_memory
from sidekeep.service.services import Services

KEY = "sk-onion-0123"


def _provider(base_url: str) -> Provider:
    return Provider("test", "openai-chat", base_url, "m")


@pytest.mark.parametrize(
    ("base_url", "is_sent"),
    [
        ("http://127.0.0.1:9/v1", True),
        ("http://127.0.0.1:9/another/path", True),
        ("http://127.0.0.1:10/v1", False),
        ("https://127.0.0.1:9/v1", False),
        ("http://evil.example:9/v1", False),
        ("http://127.0.0.1:9@evil.example/v1", False),
        ("", False),
    ],
)
def test_a_key_goes_to_the_origin_it_was_entered_for(services: Services, base_url: str, is_sent: bool) -> None:
    services.providers.set_key(OWN, "test", KEY)
    assert services.keys.get(OWN, _provider(base_url)) == (KEY if is_sent else None)


@pytest.mark.anyio
async def test_a_changed_address_takes_the_key_out_of_the_request(services: Services) -> None:
    services.providers.set_key(OWN, "test", KEY)
    endpoint = await services.providers.endpoint(OWN, services.providers.resolve(OWN))
    assert endpoint.api_key == KEY
    assert KEY not in repr(endpoint)
    services.area.set(OWN, {"providers": {"test": {**SERVER, "baseUrl": "http://evil.example/v1"}}})
    endpoint = await services.providers.endpoint(OWN, services.providers.resolve(OWN))
    assert endpoint.api_key is None
    assert services.area.get_all(OWN)["providers"]["test"]["keySet"] is False


def test_a_new_key_replaces_the_old_one_everywhere(services: Services) -> None:
    services.keys.put(OWN, _provider("http://a.example/v1"), "first")
    services.keys.put(OWN, _provider("http://b.example/v1"), "second")
    assert services.keys.get(OWN, _provider("http://a.example/v1")) is None
    assert services.keys.get(OWN, _provider("http://b.example/v1")) == "second"
    assert "first" not in (services.home / "secrets.json").read_text("utf-8")


def test_a_cleared_key_is_gone_from_the_file(services: Services) -> None:
    services.providers.set_key(OWN, "test", KEY)
    services.providers.clear_key(OWN, "test")
    assert services.keys.get(OWN, _provider(SERVER["baseUrl"])) is None
    assert KEY not in (services.home / "secrets.json").read_text("utf-8")


@pytest.mark.parametrize("key", [" ", "two\nlines", "schlüssel", "sk-\u200b"])
def test_what_cannot_be_a_key_is_refused(services: Services, key: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        services.providers.set_key(OWN, "test", key)
    assert key.strip() == "" or key not in refused.value.message


def test_a_key_is_taken_without_the_blanks_around_it(services: Services) -> None:
    services.providers.set_key(OWN, "test", f"  {KEY}\n")
    assert services.keys.get(OWN, _provider(SERVER["baseUrl"])) == KEY


def test_a_provider_without_an_address_has_no_key(services: Services) -> None:
    with pytest.raises(InvalidParams, match="base URL"):
        services.providers.set_key(OWN, "offline", KEY)
    with pytest.raises(NotFound):
        services.providers.set_key(OWN, "nobody", KEY)


def test_another_extension_has_neither_our_provider_nor_our_key(services: Services) -> None:
    services.providers.set_key(OWN, "test", KEY)
    assert services.keys.get(STRANGER, _provider(SERVER["baseUrl"])) is None


def test_a_private_window_reads_keys_and_saves_none(tmp_path: Path) -> None:
    with open_services(tmp_path / "home") as services:
        services.providers.set_key(OWN, "test", KEY)
        private = in_memory.open_beside(services, OWN)
        assert private.keys.get(OWN, _provider(SERVER["baseUrl"])) == KEY
        with pytest.raises(InvalidParams, match="private window"):
            private.providers.set_key(OWN, "test", "other")
        assert services.keys.get(OWN, _provider(SERVER["baseUrl"])) == KEY


def test_clearing_a_key_in_a_private_window_leaves_the_persons_key(tmp_path: Path) -> None:
    with open_services(tmp_path / "home") as services:
        services.providers.set_key(OWN, "test", KEY)
        in_memory.open_beside(services, OWN).providers.clear_key(OWN, "test")
        assert services.keys.get(OWN, _provider(SERVER["baseUrl"])) == KEY
