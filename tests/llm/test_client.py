"""What only the real client does: addresses, headers, TLS, proxies, redirects, time-outs, compression, lists of models."""

import asyncio
import gzip
import ssl
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from tests.llm.certificates import self_signed
from tests.llm.conftest import KEY, WAIT_S, scripted_server
from tests.llm.playing import recorded

from sidekeep.errors import ProviderFailed
from sidekeep.llm.client import ModelClient
from sidekeep.llm.http import Timeouts
from sidekeep.llm.scripted import Gate, Reply, delta, document, event, hangs, refuses, says
from sidekeep.llm.types import Endpoint, Event, Finished, ModelInfo, TextDelta

pytestmark = pytest.mark.anyio

BODY = b'{"model":"small"}'
DONE = b"data: [DONE]\n\n"
Connected = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def client() -> AsyncIterator[ModelClient]:
    client = ModelClient()
    yield client
    await client.aclose()


async def ask(client: ModelClient, endpoint: Endpoint) -> list[Event]:
    async with asyncio.timeout(WAIT_S):
        return [event async for event in client.stream(endpoint, BODY)]


async def ask_in_vain(client: ModelClient, endpoint: Endpoint) -> ProviderFailed:
    with pytest.raises(ProviderFailed) as caught:
        await ask(client, endpoint)
    return caught.value


def at(base_url: str, api_key: str | None = KEY) -> Endpoint:
    return Endpoint("openai-chat", base_url, "small", api_key)


@asynccontextmanager
async def raw_server(connected: Connected, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that does with a connection what `connected` does, then closes it."""

    async def closing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await connected(reader, writer)
        writer.close()

    listener = await asyncio.start_server(closing, "127.0.0.1", 0, ssl=tls)
    async with listener:
        yield listener.sockets[0].getsockname()[1]


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions", "/chat/completions/"])
async def test_the_base_url_may_end_as_people_type_it(client: ModelClient, tail: str) -> None:
    async with scripted_server(says("a")) as server:
        await ask(client, at(server.base_url + tail))
    assert (server.received[0].method, server.received[0].target) == ("POST", "/v1/chat/completions")


async def test_the_request_carries_the_key_and_the_body_as_given(client: ModelClient) -> None:
    async with scripted_server(says("a")) as server:
        await ask(client, server.endpoint())
    request = server.received[0]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["content-length"] == str(len(BODY))
    assert "transfer-encoding" not in request.headers
    assert request.body == BODY


async def test_a_body_of_many_pieces_arrives_whole(client: ModelClient) -> None:
    body = bytes(range(256)) * 4096
    async with scripted_server(says("a")) as server, asyncio.timeout(WAIT_S):
        assert [event async for event in client.stream(server.endpoint(), body)][-1] == Finished("stop")
    assert server.received[0].body == body


WAYS = {
    "openai-chat": ("/v1/chat/completions", "authorization", f"Bearer {KEY}"),
    "openai-responses": ("/v1/responses", "authorization", f"Bearer {KEY}"),
    "anthropic": ("/v1/messages", "x-api-key", KEY),
    "gemini": ("/v1/models/small:streamGenerateContent?alt=sse", "x-goog-api-key", KEY),
    "ollama": ("/api/chat", "authorization", f"Bearer {KEY}"),
}


@pytest.mark.parametrize(("kind", "way"), WAYS.items(), ids=WAYS.keys())
async def test_each_api_has_its_own_address_and_header_for_the_key(
    client: ModelClient, kind: str, way: tuple[str, str, str]
) -> None:
    target, header, value = way
    async with scripted_server(Reply((recorded(kind, "answer"),))) as server:
        await ask(client, server.endpoint(kind=kind))
    (sent,) = server.received
    assert (sent.method, sent.target, sent.headers[header]) == ("POST", target, value)
    assert [name for name, told in sent.headers.items() if KEY in told] == [header]
    assert KEY not in sent.target
    assert ("anthropic-version" in sent.headers) == (kind == "anthropic")


@pytest.mark.parametrize("model", ["small", "models/small"])
async def test_geminis_model_stands_in_the_address(client: ModelClient, model: str) -> None:
    async with scripted_server(Reply((recorded("gemini", "answer"),))) as server:
        await ask(client, Endpoint("gemini", server.base_url.removesuffix("/v1"), f"{model}?x#y", KEY))
    assert server.received[0].target == "/v1beta/models/small%3Fx%23y:streamGenerateContent?alt=sse"


@pytest.mark.parametrize("key", [None, "", "  "])
async def test_without_a_key_there_is_no_authorization(client: ModelClient, key: str | None) -> None:
    async with scripted_server(says("a"), refuses(401, "no")) as server:
        await ask(client, server.endpoint(key))
        failure = await ask_in_vain(client, server.endpoint(key))
    assert "authorization" not in server.received[0].headers
    assert "wants an API key" in failure.message


@pytest.mark.parametrize("key", ["sk-1\r\nX-Evil: 1", "sk 12", "sk-ключ"], ids=["line break", "space", "not ASCII"])
async def test_a_key_no_header_can_carry_is_refused_before_anything_is_sent(client: ModelClient, key: str) -> None:
    async with scripted_server(says("a")) as server:
        failure = await ask_in_vain(client, server.endpoint(key))
    assert server.received == []
    assert failure.verdict == "auth"
    assert key not in "".join(traceback.format_exception(failure))


@pytest.mark.parametrize("kind", WAYS)
async def test_a_redirect_is_named_and_not_followed(client: ModelClient, kind: str) -> None:
    async with scripted_server(says("stolen")) as other:
        target = other.base_url + "/chat/completions"
        reply = Reply(status=307, headers={"Location": target}, ending="hang")
        async with scripted_server(reply) as server, asyncio.timeout(WAIT_S):
            failure = await ask_in_vain(client, server.endpoint(kind=kind))
            await reply.dropped.wait()  # its body was not read, and the connection is not kept for that
    assert other.received == []
    assert other.base_url.removesuffix("/v1") in failure.message
    assert (failure.status, failure.verdict) == (307, "other")


@pytest.mark.parametrize("location", ["/elsewhere", "", "file:///etc/passwd"])
async def test_a_redirect_to_no_address_is_not_followed_either(client: ModelClient, location: str) -> None:
    async with scripted_server(Reply(status=302, headers={"Location": location})) as server:
        failure = await ask_in_vain(client, server.endpoint())
    assert "redirects to" in failure.message


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        ("http://127.0.0.1:9/v1", "nothing listens there"),
        ("http://no-such-host.invalid/v1", "cannot be found"),
        ("ftp://example.com", "must begin with http"),
        ("localhost:11434/v1", "must begin with http"),
        ("", "must begin with http"),
        ("http://", "names no server"),
        ("http://a b/v1", "names no server"),
        ("http://[::1/v1", "not an address"),
        ("http://host:99999/v1", "not an address"),
        ("http://me:secret@host/v1", "user name or a password"),
    ],
)
async def test_an_address_that_cannot_work_is_told_in_a_sentence(
    client: ModelClient, base_url: str, words: str
) -> None:
    failure = await ask_in_vain(client, at(base_url))
    assert words in failure.message
    assert "secret" not in failure.message
    assert failure.verdict == ("unreachable" if words in ("nothing listens there", "cannot be found") else "other")


async def test_a_server_that_speaks_no_http_is_told_from_one_that_hangs_up(client: ModelClient) -> None:
    async def garbage(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(len(BODY))
        writer.write(b"220 mail.example.com ESMTP\r\n\r\n")
        await writer.drain()

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(len(BODY))

    async with raw_server(garbage) as port:
        spoken = await ask_in_vain(client, at(f"http://127.0.0.1:{port}"))
    async with raw_server(hang_up) as port:
        silent = await ask_in_vain(client, at(f"http://127.0.0.1:{port}"))
    assert (spoken.verdict, silent.verdict) == ("bad_response", "unreachable")
    assert "not HTTP" in spoken.message
    assert "closed the connection" in silent.message


async def test_tls_where_there_is_none_is_told(client: ModelClient) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()

    async with raw_server(plain) as port:
        failure = await ask_in_vain(client, at(f"https://127.0.0.1:{port}"))
    assert (failure.verdict, "TLS" in failure.message) == ("unreachable", True)


@pytest.mark.skipif(sys.platform != "linux", reason="the package that makes certificates is locked for Linux only")
async def test_an_unknown_certificate_is_refused_unless_its_file_is_given(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    wary, trusting = ModelClient(), ModelClient(ca=certificate)
    async with scripted_server(says("a"), tls=tls) as server:
        endpoint = at(server.base_url.replace("http:", "https:"))
        failure = await ask_in_vain(wary, endpoint)
        assert server.received == []
        assert (await ask(trusting, endpoint))[0] == TextDelta("a")
    await wary.aclose()
    await trusting.aclose()
    assert failure.verdict == "unreachable"
    assert "certificate was refused" in failure.message


@pytest.mark.skipif(sys.platform != "linux", reason="other systems' stores are not a file that a test may name")
async def test_whom_the_systems_store_trusts_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    client = ModelClient()
    async with scripted_server(says("a"), tls=tls) as server:
        assert (await ask(client, at(server.base_url.replace("http:", "https:"))))[0] == TextDelta("a")
    await client.aclose()


async def test_a_file_of_certificates_that_is_missing_is_named(tmp_path: Path) -> None:
    client = ModelClient(ca=tmp_path / "none.pem")
    assert "none.pem" in (await ask_in_vain(client, at("https://example.invalid"))).message


async def test_loopback_is_never_sent_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    for client in (ModelClient(), ModelClient(proxy="http://127.0.0.1:9")):
        async with scripted_server(says("a")) as server:
            assert (await ask(client, server.endpoint()))[0] == TextDelta("a")
        await client.aclose()


@pytest.mark.parametrize("where", ["environment", "setting"])
async def test_other_addresses_go_through_the_proxy(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    async with scripted_server(says("a")) as server:
        proxy = server.base_url.removesuffix("/v1")
        monkeypatch.setenv("HTTP_PROXY", proxy if where == "environment" else "http://127.0.0.1:9")
        client = ModelClient(proxy=proxy if where == "setting" else None)
        await ask(client, at("http://model.invalid/v1"))
        await client.aclose()
    assert server.received[0].target == "http://model.invalid/v1/chat/completions"


async def test_a_proxy_of_an_unknown_kind_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    failure = await ask_in_vain(ModelClient(), at("http://model.invalid/v1"))
    assert "proxy" in failure.message


async def test_a_stream_that_stalls_ends_in_an_error_after_its_deltas() -> None:
    client = ModelClient(timeouts=Timeouts(stall_s=0.1))
    async with scripted_server(hangs("a")) as server, asyncio.timeout(WAIT_S):
        answer = client.stream(server.endpoint(), BODY)
        assert await anext(answer) == TextDelta("a")
        with pytest.raises(ProviderFailed, match="it stopped sending"):
            await anext(answer)
    await client.aclose()


async def test_a_first_byte_may_take_longer_than_later_silence() -> None:
    gate = Gate()
    client = ModelClient(timeouts=Timeouts(stall_s=0.01, first_byte_s=WAIT_S))
    async with scripted_server(Reply((gate, delta("a") + DONE))) as server:
        asking = asyncio.create_task(ask(client, server.endpoint()))
        async with asyncio.timeout(WAIT_S):
            await gate.reached.wait()
        done, _ = await asyncio.wait({asking}, timeout=0.1)  # ten times the time-out that must not count yet
        assert not done
        gate.open()
        assert (await asking)[0] == TextDelta("a")
    await client.aclose()


@pytest.mark.parametrize("headers_come", [True, False], ids=["headers only", "nothing"])
async def test_a_first_byte_that_never_comes_ends_in_an_error(headers_come: bool) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if headers_come:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        await reader.read()

    client = ModelClient(timeouts=Timeouts(first_byte_s=0.1))
    async with raw_server(silent) as port:
        failure = await ask_in_vain(client, at(f"http://127.0.0.1:{port}"))
        await client.aclose()
    assert failure.verdict == ("bad_response" if headers_come else "unreachable")


async def test_a_server_that_keeps_the_line_open_after_the_finish_reason_is_not_waited_for() -> None:
    client = ModelClient(timeouts=Timeouts(after_finish_s=0.05))
    last = event({"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]})
    async with scripted_server(Reply((last,), ending="hang")) as server:
        assert await ask(client, server.endpoint()) == [TextDelta("a"), Finished("stop")]
    await client.aclose()


async def test_compression_nobody_asked_for_is_undone(client: ModelClient) -> None:
    body = gzip.compress(delta("a" * 100_000) + DONE)
    half = len(body) // 2
    reply = Reply((body[:half], body[half:]), headers={"Content-Encoding": "gzip"})
    async with scripted_server(reply) as server:
        assert await ask(client, server.endpoint()) == [TextDelta("a" * 100_000), Finished(None)]
    assert server.received[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("encoding", "body"),
    [("br", b"x"), ("gzip", b"not gzip at all"), ("gzip", gzip.compress(b"data: " + bytes(50_000_000)))],
    ids=["unknown", "damaged", "bomb"],
)
async def test_compression_that_cannot_be_undone_is_a_bad_response(
    client: ModelClient, encoding: str, body: bytes
) -> None:
    async with scripted_server(Reply((body,), headers={"Content-Encoding": encoding}, ending="hang")) as server:
        failure = await ask_in_vain(client, server.endpoint())
    assert failure.verdict == "bad_response"


async def test_models_are_listed_with_what_the_server_tells(client: ModelClient) -> None:
    listed = document({"object": "list", "data": [{"id": "a", "max_model_len": 4096}, {"id": "b"}]})
    async with scripted_server(listed) as server:
        assert await client.models(server.endpoint()) == [ModelInfo("a", 4096), ModelInfo("b")]
    request = server.received[0]
    assert (request.method, request.target, request.body) == ("GET", "/v1/models", b"")
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_anthropic_and_gemini_are_asked_for_long_lists(client: ModelClient) -> None:
    claude = document({"data": [{"id": "claude", "max_input_tokens": 4096}]})
    gemini = {"name": "models/gemini", "inputTokenLimit": 8192, "supportedGenerationMethods": ["generateContent"]}
    async with scripted_server(claude, document({"models": [gemini]})) as server:
        assert await client.models(server.endpoint(kind="anthropic")) == [ModelInfo("claude", 4096)]
        assert await client.models(server.endpoint(kind="gemini")) == [ModelInfo("gemini", 8192)]
    assert [sent.target for sent in server.received] == ["/v1/models?limit=1000", "/v1/models?pageSize=1000"]


async def test_an_older_llama_cpp_is_asked_for_the_window_it_was_started_with(client: ModelClient) -> None:
    listed = document({"data": [{"id": "a.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}]})
    props = document({"default_generation_settings": {"n_ctx": 4096}, "total_slots": 1})
    async with scripted_server(listed, props, listed, refuses(404, "no"), listed, document({"odd": []})) as server:
        assert await client.models(server.endpoint()) == [ModelInfo("a.gguf", 4096)]
        assert await client.models(server.endpoint()) == [ModelInfo("a.gguf", 131072)]
        assert await client.models(server.endpoint()) == [ModelInfo("a.gguf", 131072)]
    assert server.received[1].target == "/props"


async def test_a_llama_cpp_that_tells_its_window_is_not_asked_again(client: ModelClient) -> None:
    listed = {"data": [{"id": "a.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072, "n_ctx": 8192}}]}
    async with scripted_server(document(listed)) as server:
        assert await client.models(server.endpoint()) == [ModelInfo("a.gguf", 8192)]


async def test_ollama_is_asked_for_each_models_window(client: ModelClient) -> None:
    tags = document({"models": [{"name": "a:latest"}, {"name": "b:latest"}]})
    ps = document({"models": [{"name": "b:latest", "context_length": 4096}]})
    shown = document({"capabilities": ["completion", "vision"]})
    async with scripted_server(tags, ps, shown, shown) as server:
        found = await client.models(server.endpoint(kind="ollama"))
    assert [sent.target for sent in server.received] == ["/api/tags", "/api/ps", "/api/show", "/api/show"]
    assert found == [ModelInfo("a:latest", None, vision=True), ModelInfo("b:latest", 4096, vision=True)]


async def test_an_ollama_that_tells_names_only_is_a_list_too(client: ModelClient) -> None:
    replies = (document({"models": [{"name": "a:latest"}]}), refuses(404, "no"), refuses(404, "no"))
    async with scripted_server(*replies) as server:
        assert await client.models(server.endpoint(kind="ollama")) == [ModelInfo("a:latest")]


async def test_lm_studio_is_asked_for_its_own_list(client: ModelClient) -> None:
    plain = document({"data": [{"id": "vl", "owned_by": "organization_owner"}]})
    own = document({"data": [{"id": "vl", "type": "vlm", "max_context_length": 32768, "loaded_context_length": 4096}]})
    async with scripted_server(plain, own, plain, refuses(404, "no")) as server:
        assert await client.models(server.endpoint()) == [ModelInfo("vl", 4096, vision=True)]
        assert await client.models(server.endpoint()) == [ModelInfo("vl")]
    assert server.received[1].target == "/api/v0/models"


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (refuses(401, "no"), "auth"),
        (refuses(404, "no"), "other"),
        (document({"hello": 1}), "bad_response"),
        (Reply((b"<html>",), content_type="text/html"), "bad_response"),
    ],
    ids=["wrong key", "wrong address", "no list", "web page"],
)
async def test_a_list_that_cannot_be_had_has_a_verdict(client: ModelClient, reply: Reply, verdict: str) -> None:
    async with scripted_server(reply) as server:
        with pytest.raises(ProviderFailed) as caught:
            await client.models(server.endpoint())
    assert caught.value.verdict == verdict


async def test_many_answers_stream_side_by_side(client: ModelClient) -> None:
    gates = [Gate() for _ in range(8)]
    replies = [Reply((gate, delta("a") + DONE)) for gate in gates]
    async with scripted_server(*replies) as server:
        asking = [asyncio.create_task(ask(client, server.endpoint())) for _ in gates]
        async with asyncio.timeout(WAIT_S):
            for gate in gates:
                await gate.reached.wait()
        for gate in gates:
            gate.open()
        assert await asyncio.gather(*asking) == [[TextDelta("a"), Finished(None)]] * 8
