"""`sidekeep uninstall`: take away what `sidekeep install` wrote. Chats and settings stay."""

import argparse

from sidekeep.cli import plans
from sidekeep.install import plan
from sidekeep.install.apply import carry_out
from sidekeep.install.machine import ThisMachine


def configure(parser: argparse.ArgumentParser) -> None:
    """Add where from, and how to look first."""
    plans.configure(parser)


def run(arguments: argparse.Namespace) -> int:
    """Returns 0, also where there was nothing to remove."""
    made = plan.uninstall(ThisMachine(), plans.wish(arguments))
    if not arguments.dry_run:
        carry_out(made)
    plans.tell(made, None, dry_run=arguments.dry_run, as_json=arguments.json)
    return 0
