"""Model servers that refuse, break off or talk nonsense: a plain sentence, nothing lost, the host lives on."""

from typing import Any

import pytest
from tests.browser.model_server import ModelServer
from tests.support.host import RunningHost
from tests.support.turns import ask, choose, stored_messages

HALF = b'data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n'
RAW: dict[str, tuple[bytes, list[str]]] = {
    "garbage": (b"\x00\xff\xfe<html>no stream", ["?"]),
    "JSON garbage in a stream": (b"data: {not json\n\n", ["?"]),
    "nothing": (b"", ["?"]),
    "an answer that breaks off": (HALF, ["?", "half"]),
    "garbage after half an answer": (HALF + b"data: \xff\xff\n\n", ["?", "half"]),
}


def _failed(host: RunningHost) -> dict[str, Any]:
    ended: dict[str, Any] = ask(host, "?")
    assert ended["error"]["data"]["kind"] == "provider_failed"
    assert " " in ended["error"]["message"]
    assert "\n" not in ended["error"]["message"], "a sentence, and no page or traceback"
    assert host.request("ping") == {}
    return ended


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503])
def test_a_server_that_refuses(host: RunningHost, model: ModelServer, status: int) -> None:
    choose(host, model)
    model.status = status
    assert _failed(host)["error"]["data"]["status"] == status
    assert [message["content"] for message in stored_messages(host)] == ["?"]
    model.status = 200
    assert ask(host, "again")["message"]["content"] == model.answer


@pytest.mark.parametrize(("raw", "stored"), RAW.values(), ids=RAW.keys())
def test_a_server_that_talks_nonsense(host: RunningHost, model: ModelServer, raw: bytes, stored: list[str]) -> None:
    choose(host, model)
    model.raw = raw
    _failed(host)
    assert [message["content"] for message in stored_messages(host)] == stored
    assert [message.get("interrupted") for message in stored_messages(host)[1:]] == [True] * (len(stored) - 1)


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:1/v1", "http://nowhere.invalid/v1", "no address", ""])
def test_a_server_that_is_not_there(host: RunningHost, base_url: str) -> None:
    provider = {"kind": "openai-chat", "baseUrl": base_url, "model": "m"}
    host.request("storage.set", items={"providers": {"test": provider}, "activeProvider": "test"})
    _failed(host)
    assert host.request("providers.test", provider="test")["ok"] is False


def test_the_offline_model_that_is_not_installed_says_what_to_run(host: RunningHost) -> None:
    assert "sidekeep model get" in _failed(host)["error"]["message"]
