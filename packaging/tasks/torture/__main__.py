"""Runs the faults, prints what each did and found, and writes it as JSON where that is asked for."""

import argparse
import importlib
import json
import sys
import time
from pathlib import Path

from tasks.torture import FAULTS, NAMES
from tasks.torture.fault import Outcome, Wish

WITHOUT_END_MINUTES = 24 * 60.0


def main() -> int:
    """Exit status 0 where nothing was found."""
    top = argparse.ArgumentParser(prog="python -m tasks.torture")
    top.add_argument("--only", choices=NAMES)
    top.add_argument("--minutes", type=float)
    top.add_argument("--seed", type=int, default=0)
    top.add_argument("--json", type=Path)
    arguments = top.parse_args()
    names = [arguments.only] if arguments.only else list(NAMES)
    minutes = WITHOUT_END_MINUTES if arguments.minutes is None else arguments.minutes / len(names)
    outcomes = []
    for name in names:
        outcomes.append(run(name, Wish(FAULTS[name].size, arguments.seed, minutes)))
        print(shown(outcomes[-1]), flush=True)
    if arguments.json is not None:
        report = [outcome.to_json() for outcome in outcomes]
        arguments.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if all(outcome.holds for outcome in outcomes) else 1


def run(name: str, wish: Wish) -> Outcome:
    """One fault."""
    started = time.monotonic()
    outcome: Outcome = importlib.import_module(f"tasks.torture.{name}").run(wish)
    outcome.seconds = time.monotonic() - started
    return outcome


def shown(outcome: Outcome) -> str:
    """A few lines of text."""
    counts = ", ".join(f"{count:,} {what}" for what, count in outcome.counts.items())
    verdict = "holds" if outcome.holds else "DOES NOT HOLD"
    lines = [f"{outcome.name}: {verdict} (seed {outcome.seed}, {outcome.seconds:.0f} s): {counts}"]
    lines += [f"  found: {what}" for what in outcome.found]
    lines += [f"  left out: {why}" for why in outcome.skipped]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
