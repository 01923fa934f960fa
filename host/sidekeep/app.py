"""The composition root: what a browser starts. Reads frames on the main thread until they end, then leaves with status 0."""

import contextlib
import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from sidekeep import logs, paths
from sidekeep.domain.scope import BUILT_IN_EXTENSION_IDS, extension_id_of, namespace_of
from sidekeep.errors import ForbiddenOrigin, InvalidRequest
from sidekeep.handlers import life
from sidekeep.handlers.context import Context
from sidekeep.handlers.table import TABLE, get_ready, warm_up
from sidekeep.rpc import envelope
from sidekeep.rpc.dispatcher import Dispatcher
from sidekeep.rpc.lane import OrderedLane
from sidekeep.rpc.method import Method
from sidekeep.rpc.tasks import TaskLoop
from sidekeep.service.models import Models
from sidekeep.service.notices import Notices
from sidekeep.service.services import Services
from sidekeep.service.settings import HostSettings
from sidekeep.settings.model import Settings
from sidekeep.store.database import Database
from sidekeep.store.opening import StoreFile
from sidekeep.transport.connection import Connection
from sidekeep.transport.framing import FrameTooLong
from sidekeep.transport.parts import PartAssembler
from sidekeep.transport.stdio import Disconnected, Stdio

if TYPE_CHECKING:
    from sidekeep.service.drop_folder import DropFolder
    from sidekeep.service.indexing import Indexing
    from sidekeep.service.upkeep import Upkeep
    from sidekeep.store.checkpoint import Checkpointer

# The browser kills what is still there 1.9 s after it has gone. Together these stay below the 1.5 s that are promised.
FINISH_WRITES_S = 0.7
FINISH_TURNS_S = 0.6
# Directly after hello the imports would slow the panel's first reads; nothing hurries.
QUIET_BEFORE_WARM_UP_S = 0.3


def serve(stdio: Stdio, *, origin: str, table: Mapping[str, Method] = TABLE) -> int:
    """Serve one browser connection. Returns only by ending the process, with status 0."""
    home = paths.data_home()
    logs.configure(paths.logs(home))
    notices = Notices()
    settings = HostSettings(home, notices)
    logs.configure(paths.logs(home), settings.current.log_level)
    host = Host(Connection(stdio, part_bytes=settings.current.part_chars), home, settings, notices, origin, table)
    if not _is_allowed(origin, settings.current):
        host.refuse()
    _at_signals(host.leave)
    host.run()
    host.leave()


def _at_signals(leave: Callable[[], object]) -> None:
    """Call `leave` at SIGTERM and SIGINT, on a thread of its own.

    Python runs handlers between two steps of the main thread: a signal that comes just before that thread blocks in read
    would wait for the browser's next message (8 of 321 SIGTERMs right after hello, on a busy machine). The wake-up pipe is
    written at once.
    """
    wakes, woken = os.pipe()
    if os.name == "posix":
        os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)

    def wait() -> None:
        os.read(wakes, 1)
        leave()

    threading.Thread(target=wait, name="signals", daemon=True).start()


class Host:
    """One connection and what serves it."""

    def __init__(
        self,
        connection: Connection,
        home: Path,
        settings: HostSettings,
        notices: Notices,
        origin: str,
        table: Mapping[str, Method],
    ) -> None:
        self._connection = connection
        self._home = home
        self._settings = settings
        self._reader = threading.get_ident()
        self._leaving = threading.Lock()
        self._last_message_at = time.monotonic()
        self._is_started = False
        self._database: Database | None = None
        self._store: StoreFile | None = None
        self._upkeep: Upkeep | None = None
        self._indexing: Indexing | None = None
        self._drop_folder: DropFolder | None = None
        self._checkpointer: Checkpointer | None = None
        self._models = Models(home, settings.current)
        settings.follow(self._apply)
        self._context = Context(
            namespace_of(extension_id_of(origin)), open_store=self._open_store, notify=self._notify, notices=notices
        )
        self._lane = OrderedLane(rest=self._rest)
        self._tasks = TaskLoop()
        assembler = PartAssembler()
        self._dispatcher = Dispatcher(
            table,
            self._context,
            send=self._send,
            join_part=assembler.feed,
            drop_stream=assembler.drop,
            is_greeted=lambda: self._context.greeted,
            lane=self._lane,
            tasks=self._tasks,
        )

    def run(self) -> None:
        """Serve until the input ends, the browser is gone, or a length comes that cannot be skipped."""
        frames = self._connection.frames()
        try:
            while not self._serve(frames):
                pass  # the browser is gone; what it had asked for before is still done
        except FrameTooLong as exc:
            with contextlib.suppress(Disconnected):
                self._send(envelope.error(None, InvalidRequest(str(exc))))
            logs.warning("the input could not be followed: a frame of %d bytes was announced", exc.length)
        if self._connection.cut_short:
            logs.warning("the input ended inside a frame; its %d bytes were dropped", self._connection.cut_short)

    def _serve(self, frames: Iterator[bytes]) -> bool:
        """Receive until the frames end. False where the browser's end went away first."""
        try:
            for frame in frames:
                self._last_message_at = time.monotonic()
                self._dispatcher.receive(frame)
                del frame  # it may be large, and the next may be long in coming
                if not self._is_started and self._database is not None:
                    self._finish_start()
        except Disconnected:
            return False
        return True

    def _finish_start(self) -> None:
        """After the reply to hello: import what the area needs, which the browser asks for next."""
        self._is_started = True
        get_ready()
        gc.freeze()
        gc.enable()
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()

    def refuse(self) -> NoReturn:
        """Tell a caller that is not on the list so, and leave."""
        error = ForbiddenOrigin(
            "This extension is not on Sidekeep's list. Add its id to allowed_extensions in settings.toml to let it in."
        )
        with contextlib.suppress(Disconnected):
            self._send(envelope.error(None, error))
        os._exit(0)

    def leave(self) -> NoReturn:
        """Finish what was asked, keep what was streaming, end. Within 1.5 s, whatever threads are up to."""
        if not self._leaving.acquire(blocking=False):
            threading.Event().wait()  # the end of input and a signal at once: whoever came first ends the process
        self._lane.close(FINISH_WRITES_S)
        self._tasks.call(self._stop_turns, FINISH_TURNS_S)
        for services in self._context.every_store():
            services.end()
        if self._checkpointer is not None:
            self._checkpointer.close()
        if self._store is not None:
            self._store.leave()
        os._exit(0)  # waits for no thread: what was acknowledged is in the store

    async def _stop_turns(self) -> None:
        for services in self._context.every_store():
            if services.has_turns:
                await services.turns.stop_all()
        await self._models.aclose()

    def _open_store(self) -> Services:
        if self._database is None:
            self._store = StoreFile(self._home, synchronous=self._settings.current.synchronous)
            self._database = self._store.open()
        self._database.never_wait()  # this is the reader thread: see OrderedLane
        services = Services(self._database, self._home, self._models, settings=self._settings)
        services.finish_answers()
        return services

    def _rest(self) -> None:
        """The lane's thread, to which large messages go, has nothing left to do."""
        for services in self._context.every_store():
            services.database.close_here()

    def _warm_up(self) -> None:
        """Make ready what nobody has asked for yet, from a quiet moment on: while this thread imports, the reader waits 5 ms for
        Python at each of SQLite's answers."""
        assert self._database is not None
        while (quiet := time.monotonic() - self._last_message_at) < QUIET_BEFORE_WARM_UP_S:
            if self._database.checkpoint_due.wait(QUIET_BEFORE_WARM_UP_S - quiet):
                break  # who writes as much without a pause needs the checkpointer first of all
        from sidekeep.store.checkpoint import Checkpointer

        self._checkpointer = Checkpointer(self._database, paths.locks(self._home))
        while (quiet := time.monotonic() - self._last_message_at) < QUIET_BEFORE_WARM_UP_S:
            time.sleep(QUIET_BEFORE_WARM_UP_S - quiet)
        logs.note_crashes(paths.crash_file(self._home))
        warm_up()
        self._watch()

    def _watch(self) -> None:
        """Look for other processes' changes and for edits of settings.toml. Runs as long as the process."""
        from sidekeep.service.watching import watch

        self._context.notices.listen(lambda: life.tell_notices(self._context))
        self._look_after()
        self._follow_drop_folder()
        threading.Thread(target=self._make_room, name="update", daemon=True).start()
        watch(self._home, on_tick=self._look, on_settings=self._settings.reload)

    def _make_room(self) -> None:
        """Leave, once another version has been installed and nothing is under way."""
        from sidekeep.service import updating

        updating.wait_until_replaced()
        logs.info("another version was installed; this host leaves when nothing is asked of it")
        updating.wait_until_quiet(self._quiet_s)
        self.leave()

    def _look(self) -> None:
        if self._upkeep is not None:
            self._upkeep.attend()
        if self._indexing is not None:
            self._indexing.attend()
        self._settings.refresh()
        self._context.look()

    def _look_after(self) -> None:
        from sidekeep.service.indexing import Indexing
        from sidekeep.service.upkeep import Upkeep

        assert self._store is not None
        assert self._database is not None
        self._upkeep = Upkeep(
            self._store,
            self._database,
            self._context.notices,
            settings=lambda: self._settings.current,
            quiet_s=self._quiet_s,
            replaced=self._context.start_over,
        )
        threading.Thread(target=self._upkeep.run, name="upkeep", daemon=True).start()
        self._indexing = Indexing(self._database, self._quiet_s)
        threading.Thread(target=self._indexing.run, name="indexing", daemon=True).start()

    def _follow_drop_folder(self) -> None:
        """Look into the drop folder from when one is set; nothing is imported for it before."""
        if self._drop_folder is not None:
            self._drop_folder.change()
        elif self._settings.current.drop_folder and self._database is not None:
            from sidekeep.handlers.transfer import imported
            from sidekeep.service.drop_folder import DropFolder
            from sidekeep.store.locks import NamedLocks

            services = Services(self._database, self._home, self._models, settings=self._settings)
            self._drop_folder = DropFolder(
                services.imports,
                NamedLocks(paths.locks(self._home)),
                self._context.notices,
                folder=lambda: self._settings.current.drop_folder,
                told=imported,
                written=self._context.written,
            )
            threading.Thread(target=self._drop_folder.run, name="drop folder", daemon=True).start()

    def _quiet_s(self) -> float:
        """For how long nothing has been asked of this process; none while an answer comes."""
        if any(services.has_turns and services.turns.any_running for services in self._context.every_store()):
            return 0.0
        return time.monotonic() - self._last_message_at

    def _apply(self, settings: Settings) -> None:
        """Let changed settings count where they can while the host runs."""
        self._connection.part_bytes = settings.part_chars
        logs.set_level(settings.log_level)
        self._models.apply(settings)
        self._follow_drop_folder()

    def _notify(self, method: str, params: Any) -> None:
        self._send(envelope.notification(method, params))

    def _send(self, message: bytes) -> None:
        """Send, from any thread. The reader learns of a browser that is gone; the others need not know."""
        try:
            self._connection.send(message)
        except Disconnected:
            self._connection.ending = True
            self._context.stop_listening()
            if threading.get_ident() == self._reader:
                raise


def _is_allowed(origin: str, settings: Settings) -> bool:
    extension_id = extension_id_of(origin)
    return extension_id in BUILT_IN_EXTENSION_IDS or extension_id in settings.allowed_extensions
