"""Starting a browser with a DevTools pipe on descriptors 3 and 4, and ending it with all that it started."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tasks.cdp import CdpError, Connection
from tasks.say import TaskError

# Moves the pipe's ends to 3 and 4 and becomes the browser. A `preexec_fn` would run Python between fork and exec,
# which can hang where other threads live; the shell cannot name descriptors above 9.
TRAMPOLINE = "import os,sys;r,w=map(int,sys.argv[1:3]);os.dup2(r,3);os.dup2(w,4);os.execv(sys.argv[3],sys.argv[3:])"


class Process:
    """A running browser: its pipe, its log, its end."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        commands_read, commands_write = os.pipe()
        answers_read, answers_write = os.pipe()
        try:
            self._child = _spawn(argv, environment, commands_read, answers_write)
        except OSError as exc:
            for fd in (commands_write, answers_read):
                os.close(fd)
            raise TaskError(f"{argv[0]} could not be started: {exc.strerror}.") from exc
        finally:
            os.close(commands_read)
            os.close(answers_write)
        self.log = log
        assert self._child.stderr is not None
        self._drain = threading.Thread(target=_drain, args=(self._child.stderr, log), name="browser-log", daemon=True)
        self._drain.start()
        self.connection = Connection(answers_read, commands_write)

    @property
    def pid(self) -> int:
        """The browser's process id, also its group's."""
        return self._child.pid

    def close(self, *, timeout_s: float = 10) -> None:
        """Ask the browser to end, insist if it does not, and wait for the hosts that it started."""
        with contextlib.suppress(CdpError):
            self.connection.call("Browser.close", timeout_s=timeout_s)
        self.connection.hang_up()
        try:
            self._child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
        # The browser, its hosts and their children hold the other end: its end is the end of all of them.
        self._drain.join(timeout_s)

    def kill(self) -> None:
        """End the browser at once, and what shares its process group."""
        with contextlib.suppress(ProcessLookupError):
            if sys.platform == "win32":
                self._child.kill()
            else:
                os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()

    def last_words(self) -> str:
        """The last line of its log that may tell why it ended."""
        self._drain.join(2)
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "it left no message")


def _drain(pipe: IO[bytes], log: Path) -> None:
    with pipe, log.open("ab", buffering=0) as file:
        for line in pipe:
            file.write(line)


if sys.platform == "win32":  # untested: written from Chromium's source, no Windows machine was at hand
    import msvcrt

    def _spawn(
        argv: Sequence[str], environment: Mapping[str, str], read_fd: int, write_fd: int
    ) -> subprocess.Popen[bytes]:
        handles = [msvcrt.get_osfhandle(fd) for fd in (read_fd, write_fd)]
        for handle in handles:
            os.set_handle_inheritable(handle, True)  # noqa: FBT003
        return subprocess.Popen(
            [*argv, f"--remote-debugging-io-pipes={handles[0]},{handles[1]}"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            startupinfo=subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles}),
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
        )

else:
    import fcntl

    def _spawn(
        argv: Sequence[str], environment: Mapping[str, str], read_fd: int, write_fd: int
    ) -> subprocess.Popen[bytes]:
        # Above 9, so that moving one end to 3 or 4 cannot close the other.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (read_fd, write_fd)]
        try:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", TRAMPOLINE, *map(str, high), *argv],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=high,
                # A group of its own: Ctrl-C reaches us alone, and we end the browser in order.
                start_new_session=True,
            )
        finally:
            for fd in high:
                os.close(fd)
