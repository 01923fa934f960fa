"""What models' own counts teach about the estimate, kept for each model on each server and each message."""

from collections.abc import Iterable, Mapping

from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.request.calibration import FIXED, Calibration, Counted
from sidekeep.service.windows import key_of
from sidekeep.store import model_facts
from sidekeep.store.database import Database
from sidekeep.store.model_facts import Count, ModelFacts

Rows = Mapping[str, int]
"""Message rows by message id: what a count is kept for is a message as it was, not as it is edited."""


class Calibrations:
    """The calibrations of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope, provider: Provider, rows: Rows) -> Calibration:
        """What is known of the provider's model and of these messages."""
        key = key_of(scope, provider)
        with self._database.reading() as tx:
            facts = model_facts.find(tx, key)
            counts = model_facts.counts(tx, key, rows.values()) if facts.factor is not None else {}
        counted = {name: Counted(*counts[row]) for name, row in rows.items() if row in counts}
        return Calibration(facts.factor, {**_fixed(facts), **counted})

    def keep(self, scope: Scope, provider: Provider, before: Calibration, learned: Calibration, rows: Rows) -> None:
        """Keep what was learned since `before`."""
        if learned == before:
            return
        key = key_of(scope, provider)
        fixed = learned.counted.get(FIXED)
        changed = _differences(before, learned, rows)
        with self._database.transaction() as tx:
            facts = model_facts.find(tx, key)._replace(factor=learned.factor)
            if fixed is not None:
                facts = facts._replace(fixed_estimate=fixed.estimate, fixed_tokens=fixed.tokens)
            model_facts.put(tx, key, facts)
            model_facts.put_counts(tx, key, changed)


def _fixed(facts: ModelFacts) -> dict[str, Counted]:
    if facts.fixed_estimate is None or facts.fixed_tokens is None:
        return {}
    return {FIXED: Counted(facts.fixed_estimate, facts.fixed_tokens)}


def _differences(before: Calibration, learned: Calibration, rows: Rows) -> dict[int, Count]:
    changed: Iterable[str] = (part for part, count in learned.counted.items() if before.counted.get(part) != count)
    return {rows[part]: Count(*learned.counted[part]) for part in changed if part in rows}
