"""A client that reads slowly, stops for a while, or is gone: the host's memory stays bounded, it lives, and it ends alone."""

import json
import os
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from tasks.places import HOST_PROGRAM, ORIGIN
from tasks.torture.fault import Outcome, Wish

SLOW_BYTES_A_SECOND = 1024
# The replies that wait are this large; the host must not hold them all.
BODY_BYTES = 2_000_000
READS = 60
MAX_GROWTH_MB = 120
GONE_WITHIN_S = 20.0
_LENGTH = struct.Struct("=I")


def run(wish: Wish) -> Outcome:
    """Read at 1 KB/s for `wish.size` seconds, then not at all for as long, then everything; then go away."""
    outcome = Outcome("reader", wish.seed)
    with tempfile.TemporaryDirectory(prefix="sidekeep-torture-") as folder:
        with _host(Path(folder)) as child:
            try:
                _slow(child, wish.size, outcome)
            finally:
                child.kill()
        _gone(Path(folder), outcome)
    return outcome


def _host(home: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [str(HOST_PROGRAM), ORIGIN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "SIDEKEEP_HOME": str(home)},
        bufsize=0,
    )


def _slow(child: "subprocess.Popen[bytes]", seconds: int, outcome: Outcome) -> None:
    assert child.stdin is not None
    assert child.stdout is not None
    hello = {"client": "torture", "version": "0", "protocol": 1}
    child.stdin.write(_request(1, "hello", hello) + _request(2, "storage.set", {"items": {"body": "x" * BODY_BYTES}}))
    _read_until(child, 2)
    before = megabytes(child.pid)
    child.stdin.write(b"".join(_request(number, "storage.get", {"keys": "body"}) for number in range(3, 3 + READS)))
    peak = before
    for second in range(2 * seconds):
        if second < seconds:
            child.stdout.read(SLOW_BYTES_A_SECOND)
            outcome.count("bytes read slowly", SLOW_BYTES_A_SECOND)
        peak = max(peak, megabytes(child.pid))
        if child.poll() is not None:
            outcome.find(f"the host ended with status {child.returncode} while its client read slowly")
            return
        time.sleep(1)
    outcome.counts["MB grown"] = peak - before
    if peak - before > MAX_GROWTH_MB:
        outcome.find(f"the host grew by {peak - before} MB while {READS * BODY_BYTES // 10**6} MB of replies waited")
    # Nothing was left out: after the slow bytes, which began inside a frame, every reply comes to its end.
    if not _read_rest(child, 2 + READS):
        outcome.find("the replies that waited did not all come")
    outcome.count("replies", READS)


def _gone(home: Path, outcome: Outcome) -> None:
    """The reader closes its end while the host writes: it leaves by itself, although its input stays open."""
    with _host(home) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        hello = {"client": "torture", "version": "0", "protocol": 1}
        child.stdin.write(_request(1, "hello", hello))
        _read_until(child, 1)
        child.stdout.close()
        child.stdin.write(b"".join(_request(number, "storage.get", {"keys": "body"}) for number in range(2, 10)))
        try:
            status = child.wait(GONE_WITHIN_S)
        except subprocess.TimeoutExpired:
            outcome.find(f"a host whose reader is gone is still there after {GONE_WITHIN_S:.0f} s")
            child.kill()
        else:
            outcome.count("ends by itself")
            if status:
                outcome.find(f"a host whose reader is gone ended with status {status}")


def _request(number: int, method: str, params: dict[str, Any]) -> bytes:
    data = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    return _LENGTH.pack(len(data)) + data


def _read_until(child: "subprocess.Popen[bytes]", number: int) -> None:
    assert child.stdout is not None
    while True:
        (length,) = _LENGTH.unpack(_exactly(child, _LENGTH.size))
        if json.loads(_exactly(child, length)).get("id") == number:
            return


def _exactly(child: "subprocess.Popen[bytes]", size: int) -> bytes:
    assert child.stdout is not None
    data = b""
    while len(data) < size:
        data += child.stdout.read(size - len(data))
    return data


def _read_rest(child: "subprocess.Popen[bytes]", last: int) -> bool:
    """Whether the reply with that number comes, however the bytes before it were cut."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.close()
    tail = b""
    wanted = f'\\"id\\":{last},'.encode()
    found = False
    while chunk := child.stdout.read(1 << 20):
        found = found or wanted in tail + chunk
        tail = chunk[-64:]
    return found


def megabytes(pid: int) -> int:
    """Resident memory; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    lines = status.read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS:")), 0)
