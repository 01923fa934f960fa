"""Which window counts for a model on a server, and what takes it back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.stores import OWN, SERVER, STRANGER, open_services

from sidekeep.domain.providers import Provider
from sidekeep.llm.scripted import ScriptedClient
from sidekeep.llm.types import ModelInfo
from sidekeep.request.windows import Window
from sidekeep.service import in_memory
from sidekeep.service.services import Services

MODEL = Provider("test", "openai-chat", "http://127.0.0.1:9/v1", "tiny")


def test_what_an_error_stated_outlives_the_host(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        services.windows.refused(OWN, MODEL, 32_768)
    with open_services(tmp_path) as services:
        assert services.windows.of(OWN, MODEL) == Window(32_768, "learned")
        assert (
            services.windows.of(OWN, MODEL._replace(name="renamed", base_url="http://127.0.0.1:9/v1/")).tokens == 32_768
        )
        assert services.windows.of(OWN, MODEL._replace(model="other")).source == "default"
        assert services.windows.of(STRANGER, MODEL).source == "default"
        assert services.windows.of(OWN, MODEL._replace(window=1000)) == Window(1000, "user")


def test_what_a_server_tells_counts_until_an_error_says_less(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        services.windows.told(OWN, MODEL, [ModelInfo("tiny", 64_000)])
        assert services.windows.of(OWN, MODEL) == Window(64_000, "server")
        services.windows.refused(OWN, MODEL, 32_768)
        services.windows.told(OWN, MODEL, [ModelInfo("tiny", 64_000), ModelInfo("tiny")])
        assert services.windows.of(OWN, MODEL) == Window(32_768, "learned")


def test_a_server_that_was_started_with_another_window_is_believed_again(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        services.windows.told(OWN, MODEL, [ModelInfo("tiny", 8_000)])
        services.windows.refused(OWN, MODEL, 4_000)
        services.windows.told(OWN, MODEL, [ModelInfo("tiny", 16_000)])
        assert services.windows.of(OWN, MODEL) == Window(16_000, "server")


def test_a_prompt_that_was_taken_ends_a_smaller_window(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        services.windows.refused(OWN, MODEL, 4_000)
        services.windows.answered(OWN, MODEL, 4_000)
        assert services.windows.of(OWN, MODEL).source == "learned"
        services.windows.answered(OWN, MODEL, 4_001)
        assert services.windows.of(OWN, MODEL).source == "default"


def _listed(services: Services, **provider: Any) -> list[ModelInfo]:
    services.area.set(OWN, {"providers": {"test": SERVER | provider}})
    return asyncio.run(services.providers.models(OWN, "test"))


def test_a_list_of_models_shows_the_windows_that_count_and_teaches_them(tmp_path: Path) -> None:
    client = ScriptedClient(models=[ModelInfo("tiny", 64_000, vision=True), ModelInfo("gpt-4o"), ModelInfo("own")])
    with open_services(tmp_path, client) as services:
        services.windows.refused(OWN, MODEL._replace(model="own"), 5_000)
        assert _listed(services) == [
            ModelInfo("tiny", 64_000, vision=True),
            ModelInfo("gpt-4o"),
            ModelInfo("own", 5_000),
        ]
        assert services.windows.of(OWN, MODEL) == Window(64_000, "server")
        assert _listed(services, baseUrl="https://api.openai.com/v1")[1] == ModelInfo("gpt-4o", 128_000)


@pytest.mark.parametrize(("window", "shown"), [(None, 8192), (2048, 2048)])
def test_the_offline_models_window_is_known(tmp_path: Path, window: int | None, shown: int) -> None:
    with open_services(tmp_path) as services:
        services.area.set(OWN, {"providers": {"offline": {"window": window}}})
        assert asyncio.run(services.providers.models(OWN, "offline"))[0].window == shown


def test_a_private_window_begins_with_what_was_learned(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        services.windows.refused(OWN, MODEL, 32_768)
        private = in_memory.open_beside(services, OWN)
        assert private.windows.of(OWN, MODEL).tokens == 32_768
        private.windows.refused(OWN, MODEL, 1_000)
        assert services.windows.of(OWN, MODEL).tokens == 32_768
        private.database.close()
