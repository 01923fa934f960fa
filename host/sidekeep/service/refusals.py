"""What a model's server refused for its size without saying how much it takes, kept for each model on each server.

What was too much once is not sent again: the next requests stay below it, until an answer to as much takes that back.
"""

from typing import NamedTuple

from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.request.build import Report
from sidekeep.request.overflow import Kind
from sidekeep.request.rescue import BLIND_PERCENT
from sidekeep.service.windows import key_of
from sidekeep.store import model_facts
from sidekeep.store.database import Database


class Sizes(NamedTuple):
    """Of a request: estimated tokens, bytes of the body, pictures. None where it is nothing to learn from."""

    tokens: int | None = None
    bytes: int | None = None
    images: int | None = None


# A refusal of less says nothing of a limit: to send still less would be to send nothing, and few pictures that are refused are
# too large, not too many.
LEAST_TOO_MUCH = Sizes(2_048, 262_144, 4)

_REFUSED_BY_KIND: dict[Kind, str] = {"overflow": "tokens", "payload_bytes": "bytes", "images": "images"}


class Refusals:
    """The refusals that one store knows of."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def most(self, scope: Scope, provider: Provider) -> Sizes:
        """The most to send to the provider's model; None where nothing was refused."""
        refused = self._refused(scope, provider)
        return Sizes(*(None if size is None else size * BLIND_PERCENT // 100 for size in refused))

    def refused(self, scope: Scope, provider: Provider, kind: Kind, report: Report) -> None:
        """A request of that size was refused. Other kinds than those of a size teach nothing."""
        if kind not in _REFUSED_BY_KIND:
            return
        what = _REFUSED_BY_KIND[kind]
        size = getattr(_sizes(report), what)
        known = getattr(self._refused(scope, provider), what)
        if size >= getattr(LEAST_TOO_MUCH, what) and (known is None or size < known):
            self._keep(scope, provider, {what: size})

    def taken(self, scope: Scope, provider: Provider, report: Report) -> None:
        """A request of that size was answered."""
        refused, sizes = self._refused(scope, provider)._asdict(), _sizes(report)._asdict()
        void = [what for what, size in refused.items() if size is not None and sizes[what] >= size]
        if void:
            self._keep(scope, provider, dict.fromkeys(void))

    def _refused(self, scope: Scope, provider: Provider) -> Sizes:
        with self._database.reading() as tx:
            facts = model_facts.find(tx, key_of(scope, provider))
        return Sizes(facts.refused_tokens, facts.refused_bytes, facts.refused_images)

    def _keep(self, scope: Scope, provider: Provider, changed: dict[str, int | None]) -> None:
        key = key_of(scope, provider)
        with self._database.transaction() as tx:
            facts = model_facts.find(tx, key)
            model_facts.put(tx, key, facts._replace(**{f"refused_{what}": size for what, size in changed.items()}))


def _sizes(report: Report) -> Sizes:
    return Sizes(report.estimated_tokens, report.bytes, report.images_sent)
