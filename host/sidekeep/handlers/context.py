"""What a handler is given: the caller, the services, and where events go."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sidekeep import logs
from sidekeep.domain.area_keys import PROFILE_KEYS
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidRequest, SidekeepError, StoreBusy
from sidekeep.service.announcing import Announcer, Deliver
from sidekeep.service.notices import Notices
from sidekeep.service.services import Services

if TYPE_CHECKING:
    from sidekeep.service.area import Area
    from sidekeep.service.temporary_area import TemporaryArea

Notify = Callable[[str, Any], None]


class Context:
    """One connection. It has services from hello on.

    `services` is the caller's store. `live` is where its live conversation is: the same store, or one in memory while the
    chat is a temporary one.
    """

    def __init__(
        self, namespace: str, *, open_store: Callable[[], Services], notify: Notify, notices: Notices | None = None
    ) -> None:
        self.namespace = namespace
        self.notify = notify
        self.notices = notices or Notices()
        self.spared: set[str] = set()
        self._open_store = open_store
        self._scope: Scope | None = None
        self._is_private = False
        self._services: Services | None = None
        self._live: Services | None = None
        self._left: list[Services] = []
        self._announcers: dict[Services, Announcer] = {}

    @property
    def greeted(self) -> bool:
        return self._services is not None

    @property
    def scope(self) -> Scope:
        assert self._scope is not None, "the dispatcher lets nothing but hello and ping through before hello"
        return self._scope

    @property
    def services(self) -> Services:
        assert self._services is not None, "the dispatcher lets nothing but hello and ping through before hello"
        return self._services

    @property
    def live(self) -> Services:
        return self._live or self.services

    @property
    def area(self) -> "Area | TemporaryArea":
        """The caller's storage area; the keys of a temporary chat are its own."""
        if self._live is None:
            return self.services.area
        from sidekeep.service.temporary_area import TemporaryArea

        return TemporaryArea(self.services.area, self._live.area)

    def greet(self, profile: str, *, incognito: bool) -> None:
        """Open the caller's store. A repeated hello keeps what is open. Raises InvalidRequest, StoreFailed, StoreBusy."""
        scope = Scope(self.namespace, profile)
        if self._services is not None and incognito != self._is_private:
            raise InvalidRequest(
                "This connection has said hello with another incognito. Open a connection of its own for a private window."
            )
        if self._services is None:
            self._is_private = incognito
            services = self._open_store()
            self._services = self._beside(services, scope) if incognito else services
            self._services.settings.attach(self._services.database)
        if scope != self._scope:
            self._scope = scope
            self._announcers = {}
        self._listen(self._services)

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """What is done here makes another conversation the live one: after a temporary one the client hears what differs."""
        before = self._live.area.get(self.scope, PROFILE_KEYS) if self._live is not None else None
        yield
        if before is not None:
            self._tell_difference(before, self.area.get(self.scope, PROFILE_KEYS))

    def _tell_difference(self, before: dict[str, bytes], after: dict[str, bytes]) -> None:
        import orjson

        shaped: dict[str, Any] = {}
        for key in sorted(PROFILE_KEYS):
            if before.get(key) != after.get(key):
                sides = {"newValue": after.get(key), "oldValue": before.get(key)}
                told = {name: orjson.Fragment(value) for name, value in sides.items() if value is not None}
                shaped[key] = {"stale": True} if self.is_spared(key) else told
        if shaped:
            self._tell(shaped)

    def start_temporary(self) -> None:
        """Keep the live conversation in memory from now on; it begins as an empty one."""
        self._live = self._beside(self.services, self.scope)
        self._live.conversation.clear(self.scope)
        self._listen(self._live, deliver=self._deliver_live)

    @staticmethod
    def _beside(services: Services, scope: Scope) -> Services:
        from sidekeep.service.in_memory import open_beside

        return open_beside(services, scope)

    def catch_up(self) -> None:
        """Let a temporary chat know the settings as they are by now. Call before a model is asked."""
        if self._live is not None:
            from sidekeep.service.in_memory import take_settings

            take_settings(self._live, self.services, self.scope)

    def end_temporary(self) -> None:
        if self._live is not None:
            self._announcers.pop(self._live, None)
            self._left = [store for store in (*self._left, self._live) if store.has_turns and store.turns.any_running]
            self._live = None

    def written(self) -> None:
        """Call after a write, before it is answered: the client and other processes hear of it."""
        for announcer in list(self._announcers.values()):
            # The write is committed: what goes wrong with telling of it must not look like a write that can be tried again.
            try:
                announcer.written()
            except StoreBusy:
                pass  # told of at the next look
            except SidekeepError as exc:
                logs.warning("a change could not be told of: %s", exc.message)

    def look(self) -> None:
        """Announce what other processes have written."""
        for announcer in list(self._announcers.values()):
            announcer.look()

    def start_over(self) -> None:
        """Another file is in the store's place: what it holds is news to nobody, and what comes now is."""
        for announcer in list(self._announcers.values()):
            announcer.start_over()

    def stop_listening(self) -> None:
        """The client is gone: nothing is announced to it any more."""
        self._announcers.clear()

    def _listen(self, services: Services, *, deliver: Deliver | None = None) -> None:
        if services not in self._announcers:
            self._announcers[services] = Announcer(
                services.database, self.scope, services.tick, is_spared=self.is_spared, deliver=deliver or self._deliver
            )

    def _deliver_live(self, shaped: dict[str, Any]) -> None:
        """Of a temporary chat's store the client hears what is its conversation: the saved chats in it are nobody's."""
        own = {key: change for key, change in shaped.items() if key in PROFILE_KEYS}
        if own:
            self._tell(own)

    def _deliver(self, shaped: dict[str, Any]) -> None:
        """What the store announces; while a temporary chat is open, the conversation in it is not what the client has."""
        if self._live is not None:
            shaped = {key: change for key, change in shaped.items() if key not in PROFILE_KEYS}
        if shaped:
            self._tell(shaped)

    def _tell(self, changes: dict[str, Any]) -> None:
        self.notify("storage.onChanged", {"changes": changes, "areaName": "local"})

    def is_spared(self, key: str) -> bool:
        """Whether the caller asked not to be sent that key's values (storage.watch)."""
        return key in self.spared or any(name.endswith("*") and key.startswith(name[:-1]) for name in self.spared)

    def every_store(self) -> list[Services]:
        """The stores this connection uses; those of temporary chats that were left in the middle of an answer, too."""
        return [store for store in (self._services, self._live, *self._left) if store is not None]
