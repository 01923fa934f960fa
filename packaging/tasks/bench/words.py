"""Figures in words: tables for a terminal, ratios and amounts as a person reads them."""

from tasks.bench.figures import Comparison, Figure, Growth, Measured, Table

MET = {True: "met", False: "NOT MET", None: "no goal"}


def show(measured: Measured) -> str:
    """A table or a growth as text."""
    return _growth(measured) if isinstance(measured, Growth) else _table(measured)


def _table(table: Table) -> str:
    lines = [f"{table.name}: {table.work}", f"  {'':<38}{'median':>10}{'min':>10}{'p95':>10}   ratio"]
    for figure in (table.peer, *table.figures):
        cells = "".join(f"{value:>10.2f}" for value in (figure.median, min(figure.samples), figure.p95))
        spread = f"{figure.unit}, {len(figure.samples)} runs"
        lines.append(f"  {figure.name:<38}{cells}   {ratio(table.ratio(figure))}  {spread}")
    lines += [f"  {MET[one.is_met(table)]}: {_sentence(one, table)}" for one in table.comparisons]
    return "\n".join([*lines, *(f"  skipped: {reason}" for reason in table.skipped)])


def _sentence(comparison: Comparison, table: Table) -> str:
    beside = f" / {comparison.peer}" if comparison.peer else ""
    by = " (p95)" if comparison.by == "p95" else ""
    aim = f", goal {goal(comparison, table)}" if comparison.at_most is not None else ""
    why = f" ({comparison.why_not})" if comparison.why_not and comparison.is_met(table) is False else ""
    return f"{comparison.figure}{beside}{by} = {value(comparison, table)}{aim}{why}"


def _growth(growth: Growth) -> str:
    heads = "".join(f"{size:>12,}" for size in growth.sizes)
    lines = [f"{growth.name}: {growth.work}", f"  {growth.axis:<38}{heads}   last / first"]
    for line in growth.lines:
        cells = "".join(f"{amount(figure):>12}" for figure in line.figures)
        lines.append(f"  {line.name:<38}{cells}   {ratio(line.times)}")
    return "\n".join(lines)


def value(comparison: Comparison, table: Table) -> str:
    """What came out: a ratio, or an amount where there is no peer."""
    return _number(comparison.value(table), comparison, table)


def goal(comparison: Comparison, table: Table) -> str:
    """The goal, in the same form; empty where there is none."""
    return "" if comparison.at_most is None else f"at most {_number(comparison.at_most, comparison, table)}"


def _number(number: float, comparison: Comparison, table: Table) -> str:
    return ratio(number) if comparison.peer else f"{_three_digits(number)} {table[comparison.figure].unit}"


def ratio(number: float) -> str:
    """1.30x, or 1/40 where it is small."""
    return f"{number:.2f}x" if number > 0.2 or number <= 0 else f"1/{1 / number:.0f}"


def amount(figure: Figure) -> str:
    """The median with its unit."""
    return f"{_three_digits(figure.median)} {figure.unit}"


def spread(figure: Figure) -> str:
    """The least sample and the 95th percentile."""
    return f"{_three_digits(min(figure.samples))} to {_three_digits(figure.p95)}"


def _three_digits(number: float) -> str:
    """1,234 or 12.3 or 1.23 or 0.0123."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}" if abs(number) >= 1 else f"{number:.2g}"
