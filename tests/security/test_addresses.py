"""Where a request may go: what a base URL is allowed to be, that every part of the host reads it alike, and what a proxy sees."""

import asyncio
from pathlib import Path

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.llm.conftest import KEY, WAIT_S

from sidekeep.domain.providers import origin_of
from sidekeep.errors import ProviderFailed
from sidekeep.llm import urls
from sidekeep.llm.api.table import APIS
from sidekeep.llm.client import ModelClient
from sidekeep.llm.types import Endpoint
from sidekeep.settings.model import KEYS

NOT_HTTP = [
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "unix:///run/docker.sock",
    "http+unix://%2Frun%2Fdocker.sock/v1",
    "ftp://model.example/v1",
    "gopher://model.example:70/_",
    "javascript:alert(1)",
    "data:text/plain,x",
    "chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklm/",
    "//model.example/v1",
    "/etc/passwd",
    "http:///v1",
    "http://user:password@model.example/v1",
    "https://user@model.example/v1",
]
# What parsers have disagreed about before.
ODD = st.text(alphabet="ab1.:@/\\?#[]%;&= \t\r\n|_-", max_size=24)
HOSTS = st.sampled_from(
    ["model.example", "MODEL.example", "127.0.0.1", "[::1]", "169.254.169.254", "2130706433", "0x7f.1"]
)


@pytest.mark.parametrize("base_url", NOT_HTTP)
def test_an_address_that_is_no_plain_http_one_is_refused_before_anything_is_opened(base_url: str) -> None:
    for api in APIS.values():
        with pytest.raises(ProviderFailed) as caught:
            api.answer_url(Endpoint("openai-chat", base_url, "small", KEY))
        assert "password" not in caught.value.message.replace("a password", "")


@given(st.sampled_from(["http://", "https://", "HTTP://"]), ODD, HOSTS, ODD)
@example("https://", "", "model.example", "\\@evil.example")
@example("https://", "evil.example#@", "model.example", "/v1")
@example("https://", "", "model.example", "%2f.evil.example")
def test_the_key_is_bound_to_the_very_server_that_the_request_is_sent_to(
    scheme: str, before: str, host: str, after: str
) -> None:
    """`origin_of` decides which key goes along, httpx decides where it goes: a URL that they read differently would be a leak."""
    base_url = f"{scheme}{before}{host}{after}".strip()
    try:
        sent_to = httpx.URL(urls.below(base_url, "/chat/completions"))
    except (ProviderFailed, httpx.InvalidURL):
        return  # nothing is sent
    port = sent_to.port or {"http": 80, "https": 443}[sent_to.scheme]
    bound_to = origin_of(base_url)
    if bound_to:  # without an origin there is no key
        assert bound_to.lower() == f"{sent_to.scheme}://{sent_to.host}:{port}".lower()


@pytest.mark.anyio
async def test_a_proxy_learns_the_name_of_a_server_that_speaks_tls_and_neither_key_nor_conversation() -> None:
    heard = asyncio.Queue[bytes]()

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await heard.put(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await heard.put(await reader.read(16 * 1024))
        writer.close()

    listener = await asyncio.start_server(proxy, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    client = ModelClient(proxy=f"http://127.0.0.1:{port}")
    async with listener, asyncio.timeout(WAIT_S):
        with pytest.raises(ProviderFailed):
            async for _ in client.stream(Endpoint("openai-chat", "https://model.example/v1", "m", KEY), b"my words"):
                pass
        asked, then = await heard.get(), await heard.get()
    await client.aclose()
    assert asked.startswith(b"CONNECT model.example:443 HTTP/1.1\r\n")
    assert then[:1] == b"\x16", "what follows is TLS's first record"
    assert KEY.encode() not in asked + then
    assert b"my words" not in asked + then


def test_only_one_room_speaks_http_and_nothing_there_follows_a_redirect() -> None:
    room = Path(urls.__file__).parents[1]
    sources = {path: path.read_text("utf-8") for path in room.rglob("*.py")}
    clients = {path.name for path, text in sources.items() if "AsyncClient(" in text or "httpx.Client(" in text}
    assert clients == {"http.py"}
    assert "follow_redirects=False" in sources[room / "llm" / "http.py"]
    others = ("urllib.request", "http.client", "requests", "aiohttp", "smtplib", "ftplib", "socket.create_connection")
    assert [
        (path.name, name)
        for path, text in sources.items()
        for name in others
        if f"import {name}" in text or f"from {name}" in text
    ] == []


def test_nothing_switches_the_check_of_certificates_off() -> None:
    sources = [path.read_text("utf-8") for path in Path(urls.__file__).parents[1].rglob("*.py")]
    assert not [text for text in sources for way in ("CERT_NONE", "verify=False", "check_hostname") if way in text]
    assert {name for name in KEYS if name.startswith("network.")} == {"network.proxy", "network.ca"}
