"""What refusals and answers teach about a model on a server, for the requests after them.

A window that an error states is kept for provider, model and base URL. A refusal that states none is remembered by this
process alone: what was too much once is not sent again, and an answer to as much takes that back.
"""

from dataclasses import replace

from sidekeep.domain.providers import Provider
from sidekeep.request.build import Report, Turn
from sidekeep.request.overflow import Verdict
from sidekeep.request.rescue import BLIND_PERCENT
from sidekeep.request.windows import Window, window_of

# A smaller figure is no window: a number that was read wrong, or a server that is set up wrong.
LEAST_WINDOW_TOKENS = 256

# A refusal of less, without a number, says nothing of a window: to send still less would be to send nothing.
LEAST_TOO_MUCH_TOKENS = 2_048

# The kind of provider, its base URL, the model.
ModelKey = tuple[str, str, str]


class Learning:
    """What this host knows of models beyond what is written in their settings."""

    def __init__(self) -> None:
        self._windows: dict[ModelKey, int] = {}
        self._too_much: dict[ModelKey, int] = {}

    def window(self, provider: Provider) -> Window:
        """The window of the provider's model."""
        return window_of(provider, learned=self._windows.get(_key(provider)))

    def known(self, provider: Provider) -> Turn:
        """What is known of the model, for its next request."""
        key = _key(provider)
        turn = Turn(window=self.window(provider))
        if (too_much := self._too_much.get(key)) is not None:
            turn = replace(turn, max_input_tokens=too_much * BLIND_PERCENT // 100)
        return turn

    def refused(self, provider: Provider, report: Report, verdict: Verdict) -> None:
        """A request was too large. Never to be told of rates, bytes or pictures: a verdict on those has no limit."""
        key = _key(provider)
        if verdict.limit_tokens is not None and verdict.limit_tokens >= LEAST_WINDOW_TOKENS:
            self._windows[key] = verdict.limit_tokens
        elif verdict.kind == "overflow" and report.estimated_tokens >= LEAST_TOO_MUCH_TOKENS:
            self._too_much[key] = min(report.estimated_tokens, self._too_much.get(key, report.estimated_tokens))

    def answered(self, provider: Provider, report: Report) -> None:
        """A request of that size was answered."""
        key = _key(provider)
        if report.estimated_tokens >= self._too_much.get(key, report.estimated_tokens + 1):
            del self._too_much[key]


def _key(provider: Provider) -> ModelKey:
    return provider.kind, provider.base_url, provider.model
