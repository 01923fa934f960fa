"""What refusals and answers teach about a model on a server, for the requests after them.

A window that an error states is kept in the store (service/windows.py). A refusal that states none is remembered by this process
alone: what was too much once is not sent again, and an answer to as much takes that back.
"""

from dataclasses import replace

from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.request.build import Report, Turn
from sidekeep.request.overflow import Verdict
from sidekeep.request.rescue import BLIND_PERCENT
from sidekeep.service.windows import Windows, key_of
from sidekeep.store.model_facts import ModelKey

# A smaller figure is no window: a number that was read wrong, or a server that is set up wrong.
LEAST_WINDOW_TOKENS = 256

# A refusal of less, without a number, says nothing of a window: to send still less would be to send nothing.
LEAST_TOO_MUCH_TOKENS = 2_048


class Learning:
    """What this host knows of models. Its calls read and write the store: they belong on a thread."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._too_much: dict[ModelKey, int] = {}

    def known(self, scope: Scope, provider: Provider) -> Turn:
        """What is known of the model, for its next request."""
        turn = Turn(window=self._windows.of(scope, provider))
        too_much = self._too_much.get(key_of(scope, provider))
        return turn if too_much is None else replace(turn, max_input_tokens=too_much * BLIND_PERCENT // 100)

    def refused(self, scope: Scope, provider: Provider, report: Report, verdict: Verdict) -> None:
        """A request was too large. A verdict on rates, bytes or pictures has no number, and is not told here."""
        if verdict.limit_tokens is not None and verdict.limit_tokens >= LEAST_WINDOW_TOKENS:
            self._windows.refused(scope, provider, verdict.limit_tokens)
        elif verdict.kind == "overflow" and report.estimated_tokens >= LEAST_TOO_MUCH_TOKENS:
            key = key_of(scope, provider)
            self._too_much[key] = min(report.estimated_tokens, self._too_much.get(key, report.estimated_tokens))

    def answered(self, scope: Scope, provider: Provider, report: Report, prompt_tokens: int | None) -> None:
        """A request of that size was answered; `prompt_tokens` is the server's own count, where it gave one."""
        key = key_of(scope, provider)
        if report.estimated_tokens >= self._too_much.get(key, report.estimated_tokens + 1):
            del self._too_much[key]
        if prompt_tokens is not None:
            self._windows.answered(scope, provider, prompt_tokens)
