"""Running other programs: their output kept in a file, their failure told in one sentence."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.places import BUILD, ROOT
from tasks.say import TaskError

# What pip, npm and our own downloader print, in the order in which causes hide each other.
CAUSES = (
    (
        re.compile(r"no space left on device|ENOSPC|errno 28|disk quota exceeded|EDQUOT", re.IGNORECASE),
        "the disk is full: free some space",
    ),
    (re.compile(r"THESE PACKAGES DO NOT MATCH THE HASHES|EINTEGRITY"), "a download does not match its checksum"),
    (
        re.compile(
            r"name resolution|Name or service not known|nodename nor servname|getaddrinfo|EAI_AGAIN|ENOTFOUND"
            r"|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|Failed to establish a new connection|Connection refused"
            r"|Network is unreachable|ProxyError|ConnectTimeout|Read timed out|Connection reset|ConnectionError"
            r"|Max retries exceeded|network request",
            re.IGNORECASE,
        ),
        "the package index cannot be reached: check the network (or the proxy settings)",
    ),
    (
        re.compile(r"CERTIFICATE_VERIFY_FAILED|SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT"),
        "the package index's certificate is not trusted: set up your organisation's certificate",
    ),
    (re.compile(r"permission denied|EACCES|EPERM", re.IGNORECASE), "a file may not be written: check who owns {root}"),
)


def run(argv: Sequence[str | Path], *, task: str, environment: Mapping[str, str] | None = None) -> None:
    """Run a program of a set-up step in the checkout. Raises TaskError with the cause and the log's name."""
    log = BUILD / "logs" / f"{re.sub('[^a-z]+', '-', task.lower())}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        try:
            status = subprocess.run(
                [str(part) for part in argv],
                cwd=ROOT,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode
        except OSError as exc:
            raise TaskError(f"{task} failed: {argv[0]} could not be started ({exc.strerror}).") from exc
    output = log.read_text(encoding="utf-8", errors="replace")
    # npm warns of files it could not unpack (a full disk) and ends with status 0.
    if status != 0 or "TAR_ENTRY_ERROR" in output:
        cause = explain(output)
        raise TaskError(f"{task} failed: {cause}, then run this again (full output: {log.relative_to(ROOT)}).")


def explain(output: str) -> str:
    """The cause that a program's output tells, and what to do, as half a sentence."""
    for pattern, cause in CAUSES:
        if pattern.search(output):
            return cause.format(root=ROOT)
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("[notice]")]
    told = next((line for line in reversed(lines) if re.match(r"(npm )?err", line, re.IGNORECASE)), "")
    return f"see what it said ({told or (lines or ['nothing'])[-1]})".replace("\n", " ")
