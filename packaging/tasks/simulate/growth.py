"""How a figure grows with the store: measured at some shares, read as flat, linear or worse, and carried on to the whole."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

Measured: TypeAlias = dict[str, float]
"""Figures by name. What ends in "time" or "processor" is in seconds; sizes and memory are in MB, the rest in ms."""

WHOLE = 1.0
# Of the words that fill.py writes and wire.py looks for.
CORPUS_SEED = 10
# A figure that grows by less than this power of the store's size is called flat, one by more than the other more than linear.
# Caches and noise are between: twice the time for ten times the data is a power of 0.3.
FLAT, LINEAR = 0.3, 1.15
_SIZES = ("store", "backup", "export")


def power(measured: Mapping[float, Measured], name: str) -> float | None:
    """The power of the store's size by which a figure grew between the two largest shares; None of one share alone."""
    *_, less, more = [math.nan, *sorted(measured)]
    if math.isnan(less) or not measured[less][name] or not measured[more][name]:
        return None
    return math.log(measured[more][name] / measured[less][name]) / math.log(more / less)


def projected(measured: Mapping[float, Measured], name: str) -> float | None:
    """The figure at the whole, on the line through the two largest shares; None where there are no two."""
    *_, less, more = [math.nan, *sorted(measured)]
    if math.isnan(less):
        return None
    slope = (measured[more][name] - measured[less][name]) / (more - less)
    return max(measured[more][name], measured[more][name] + slope * (WHOLE - more))


def word(grown: float | None) -> str:
    """Flat, linear or more than that, in a word."""
    if grown is None:
        return ""
    return "flat" if grown < FLAT else "linear" if grown <= LINEAR else "more than linear"


def show(measured: Mapping[float, Measured]) -> str:
    """The table: a column for each share, one for the whole where it was not measured, and how the figure grows."""
    shares = sorted(measured)
    carried_on = WHOLE not in shares and len(shares) > 1
    heads = [f"{share:.0%}" for share in shares] + ["100% projected"] * carried_on
    lines = [f"  {'':<32}{''.join(f'{head:>15}' for head in heads)}   grows"]
    for name in measured[shares[0]]:
        values = [measured[share][name] for share in shares]
        cells = values + [projected(measured, name) or 0.0] * carried_on
        grown = power(measured, name)
        more = f"{word(grown)} ({grown:.2f})" if grown is not None else ""
        lines.append(f"  {f'{name} ({unit(name)})':<32}{''.join(f'{_number(cell):>15}' for cell in cells)}   {more}")
    return "\n".join(lines)


def to_json(measured: Mapping[float, Measured]) -> list[dict[str, Any]]:
    """The same for `--json`."""
    return [
        {
            "name": name,
            "unit": unit(name),
            "at": {f"{share:g}": round(measured[share][name], 3) for share in sorted(measured)},
            "projected": projected(measured, name),
            "grows": word(power(measured, name)),
        }
        for name in next(iter(measured.values()))
    ]


def unit(name: str) -> str:
    """What a figure of that name is counted in."""
    if name.endswith((", time", ", processor")):
        return "s"
    if name == "chats":
        return "number"
    return "MB" if "memory" in name or name in _SIZES else "ms"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"
