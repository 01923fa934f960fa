"""The services over the store of the data home, for commands that use it as the host does."""

from collections.abc import Iterator
from contextlib import contextmanager

from sidekeep import paths
from sidekeep.errors import StoreFailed
from sidekeep.service.announcing import touch
from sidekeep.service.models import Models
from sidekeep.service.services import Services
from sidekeep.service.settings import HostSettings
from sidekeep.store.checkpoint import Checkpointer
from sidekeep.store.opening import opened


@contextmanager
def services(role: str, *, may_make: bool = False, reads_only: bool = False) -> Iterator[Services]:
    """The services; hosts that run hear of what was written. Raises StoreFailed where there is no store and none may be made."""
    home = paths.data_home()
    if not may_make and not paths.database(home).exists():
        raise StoreFailed(f"There is no store in {home} yet.")
    settings = HostSettings(home)
    with opened(home, role=role) as database:
        settings.attach(database)
        opened_services = Services(database, home, Models(home, settings.current), settings=settings)
        if reads_only:
            database.only_read()
            yield opened_services
            return
        checkpointer = Checkpointer(database, paths.locks(home))
        try:
            yield opened_services
        finally:
            checkpointer.close()
            touch(paths.tick(home))
