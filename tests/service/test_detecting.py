"""providers.detect: which servers on this computer answer, asked without a key and nowhere else."""

import asyncio
from pathlib import Path

import pytest
from tests.support.stores import OWN, open_services

from sidekeep.domain.providers import Provider
from sidekeep.errors import ProviderFailed
from sidekeep.llm.scripted import ScriptedClient
from sidekeep.llm.types import Endpoint, ModelInfo


class LocalServers(ScriptedClient):
    """Servers by their address; who is not there refuses."""

    def __init__(self, models: dict[str, list[str]]) -> None:
        super().__init__()
        self._by_address = models
        self.asked: list[Endpoint] = []

    async def models(self, endpoint: Endpoint) -> list[ModelInfo]:
        self.asked.append(endpoint)
        if endpoint.base_url not in self._by_address:
            raise ProviderFailed("Nobody is there.", verdict="unreachable")
        return [ModelInfo(name) for name in self._by_address[endpoint.base_url]]


def test_those_that_answer_are_told_with_their_models_and_no_key_is_sent(tmp_path: Path) -> None:
    client = LocalServers({"http://127.0.0.1:1234/v1": ["a", "b"], "http://127.0.0.1:8080/v1": []})
    with open_services(tmp_path, client) as services:
        services.area.set(OWN, {"providers": {"lmstudio": {"apiKey": "secret"}}})
        found = asyncio.run(services.providers.detect(OWN))
    assert [(provider.name, [info.id for info in models]) for provider, models in found] == [
        ("lmstudio", ["a", "b"]),
        ("llamacpp", []),
    ]
    assert {endpoint.api_key for endpoint in client.asked} == {None}


def test_an_address_elsewhere_and_a_removed_server_are_not_asked(tmp_path: Path) -> None:
    client = LocalServers({})
    moved = {"ollama": {"baseUrl": "http://10.0.0.7:11434"}, "lmstudio": None}
    with open_services(tmp_path, client) as services:
        services.area.set(OWN, {"providers": moved})
        assert asyncio.run(services.providers.detect(OWN)) == []
    assert [endpoint.base_url for endpoint in client.asked] == ["http://127.0.0.1:8080/v1"]


@pytest.mark.parametrize(
    ("address", "is_loopback"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://LOCALHOST/v1", True),
        ("http://[::1]:11434", True),
        ("http://127.0.0.1.example/v1", False),
        ("http://localhost.example/", False),
        ("http://user@10.0.0.1#@127.0.0.1", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_only_this_computers_own_addresses_are_local(address: str, is_loopback: bool) -> None:
    assert Provider("x", "ollama", address, "m").is_loopback is is_loopback
