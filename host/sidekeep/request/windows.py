"""How large a model's context window is, and who says so."""

from typing import Literal, NamedTuple

from sidekeep.domain.providers import Provider
from sidekeep.request.model_registry import facts_of

DEFAULT_WINDOW_TOKENS = 8192
"""For a model nobody knows: what small local models run with. An error or the person teaches better."""

Source = Literal["user", "learned", "server", "registry", "default"]


class Window(NamedTuple):
    """A window in tokens, with its source (docs/protocol.md, REPORT.windowSource)."""

    tokens: int
    source: Source


def window_of(provider: Provider, *, learned: int | None = None, server: int | None = None) -> Window:
    """The window of the provider's model.

    The person's own figure wins over all: a wrong list must not overrule who knows. Then `learned`, what an error of this server
    taught; then `server`, what it tells of itself; then the list; else a stated default. 0 and less mean that nobody said.
    """
    if provider.window:
        return Window(provider.window, "user")
    if learned and learned > 0:
        return Window(learned, "learned")
    if server and server > 0:
        return Window(server, "server")
    facts = facts_of(provider)
    if facts is not None and facts.window:
        return Window(facts.window, "registry")
    return Window(DEFAULT_WINDOW_TOKENS, "default")
