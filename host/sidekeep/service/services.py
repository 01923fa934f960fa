"""The services over one store, each made when first needed: a browser's start pays for what it uses."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep import paths
from sidekeep.service.clock import Clock, now_ms
from sidekeep.service.limits import Limits
from sidekeep.service.models import Models
from sidekeep.service.settings import HostSettings
from sidekeep.service.status import StoreStatus
from sidekeep.store import facts
from sidekeep.store.database import Database

if TYPE_CHECKING:
    from sidekeep.domain.chat import ChatId
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
        self.clock = clock
        self.limits = Limits(lambda: self.settings.current, self.is_running)
        self.status = StoreStatus(database)

    @cached_property
    def area(self) -> "Area":
        from sidekeep.service.area import Area

        return Area(self.database, self.clock, lambda: self.keys)

    @cached_property
    def keys(self) -> "Keys":
        from sidekeep.service.keys import Keys
        from sidekeep.store.secrets import SecretStore

        return Keys(self.database, SecretStore(paths.secrets_file(self.home)))

    @cached_property
    def conversation(self) -> "Conversation":
        from sidekeep.service.conversation import Conversation

        return Conversation(self.database, self.clock, self.limits)

    @cached_property
    def chats(self) -> "Chats":
        from sidekeep.service.chats import Chats

        return Chats(self.database, self.clock, self.limits)

    @cached_property
    def folders(self) -> "Folders":
        from sidekeep.service.folders import Folders

        return Folders(self.database, self.clock, self.limits)

    @cached_property
    def archives(self) -> "Archives":
        from sidekeep.service.archive import Archives

        return Archives(self.database, self.clock, self.limits)

    @cached_property
    def checkpoints(self) -> "Checkpoints":
        from sidekeep.service.checkpoints import Checkpoints

        return Checkpoints(self.database, self.clock, self.limits)

    @cached_property
    def compacting(self) -> "Compacting":
        from sidekeep.service.compacting import Compacting

        return Compacting(self.database, self.checkpoints, self.providers, self.windows)

    @cached_property
    def attachments(self) -> "Attachments":
        from sidekeep.service.attachments import Attachments

        return Attachments(self.database, self.clock, self.limits)

    @cached_property
    def summarizing(self) -> "Summarizing":
        from sidekeep.service.summarizing import Summarizing

        return Summarizing(self.database, self.providers, self.windows, self.clock, self.limits)

    @cached_property
    def adoption(self) -> "Adoption":
        from sidekeep.service.adoption import Adoption

        return Adoption(self.database, self.clock, lambda: self.keys)

    @cached_property
    def imports(self) -> "Imports":
        from sidekeep.service.importing import Imports

        return Imports(self.database, self.home, self.clock, self.limits)

    @cached_property
    def uploads(self) -> "Uploads":
        from sidekeep.service.uploads import Uploads

        return Uploads(self.home, self.imports)

    @cached_property
    def exports(self) -> "Exports":
        from sidekeep.service.exporting import Exports

        return Exports(self.database, self.home, self.clock)

    @cached_property
    def backing_up(self) -> "BackingUp":
        from sidekeep.service.backing_up import BackingUp

        return BackingUp(self.database, self.home, lambda: self.settings.current, self.clock)

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
            self.clock,
        )

    @cached_property
    def own_fetches(self) -> "OwnFetches":
        from sidekeep.service.own_fetch import OwnFetches

        return OwnFetches(self._turn_store, self.providers, self.turns, self._answering, self._requests, self._learning)

    @cached_property
    def _turn_store(self) -> "TurnStore":
        from sidekeep.service.turn_store import TurnStore

        return TurnStore(self.database, self.clock, self.limits)

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

        retention.enforce(self.database, self.limits, self.clock)

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
