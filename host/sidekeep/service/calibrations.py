"""What models' own counts teach about the estimate, kept for each model on each server and each message."""

from sidekeep.domain.chat import SessionId
from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.request.calibration import FIXED, Calibration, Counted
from sidekeep.service.windows import key_of
from sidekeep.store import model_facts
from sidekeep.store.database import Database
from sidekeep.store.model_facts import Count, ModelFacts


class Calibrations:
    """The calibrations of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope, provider: Provider, session_id: SessionId) -> Calibration:
        """What is known of the provider's model and of a transcript's messages."""
        key = key_of(scope, provider)
        with self._database.reading() as tx:
            facts = model_facts.find(tx, key)
            counts = model_facts.counts(tx, key, session_id) if facts.factor is not None else {}
        counted = {message_id: Counted(*count) for message_id, count in counts.items()}
        return Calibration(facts.factor, {**_fixed(facts), **counted})

    def keep(
        self, scope: Scope, provider: Provider, session_id: SessionId, before: Calibration, learned: Calibration
    ) -> None:
        """Keep what was learned since `before` from a conversation with this transcript."""
        if learned == before:
            return
        key = key_of(scope, provider)
        fixed = learned.counted.get(FIXED)
        changed = {part: Count(*count) for part, count in learned.counted.items() if before.counted.get(part) != count}
        with self._database.transaction() as tx:
            facts = model_facts.find(tx, key)._replace(factor=learned.factor)
            if fixed is not None:
                facts = facts._replace(fixed_estimate=fixed.estimate, fixed_tokens=fixed.tokens)
            model_facts.put(tx, key, facts)
            model_facts.put_counts(tx, key, session_id, changed)


def _fixed(facts: ModelFacts) -> dict[str, Counted]:
    if facts.fixed_estimate is None or facts.fixed_tokens is None:
        return {}
    return {FIXED: Counted(facts.fixed_estimate, facts.fixed_tokens)}
