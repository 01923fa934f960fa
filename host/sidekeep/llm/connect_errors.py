"""Why a server could not be reached, read from the chain of exceptions below httpx's."""

import errno
import socket
import ssl
from collections.abc import Iterator


def reason_of(exc: BaseException, connect_s: float) -> tuple[str, str]:
    """Verdict (unreachable or bad_response) and the rest of a sentence that begins with the server's name."""
    import httpx

    if isinstance(exc, httpx.ConnectTimeout | httpx.PoolTimeout):
        return "unreachable", f"did not answer within {connect_s:.0f} seconds. Check the address and the network."
    if isinstance(exc, httpx.TimeoutException):
        return "unreachable", "took the request but sent nothing back for too long. Send again, or stop waiting for it."
    if isinstance(exc, httpx.ProxyError):
        return "unreachable", "cannot be reached: the proxy refused the connection. Check the proxy's settings."
    if isinstance(exc, httpx.ConnectError):
        return "unreachable", _why_no_connection(exc)
    if isinstance(exc, httpx.RemoteProtocolError) and "disconnected" not in str(exc):
        return "bad_response", "answered with something that is not HTTP. Check the base URL and its port."
    return "unreachable", "closed the connection without an answer. Send again."


def _why_no_connection(exc: BaseException) -> str:
    for cause in _chain(exc):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"cannot be trusted: its certificate was refused ({cause.verify_message or cause.reason})."
        if isinstance(cause, ssl.SSLError):
            return "does not speak TLS at this address. Check whether the base URL begins with https or http."
        if isinstance(cause, socket.gaierror):
            return "cannot be found. Check the spelling of the base URL and the network."
        if isinstance(cause, OSError) and cause.errno == errno.ECONNREFUSED:
            return "refused the connection: nothing listens there. Start the server, or check the port in the base URL."
    return "cannot be reached. Check the network and the base URL."


def _chain(exc: BaseException | None) -> Iterator[BaseException]:
    """`exc` and everything that led to it, the members of groups included (anyio tries several addresses)."""
    seen: set[int] = set()
    waiting = [exc]
    while waiting:
        current = waiting.pop(0)
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        waiting += [current.__cause__, current.__context__]
        if isinstance(current, BaseExceptionGroup):
            waiting += current.exceptions
