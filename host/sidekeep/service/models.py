"""What answers: the client for model servers, and the offline model. One of each for the whole process."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep import paths
from sidekeep.settings.model import Settings

if TYPE_CHECKING:
    from sidekeep.llm.offline import OfflineModel
    from sidekeep.llm.types import ProviderClient


class Models:
    """Makes each when it is first asked for. `client` replaces the real one (tests)."""

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
