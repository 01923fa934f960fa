"""What refusals and answers teach about a model on a server, for the requests after them.

A window that an error states, and what a server counts, are kept in the store (windows.py, calibrations.py). A refusal that
states no window is remembered by this process alone: what was too much once is not sent again, and an answer to as much
takes that back.
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
from sidekeep.request.rescue import BLIND_PERCENT
from sidekeep.service.calibrations import Calibrations
from sidekeep.service.windows import Windows, key_of
from sidekeep.store.model_facts import ModelKey

# A smaller figure is no window: a number that was read wrong, or a server that is set up wrong.
LEAST_WINDOW_TOKENS = 256

# A refusal of less, without a number, says nothing of a limit: to send still less would be to send nothing.
LEAST_TOO_MUCH_TOKENS = 2_048
LEAST_TOO_MANY_BYTES = 262_144


class _TooMuch:
    """What was refused without a number, by model: nothing as large is sent again until something as large was taken."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._sizes: dict[ModelKey, int] = {}

    def refused(self, key: ModelKey, size: int) -> None:
        if size >= self._least:
            self._sizes[key] = min(size, self._sizes.get(key, size))

    def taken(self, key: ModelKey, size: int) -> None:
        if key in self._sizes and size >= self._sizes[key]:
            del self._sizes[key]

    def most(self, key: ModelKey) -> int | None:
        """The most to send; None where nothing was refused."""
        return self._sizes[key] * BLIND_PERCENT // 100 if key in self._sizes else None


class Learning:
    """What this host knows of models. Its calls read and write the store: they belong on a thread."""

    def __init__(self, windows: Windows, calibrations: Calibrations) -> None:
        self._windows = windows
        self._calibrations = calibrations
        self._tokens = _TooMuch(LEAST_TOO_MUCH_TOKENS)
        self._bytes = _TooMuch(LEAST_TOO_MANY_BYTES)

    def known(self, scope: Scope, provider: Provider, session_id: SessionId) -> Turn:
        """What is known of the model and of a conversation's messages, for its next request."""
        calibration = self._calibrations.of(scope, provider, session_id)
        key = key_of(scope, provider)
        turn = Turn(
            window=self._windows.of(scope, provider), max_input_tokens=self._tokens.most(key), calibration=calibration
        )
        most = self._bytes.most(key)
        return turn if most is None else replace(turn, max_bytes=min(turn.max_bytes, most))

    def knows_window(self, scope: Scope, provider: Provider) -> bool:
        """Whether anybody has said how large the model's window is."""
        return self._windows.of(scope, provider).source != "default"

    def refused(self, scope: Scope, provider: Provider, report: Report, verdict: Verdict) -> None:
        """A request was refused with that verdict. A rate or a number of bytes is no window: those state no tokens."""
        if verdict.limit_tokens is not None and verdict.limit_tokens >= LEAST_WINDOW_TOKENS:
            self._windows.refused(scope, provider, verdict.limit_tokens)
        elif verdict.kind == "overflow":
            self._tokens.refused(key_of(scope, provider), report.estimated_tokens)
        elif verdict.kind == "payload_bytes":
            self._bytes.refused(key_of(scope, provider), report.bytes)

    def answered(self, scope: Scope, provider: Provider, report: Report, prompt_tokens: int | None) -> None:
        """A request of that size was answered; `prompt_tokens` is the server's own count, where it gave one."""
        key = key_of(scope, provider)
        self._tokens.taken(key, report.estimated_tokens)
        self._bytes.taken(key, report.bytes)
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
