"""An entry's artifact family: every transcript that belongs to it (docs/design.md, The store)."""

from collections.abc import Iterable, Iterator
from typing import Any


def collect_artifact_family(entry: dict[str, Any]) -> tuple[str, ...]:
    """The session ids that `entry` names, without empty ones and doubles.

    In this order: its own, its checkpoints', its usage family's.
    """
    return tuple(dict.fromkeys(name for name in _named(entry) if isinstance(name, str) and name))


def _named(entry: dict[str, Any]) -> Iterator[Any]:
    yield entry.get("sessionId")
    for checkpoint in _items(entry.get("compactionCheckpoints")):
        if isinstance(checkpoint, dict):
            for side in ("preCompaction", "postCompaction"):
                reference = checkpoint.get(side)
                if isinstance(reference, dict):
                    yield reference.get("sessionId")
    yield from _items(entry.get("usageFamilySessionIds"))


def _items(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else ()
