"""HTTP to model servers: one connection pool, the system's trust store, bounded and translated.

httpx is imported when the first request leaves (70 ms), never by a host that only answers the panel.
"""

import asyncio
import logging
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep import __version__
from sidekeep.llm.api.table import APIS
from sidekeep.llm.connect_errors import reason_of
from sidekeep.llm.failures import MAX_BODY_BYTES, Failures
from sidekeep.llm.inflate import Inflater
from sidekeep.llm.retry_after import retry_after_s
from sidekeep.llm.types import Endpoint

if TYPE_CHECKING:
    import httpx

_PIECE_BYTES = 64 * 1024
# A proxy of the environment is for the way out, and would be handed the offline model's key.
_LOOPBACK = ("all://127.0.0.1", "all://localhost", "all://[::1]")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds, for each step of a request.

    A local model may read a long prompt for minutes before its first byte; once it writes, silence means that it hangs.
    """

    connect_s: float = 10
    write_s: float = 60
    first_byte_s: float = 900
    stall_s: float = 180
    after_finish_s: float = 10  # for the usage that may follow the finish reason; some servers never close
    error_body_s: float = 10


class StreamBroken(Exception):
    """The body stopped before its end: the connection was cut, hung, or its compression is damaged."""


class Answer:
    """A response whose body is read piece by piece."""

    def __init__(self, response: "httpx.Response", timeouts: Timeouts) -> None:
        self.status = response.status_code
        self.location = response.headers.get("location", "")
        self.retry_after_s = retry_after_s(response.headers, time.time())
        self.timeouts = timeouts
        self._inflater = Inflater(response.headers.get("content-encoding", ""))
        self._raw = response.aiter_raw()  # a chunk size would hold deltas back until it is full
        self._pieces: Iterator[bytes] = iter(())
        self._wait_s = timeouts.first_byte_s

    async def piece(self, *, within_s: float | None = None) -> bytes | None:
        """The next piece of the body, decompressed, at most 64 KiB; None at its end. Raises StreamBroken."""
        import httpx

        while True:
            try:
                if (piece := next(self._pieces, None)) is not None:
                    return piece
                async with asyncio.timeout(within_s or self._wait_s):
                    raw = await anext(self._raw, None)
            except TimeoutError as exc:
                raise StreamBroken("it stopped sending") from exc
            except (httpx.HTTPError, httpx.StreamError) as exc:
                raise StreamBroken("the connection was cut") from exc
            except ValueError as exc:
                raise StreamBroken(str(exc)) from exc
            if raw is None:
                return None
            self._wait_s = self.timeouts.stall_s
            self._pieces = self._inflater.feed(raw)

    async def body(self, max_bytes: int = MAX_BODY_BYTES) -> bytes:
        """The body up to `max_bytes`; what has come, where the rest does not come."""
        body = bytearray()
        try:
            while (
                len(body) < max_bytes and (piece := await self.piece(within_s=self.timeouts.error_body_s)) is not None
            ):
                body += piece
        except StreamBroken:
            pass
        return bytes(body[:max_bytes])

    async def aclose(self) -> None:
        if hasattr(self._raw, "aclose"):
            await self._raw.aclose()


class HttpSession:
    """Connections to any number of servers. Belongs to the event loop of its first request.

    Its methods raise ProviderFailed and nothing of httpx's. Redirects are not followed: they would carry the key and
    the conversation to wherever the server says.
    """

    def __init__(self, *, proxy: str | None = None, ca: Path | None = None, timeouts: Timeouts | None = None) -> None:
        self._proxy = proxy
        self._ca = ca
        self._timeouts = timeouts or Timeouts()
        self._client: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def request(
        self, method: str, url: str, endpoint: Endpoint, *, body: bytes | None = None, wait_s: float | None = None
    ) -> AsyncIterator[Answer]:
        """Send one request; the body goes out byte for byte. Leaving the block drops what was not read.

        `wait_s` is how long the server may take for its first byte, where that is not Timeouts.first_byte_s.
        """
        failures = Failures(endpoint)
        headers = _headers(endpoint, failures, body)
        client = self._open(failures)
        request = client.build_request(
            method,
            url,
            headers=headers,
            content=None if body is None else _in_pieces(body),
            timeout=self._limits(wait_s),
        )
        with self._translated(failures):
            response = await client.send(request, stream=True)
        try:
            async with aclosing(Answer(response, self._timeouts)) as answer:
                yield answer
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        """Drop every connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _limits(self, wait_s: float | None) -> "httpx.Timeout":
        import httpx

        limits = self._timeouts
        return httpx.Timeout(
            connect=limits.connect_s,
            write=limits.write_s,
            read=wait_s or limits.first_byte_s,
            pool=limits.connect_s,
        )

    def _open(self, failures: Failures) -> "httpx.AsyncClient":
        if self._client is not None:
            return self._client
        import httpx

        for library in ("httpx", "httpcore"):  # their lines name the addresses of every request
            logging.getLogger(library).setLevel(logging.WARNING)
        try:
            self._client = httpx.AsyncClient(
                verify=self._tls(),
                proxy=self._proxy or None,
                mounts=dict.fromkeys(_LOOPBACK),
                # A kept connection that the server closes as the next request leaves fails that request, and a POST that
                # may have arrived must not be sent twice. Answers are left at [DONE] anyway, which drops theirs.
                limits=httpx.Limits(max_keepalive_connections=0),
                follow_redirects=False,
                headers={"User-Agent": f"sidekeep/{__version__}", "Accept-Encoding": "identity"},
            )
        except (ImportError, ValueError, httpx.InvalidURL) as exc:
            # httpx reads the environment's proxies here; a socks one needs a package of its own.
            raise failures.unreachable(
                "cannot be reached: the proxy's address is none that works here (http, https)."
            ) from exc
        except OSError as exc:
            raise failures.unreachable(
                f"cannot be reached: the file of certificates {self._ca} cannot be read."
            ) from exc
        return self._client

    def _tls(self) -> ssl.SSLContext:
        import truststore

        context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self._ca is not None:
            context.load_verify_locations(self._ca)
        return context

    @contextmanager
    def _translated(self, failures: Failures) -> Iterator[None]:
        import httpx

        try:
            yield
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            verdict, reason = reason_of(exc, self._timeouts.connect_s)
            raise (
                failures.bad_response(reason, delivered="none")
                if verdict == "bad_response"
                else failures.unreachable(reason)
            ) from exc


def _headers(endpoint: Endpoint, failures: Failures, body: bytes | None) -> dict[str, str]:
    api = APIS[endpoint.kind]
    headers = {"Accept": "application/json", **api.headers}
    if body is not None:
        headers |= {
            "Accept": "text/event-stream, application/x-ndjson, application/json",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        }
    if key := (endpoint.api_key or "").strip():
        if not key.isascii() or not key.isprintable() or " " in key:
            raise failures.unusable_key()
        headers[api.key_header] = api.key_prefix + key
    return headers


async def _in_pieces(body: bytes) -> AsyncIterator[bytes]:
    """The body in pieces, so that the write time-out is for 64 KiB and not for 24 MiB of pictures on a slow line."""
    for start in range(0, len(body), _PIECE_BYTES):
        yield body[start : start + _PIECE_BYTES]
