"""Stdio owns the protocol's descriptors: nothing else in the process, or below it, can write there."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from sidekeep.transport import framing, stdio
from sidekeep.transport.connection import Connection
from sidekeep.transport.stdio import Disconnected, Stdio

WAIT_S = 20


def _run(body: str) -> subprocess.CompletedProcess[bytes]:
    """Run a script that begins by claiming stdio."""
    script = "from sidekeep.transport.stdio import Stdio\nstdio = Stdio.claim()\nimport os, subprocess, sys\n"
    command = [sys.executable, "-c", script + textwrap.dedent(body)]
    return subprocess.run(command, input=b"input", capture_output=True, timeout=WAIT_S, check=False)


@pytest.mark.parametrize(
    "stray",
    [
        "print('stray', flush=True)",
        "os.write(1, b'stray')",
        "sys.__stdout__.write('stray'); sys.__stdout__.flush()",
        "subprocess.run(['echo', 'stray'])",
        "subprocess.run('echo stray', shell=True)",
        "os.system('echo stray')",
        "open('/dev/stdout', 'w').write('stray')",
    ],
)
def test_what_others_print_goes_to_stderr(stray: str) -> None:
    ran = _run(f"{stray}\nstdio.write(b'frame')")
    assert ran.stdout == b"frame"
    assert b"stray" in ran.stderr


def test_a_child_cannot_eat_the_input() -> None:
    ran = _run("subprocess.run(['cat'])\nstdio.write(stdio.read())")
    assert ran.stdout == b"input"


def test_a_child_that_lives_on_does_not_hold_the_pipe() -> None:
    script = (
        "from sidekeep.transport.stdio import Stdio\n"
        "stdio = Stdio.claim()\n"
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "stdio.write(b'%d' % child.pid)\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", script]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=WAIT_S, check=True)
    os.kill(int(ran.stdout), signal.SIGKILL)


@pytest.mark.parametrize("closed", ["0", "1", "2", "0 1 2"])
def test_closed_descriptors_are_filled_and_no_file_takes_their_place(closed: str) -> None:
    script = (
        "import os\n"
        f"[os.close(int(fd)) for fd in {closed!r}.split()]\n"
        "from sidekeep.transport.stdio import Stdio\n"
        "Stdio.claim()\n"
        "assert os.open('/dev/null', os.O_RDONLY) > 2\n"
        "print('still prints')\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], stdin=subprocess.DEVNULL, timeout=WAIT_S, check=False)
    assert ran.returncode == 0


class Pipes:
    """A Stdio over two pipes, and their other ends."""

    def __init__(self) -> None:
        read_fd, self.feed = os.pipe()
        self.out, write_fd = os.pipe()
        self.stdio = Stdio(read_fd, write_fd)
        self._own = [read_fd, write_fd]

    def close(self, *fds: int) -> None:
        for fd in fds:
            os.close(fd)


@pytest.fixture
def pipes() -> Pipes:
    return Pipes()


def test_the_end_of_input_is_an_empty_read(pipes: Pipes) -> None:
    os.write(pipes.feed, b"abc")
    assert pipes.stdio.read() == b"abc"
    pipes.close(pipes.feed)
    assert pipes.stdio.read() == b""


def test_writing_to_a_browser_that_is_gone_is_a_disconnect(pipes: Pipes) -> None:
    pipes.close(pipes.out)
    with pytest.raises(Disconnected):
        pipes.stdio.write(b"frame")


def test_a_browser_that_reads_slowly_gets_everything(pipes: Pipes) -> None:
    received = bytearray()

    def read() -> None:
        while len(received) < 2_000_000 and (chunk := os.read(pipes.out, 4096)):
            received.extend(chunk)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    pipes.stdio.write(b"x" * 2_000_000)
    reader.join(WAIT_S)
    assert len(received) == 2_000_000


def test_a_write_nobody_reads_is_given_up_once_the_input_has_ended(
    pipes: Pipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "ORPHAN_GRACE_MS", 50)
    pipes.close(pipes.feed)
    given_up = threading.Event()

    def write() -> None:
        with pytest.raises(Disconnected):
            pipes.stdio.write(b"x" * 2_000_000)
        given_up.set()

    threading.Thread(target=write, daemon=True).start()
    assert given_up.wait(WAIT_S)


def test_frames_of_several_threads_are_never_mixed(pipes: Pipes) -> None:
    connection = Connection(pipes.stdio, part_bytes=100_000)
    expected = {bytes([65 + number]) * 90_000 for number in range(8)}
    parser = framing.FrameParser()
    frames: list[bytes] = []

    def read() -> None:
        while len(frames) < 8 * 20:
            frames.extend(parser.feed(os.read(pipes.out, 65_536)))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()

    def write(payload: bytes) -> None:
        for _ in range(20):
            connection.send(payload)

    writers = [threading.Thread(target=write, args=(payload,), daemon=True) for payload in expected]
    for writer in writers:
        writer.start()
    end = time.monotonic() + WAIT_S
    for thread in (*writers, reader):
        thread.join(max(0.0, end - time.monotonic()))
    assert set(frames) == expected


def test_a_message_over_the_part_size_leaves_in_parts(pipes: Pipes) -> None:
    connection = Connection(pipes.stdio, part_bytes=1000)
    connection.send(b'"%s"' % (b"x" * 2500))
    connection.send(b'"%s"' % (b"x" * 998))
    frames = list(framing.FrameParser().feed(os.read(pipes.out, 65_536)))
    assert [b'"part"' in frame for frame in frames] == [True, True, True, False]


def test_a_frame_that_was_cut_short_is_known(pipes: Pipes) -> None:
    connection = Connection(pipes.stdio)
    os.write(pipes.feed, framing.encode(b"whole") + framing.encode(b"not whole")[:-2])
    pipes.close(pipes.feed)
    assert list(connection.frames()) == [b"whole"]
    assert connection.cut_short == 4 + len("not whole") - 2
