"""The services over one store, each made when first needed: a browser's start pays for what it uses."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep import paths
from sidekeep.domain.area_keys import GET_ALL_KEYS
from sidekeep.domain.scope import Scope
from sidekeep.service.clock import Clock, now_ms
from sidekeep.service.limits import Limits
from sidekeep.service.settings import HostSettings
from sidekeep.service.status import StoreStatus
from sidekeep.settings.model import Settings
from sidekeep.store import facts, panel_settings, provider_keys
from sidekeep.store.database import Database

if TYPE_CHECKING:
    from sidekeep.domain.chat import ChatId
    from sidekeep.llm.offline import OfflineModel
    from sidekeep.llm.types import ProviderClient
    from sidekeep.service.adoption import Adoption
    from sidekeep.service.answering import Answering
    from sidekeep.service.archive import Archives
    from sidekeep.service.area import Area
    from sidekeep.service.attachments import Attachments
    from sidekeep.service.backing_up import BackingUp
    from sidekeep.service.calibrations import Calibrations
    from sidekeep.service.chats import Chats
    from sidekeep.service.checkpoints import Checkpoints
    from sidekeep.service.compacting import Compacting
    from sidekeep.service.conversation import Conversation
    from sidekeep.service.exporting import Exports
    from sidekeep.service.folders import Folders
    from sidekeep.service.importing import Imports
    from sidekeep.service.keys import Keys
    from sidekeep.service.learning import Learning
    from sidekeep.service.own_fetch import OwnFetches
    from sidekeep.service.partial_answers import PartialAnswers
    from sidekeep.service.providers import Providers
    from sidekeep.service.requests import Requests
    from sidekeep.service.summarizing import Summarizing
    from sidekeep.service.turn import Turns
    from sidekeep.service.turn_store import TurnStore
    from sidekeep.service.uploads import Uploads
    from sidekeep.service.windows import Windows
    from sidekeep.store.erasing import Erased
    from sidekeep.store.locks import NamedLocks

# What a private window or a temporary chat takes over: the light keys, less what belongs to one conversation.
SETTING_KEYS = tuple(key for key in GET_ALL_KEYS if key != "activeSessionId")


class Models:
    """What answers: the client for model servers and the offline model. One of each for the whole process."""

    def __init__(self, home: Path, settings: Settings, *, client: "Callable[[], ProviderClient] | None" = None) -> None:
        self._home = home
        self._settings = settings
        self._make_client = client
        self._clients: dict[tuple[str, str], ProviderClient] = {}

    def apply(self, settings: Settings) -> None:
        """Take changed settings over: the way to the servers from the next request on, the idle time at once."""
        self._settings = settings
        if "offline" in self.__dict__:
            self.offline.idle_s = float(settings.model_idle_seconds)

    @property
    def client(self) -> "ProviderClient":
        """The client for the next request. One for another proxy stays, because an answer may still be coming through it."""
        way = (self._settings.proxy, self._settings.ca)
        if way not in self._clients:
            self._clients[way] = self._new_client()
        return self._clients[way]

    def _new_client(self) -> "ProviderClient":
        if self._make_client is not None:
            return self._make_client()
        from sidekeep.llm.client import ModelClient

        ca = Path(self._settings.ca) if self._settings.ca else None
        return ModelClient(proxy=self._settings.proxy or None, ca=ca)

    @cached_property
    def offline(self) -> "OfflineModel":
        from sidekeep.llm.offline import OfflineModel

        return OfflineModel(paths.models(self._home), float(self._settings.model_idle_seconds))

    async def aclose(self) -> None:
        """End the connections and the offline model's process, where there are any."""
        for client in self._clients.values():
            await client.aclose()
        if "offline" in self.__dict__:
            await self.offline.aclose()


class Services:
    """Everything a handler may call. `home` is the data home, where locks, keys and weights are."""

    def __init__(
        self,
        database: Database,
        home: Path,
        models: Models,
        *,
        settings: HostSettings | None = None,
        clock: Clock = now_ms,
    ) -> None:
        self.database = database
        self.models = models
        self.settings = settings or HostSettings(home)
        self.home = home
        self._clock = clock
        self.limits = Limits(lambda: self.settings.current, self.is_running)
        self.status = StoreStatus(database)

    @cached_property
    def area(self) -> "Area":
        from sidekeep.service.area import Area

        return Area(self.database, self._clock, lambda: self.keys)

    @cached_property
    def keys(self) -> "Keys":
        from sidekeep.service.keys import Keys
        from sidekeep.store.secrets import SecretStore

        return Keys(self.database, SecretStore(paths.secrets_file(self.home)))

    @cached_property
    def conversation(self) -> "Conversation":
        from sidekeep.service.conversation import Conversation

        return Conversation(self.database, self._clock, self.limits)

    @cached_property
    def chats(self) -> "Chats":
        from sidekeep.service.chats import Chats

        return Chats(self.database, self._clock, self.limits)

    @cached_property
    def folders(self) -> "Folders":
        from sidekeep.service.folders import Folders

        return Folders(self.database, self._clock, self.limits)

    @cached_property
    def archives(self) -> "Archives":
        from sidekeep.service.archive import Archives

        return Archives(self.database, self._clock, self.limits)

    @cached_property
    def checkpoints(self) -> "Checkpoints":
        from sidekeep.service.checkpoints import Checkpoints

        return Checkpoints(self.database, self._clock, self.limits)

    @cached_property
    def compacting(self) -> "Compacting":
        from sidekeep.service.compacting import Compacting

        return Compacting(self.database, self.checkpoints, self.providers, self.windows)

    @cached_property
    def attachments(self) -> "Attachments":
        from sidekeep.service.attachments import Attachments

        return Attachments(self.database, self._clock, self.limits)

    @cached_property
    def summarizing(self) -> "Summarizing":
        from sidekeep.service.summarizing import Summarizing

        return Summarizing(self.database, self.providers, self.windows, self._clock, self.limits)

    @cached_property
    def adoption(self) -> "Adoption":
        from sidekeep.service.adoption import Adoption

        return Adoption(self.database, self._clock, lambda: self.keys)

    @cached_property
    def imports(self) -> "Imports":
        from sidekeep.service.importing import Imports

        return Imports(self.database, self.home, self._clock, self.limits)

    @cached_property
    def uploads(self) -> "Uploads":
        from sidekeep.service.uploads import Uploads

        return Uploads(self.home, self.imports)

    @cached_property
    def exports(self) -> "Exports":
        from sidekeep.service.exporting import Exports

        return Exports(self.database, self.home, self._clock)

    @cached_property
    def backing_up(self) -> "BackingUp":
        from sidekeep.service.backing_up import BackingUp

        return BackingUp(self.database, self.home, lambda: self.settings.current, self._clock)

    @cached_property
    def providers(self) -> "Providers":
        from sidekeep.service.providers import Providers

        return Providers(
            self.database,
            self.keys,
            self.windows,
            client=lambda: self.models.client,
            offline=lambda: self.models.offline,
        )

    @cached_property
    def calibrations(self) -> "Calibrations":
        from sidekeep.service.calibrations import Calibrations

        return Calibrations(self.database)

    @cached_property
    def windows(self) -> "Windows":
        from sidekeep.service.windows import Windows

        return Windows(self.database)

    @cached_property
    def turns(self) -> "Turns":
        from sidekeep.service.automatic_compaction import AutomaticCompaction
        from sidekeep.service.titling import Titling
        from sidekeep.service.turn import Turns

        titling = Titling(
            self.database,
            lambda: self.chats,
            self.providers,
            self.windows,
            lambda: self.settings.current.title_automatic,
        )
        automatic = AutomaticCompaction(lambda: self.compacting, lambda: self.settings.current.compact_automatic)
        return Turns(
            self._turn_store,
            self.providers,
            self._answering,
            automatic,
            titling,
            self._partial_answers,
            self._turn_locks,
            self._clock,
        )

    @cached_property
    def own_fetches(self) -> "OwnFetches":
        from sidekeep.service.own_fetch import OwnFetches

        return OwnFetches(self._turn_store, self.providers, self.turns, self._answering, self._requests, self._learning)

    @cached_property
    def _turn_store(self) -> "TurnStore":
        from sidekeep.service.turn_store import TurnStore

        return TurnStore(self.database, self._clock, self.limits)

    @cached_property
    def _partial_answers(self) -> "PartialAnswers":
        from sidekeep.service.partial_answers import PartialAnswers

        return PartialAnswers(self.database, self._turn_store, self._turn_locks)

    @cached_property
    def _answering(self) -> "Answering":
        from sidekeep.service.answering import Answering

        return Answering(self.providers, self._requests, self._learning)

    @cached_property
    def _requests(self) -> "Requests":
        from sidekeep.service.requests import Requests

        return Requests(self._turn_store)

    @cached_property
    def _learning(self) -> "Learning":
        from sidekeep.service.learning import Learning
        from sidekeep.service.refusals import Refusals

        return Learning(self.windows, Refusals(self.database), self.calibrations)

    @cached_property
    def _turn_locks(self) -> "NamedLocks":
        """One for each conversation that an answer is being written to, in whichever process."""
        from sidekeep.store.locks import NamedLocks

        return NamedLocks(paths.locks(self.home) if self.database.path is not None else None)

    def is_running(self, namespace: str, chat_id: "ChatId") -> bool:
        """Whether an answer to that chat is being written, in whichever process."""
        return self._turn_locks.is_held(f"{namespace}/{chat_id}")

    def finish_answers(self) -> None:
        """Put what killed hosts had of their answers into its conversations. What it costs without any is one question."""
        with self.database.reading() as tx:
            is_due = facts.has_partial_answers(tx)
        if is_due:
            self._partial_answers.finish_all()

    def enforce_limits(self) -> None:
        """Archive whatever is over the limits that hold now, of every namespace."""
        from sidekeep.service import retention

        retention.enforce(self.database, self.limits, self._clock)

    def backups_holding(self, erased: "Erased") -> list[str]:
        """The backups that still have something of what was erased."""
        if self.database.path is None:
            return []
        from sidekeep.store.backups import Backups

        return [str(path) for path in Backups(self.home).holding(erased)]

    @property
    def tick(self) -> Path | None:
        """The file whose time tells other processes of a change; None where no other shares the store."""
        return paths.tick(self.home) if self.database.path is not None else None

    @property
    def has_turns(self) -> bool:
        return "turns" in self.__dict__

    def end(self) -> None:
        """The process ends: files that were sent and not imported go."""
        if "uploads" in self.__dict__:
            self.uploads.drop_all()

    def in_memory(self, scope: Scope) -> "Services":
        """Services over a store in memory that begins with the person's settings and knows their keys and what was learned of
        models, and nothing else."""
        from sidekeep.store import model_facts

        fresh = Services(Database(None), self.home, self.models, settings=self.settings, clock=self._clock)
        fresh.take_settings(self, scope)
        with self.database.reading() as tx:
            known = model_facts.everything(tx, scope.namespace)
        with fresh.database.transaction() as tx:
            for model, facts in known.items():
                model_facts.put(tx, model, facts)
        return fresh

    def take_settings(self, source: "Services", scope: Scope) -> None:
        """Have the settings that `source` has now, and know its keys. A temporary chat asks whom the person has chosen since."""
        import orjson

        from sidekeep.domain.json_value import size_of
        from sidekeep.store import area

        with source.database.reading() as tx:
            settings = area.get(tx, scope, SETTING_KEYS)
            keys = provider_keys.everywhere(tx, scope.namespace)
            kept = panel_settings.read(tx)
        with self.database.transaction() as tx:
            for key in SETTING_KEYS:
                area.remove(tx, scope, key)
            for key, value in settings.items():
                area.put(tx, scope, key, value, size_of(key, value, orjson.loads(value)))
            for provider, _ in provider_keys.everywhere(tx, scope.namespace):
                provider_keys.remove(tx, scope.namespace, provider)
            for provider, origin in keys:
                provider_keys.add(tx, scope.namespace, provider, origin)
            panel_settings.put(tx, kept.panel)
            panel_settings.put_in_force(tx, kept.in_force)
