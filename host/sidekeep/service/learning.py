"""What refusals and answers teach about a model on a server, for the requests after them.

All of it is kept in the store: a window that an error states (windows.py), what was refused without a number (refusals.py), and
what a server counts (calibrations.py).
"""

from dataclasses import replace

from sidekeep.domain.chat import SessionId
from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.llm.types import UsageReport
from sidekeep.request.attempt import Attempt
from sidekeep.request.build import Report, Turn
from sidekeep.request.calibration import Answer
from sidekeep.request.overflow import Verdict
from sidekeep.service.calibrations import Calibrations
from sidekeep.service.refusals import Refusals
from sidekeep.service.windows import Windows

# A smaller figure is no window: a number that was read wrong, or a server that is set up wrong.
LEAST_WINDOW_TOKENS = 256


class Learning:
    """What this host knows of models. Its calls read and write the store: they belong on a thread."""

    def __init__(self, windows: Windows, refusals: Refusals, calibrations: Calibrations) -> None:
        self._windows = windows
        self._refusals = refusals
        self._calibrations = calibrations

    def known(self, scope: Scope, provider: Provider, session_id: SessionId) -> Turn:
        """What is known of the model and of a conversation's messages, for its next request."""
        most = self._refusals.most(scope, provider)
        turn = Turn(
            window=self._windows.of(scope, provider),
            max_input_tokens=most.tokens,
            max_images=most.images,
            calibration=self._calibrations.of(scope, provider, session_id),
        )
        return turn if most.bytes is None else replace(turn, max_bytes=min(turn.max_bytes, most.bytes))

    def knows_window(self, scope: Scope, provider: Provider) -> bool:
        """Whether anybody has said how large the model's window is."""
        return self._windows.of(scope, provider).source != "default"

    def refused(self, scope: Scope, provider: Provider, report: Report, verdict: Verdict) -> None:
        """A request was refused with that verdict. A rate or a number of bytes is no window: those state no tokens."""
        if verdict.limit_tokens is not None and verdict.limit_tokens >= LEAST_WINDOW_TOKENS:
            self._windows.refused(scope, provider, verdict.limit_tokens)
        else:
            self._refusals.refused(scope, provider, verdict.kind, report)

    def answered(self, scope: Scope, provider: Provider, report: Report, prompt_tokens: int | None) -> None:
        """A request of that size was answered; `prompt_tokens` is the server's own count, where it gave one."""
        self._refusals.taken(scope, provider, report)
        if prompt_tokens is not None:
            self._windows.answered(scope, provider, prompt_tokens)

    def counted(
        self, scope: Scope, session_id: SessionId, attempt: Attempt, usage: UsageReport, answer: Answer | None
    ) -> None:
        """A server told what a request took; `answer` is what came of it, where its count is its text's alone.

        An agent's count is of its own transcript, so it teaches nothing.
        """
        if attempt.provider.agent:
            return
        report, before = attempt.report, attempt.turn.calibration
        window = None if report.window_source == "default" else report.window_tokens
        learned = before.learn(attempt.request.estimates, usage.prompt_tokens, window=window, answer=answer)
        self._calibrations.keep(scope, attempt.provider, session_id, before, learned)
