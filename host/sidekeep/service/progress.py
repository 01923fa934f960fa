"""How a long piece of work tells how far it is; whoever is told may end it by raising."""

from collections.abc import Callable

# Called with how much is done, how much there is in all, and how many conversations have been dealt with.
Progress = Callable[[int, int, int], None]


def untold(done: int, total: int, conversations: int) -> None:
    """Nobody wants to know."""
