"""What a task tells the person: progress on stderr, one sentence when it cannot go on."""

import sys


class TaskError(Exception):
    """A task cannot go on. The message is one sentence: the cause, and what to install or do."""


def say(text: str) -> None:
    """Print one line of progress on stderr; stdout belongs to a task's result."""
    print(text, file=sys.stderr, flush=True)


def step(name: str, state: str) -> None:
    """Print what became of one step of a task, in a column that lines up."""
    say(f"  {name:<22} {state}")
