"""Which archives have expired (setting archive.expireDays), for a clock that may be wrong.

Expiry deletes for good, and an age is as right as the clock. So an archive goes once it was found due on several different
days: a clock that jumps, forward or back, and is put right again costs nothing.
"""

from sidekeep.store.database import Transaction

# A wrong clock is put right, by the system or by its owner, within a day or two.
DUE_DAYS = 3

# ?1: archives from before this time are due; ?2: today.
_NEWS = (
    "SELECT 1 FROM archives WHERE (archived_at_ms < ?1 AND (due_day != ?2 OR due_days >= ?3)) "
    "OR (archived_at_ms >= ?1 AND due_days > 0) LIMIT 1"
)


def is_to_be_noted(tx: Transaction, before_ms: int, day: int) -> bool:
    """Whether `note` would change anything, or anything has expired."""
    return next(tx.execute(_NEWS, (before_ms, day, DUE_DAYS)), None) is not None


def note(tx: Transaction, before_ms: int, day: int) -> None:
    """Count this day for the archives that are due; those that are not begin anew."""
    tx.execute("UPDATE archives SET due_days = 0, due_day = 0 WHERE archived_at_ms >= ? AND due_days > 0", (before_ms,))
    tx.execute(
        "UPDATE archives SET due_days = due_days + 1, due_day = ?2 WHERE archived_at_ms < ?1 AND due_day != ?2",
        (before_ms, day),
    )


def expired(tx: Transaction) -> list[str]:
    """The ids of the archives that were due on enough days."""
    found = tx.execute("SELECT archive_id FROM archives WHERE due_days >= ?", (DUE_DAYS,))
    return [str(archive_id) for (archive_id,) in found]
