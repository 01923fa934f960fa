"""A server that hands the key back, wherever it can put words, gets it into no failure, log, event or file."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.model_server import ModelServer
from tests.llm.conftest import KEY, scripted_server
from tests.support.host import RunningHost

from sidekeep.errors import ProviderFailed
from sidekeep.llm.client import ModelClient
from sidekeep.llm.scripted import Reply, document, event
from sidekeep.llm.types import Endpoint

SECRET = "sk-Echo-0123456789abcdef"


def _unicode_escaped(text: str) -> bytes:
    return "".join(f"\\u{ord(character):04x}" for character in text).encode()


ECHOES: dict[str, Callable[[str], Reply]] = {
    "the error's message": lambda key: Reply((json.dumps({"error": {"message": f"bad {key}"}}).encode(),), status=401),
    "an error nobody knows": lambda key: Reply((json.dumps({"oops": [key]}).encode(),), status=418),
    "plain words": lambda key: Reply((f"Authorization: Bearer {key}".encode(),), status=500, content_type="text/plain"),
    "characters that are escaped": lambda key: Reply(
        (b'{"error":{"message":"bad %s"}}' % _unicode_escaped(key),), status=400
    ),
    "capitals": lambda key: Reply((key.upper().encode(),), status=400, content_type="text/plain"),
    "a host's name": lambda key: Reply(status=302, headers={"Location": f"https://{key}.example/v1"}),
    "the way it is packed": lambda key: Reply((b"x",), headers={"Content-Encoding": key}),
    "a 200": lambda key: document({"error": {"message": key, "code": 401}}),
    "the stream": lambda key: Reply((event({"error": {"message": key, "type": key}}),)),
    "a stop reason": lambda key: Reply((event({"choices": [{"index": 0, "delta": {}, "finish_reason": key}]}),)),
    "no JSON at all": lambda key: Reply((b"data: " + key.encode() + b"\n\n",)),
}


@pytest.mark.anyio
@pytest.mark.parametrize("reply", ECHOES.values(), ids=ECHOES)
async def test_what_a_failure_carries_never_holds_the_key(reply: Callable[[str], Reply]) -> None:
    client = ModelClient()
    async with scripted_server(reply(KEY)) as server:
        with pytest.raises(ProviderFailed) as caught:
            async for _ in client.stream(server.endpoint(), b"{}"):
                pass
    await client.aclose()
    failure = caught.value
    carried = repr(
        (failure.message, failure.provider_message, failure.data, failure.args, failure.stop_reason, failure)
    )
    assert KEY.lower() not in carried.lower()


@pytest.mark.parametrize("status", [400, 401, 404, 413, 429, 500])
def test_neither_panel_nor_log_nor_store_learn_a_key_that_the_server_sends_back(
    home: Path, model: ModelServer, status: int
) -> None:
    model.status, model.words_of_error = status, f"You sent Bearer {SECRET}, and in JSON {json.dumps(SECRET)}"
    with RunningHost(home) as host:
        host.hello()
        provider = {**model.provider(), "apiKey": SECRET}
        host.request("storage.set", items={"providers": {"test": provider}, "activeProvider": "test"})
        turn = host.request("turn.send", text="hello")["turn"]
        failed = host.wait_for(lambda message: message.get("method") == "turn.failed")
        host.request("providers.test", provider="test")
        assert failed["params"]["turn"] == turn
        assert "[API key]" in repr(failed), "the server's words are shown, without it"
        host.end()
        heard = repr(host.messages) + host.log() + host.errors.decode()
    holding = {path.name for path in home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()}
    assert SECRET.lower() not in heard.lower()
    assert holding == {"secrets.json"}


def test_an_endpoint_in_an_exception_shows_no_key() -> None:
    endpoint = Endpoint("openai-chat", "https://model.example/v1", "small", SECRET)
    assert SECRET not in f"{endpoint!r} {endpoint!s} {[endpoint]}"
