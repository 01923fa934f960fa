"""Notices that a server cut the request without a word, by the tokens it says it read."""

from typing import Protocol

from sidekeep.request.overflow.verdict import Verdict


class TokenUsage(Protocol):
    """What a server counted; the prompt's count includes its cached part."""

    @property
    def prompt_tokens(self) -> int: ...

    @property
    def completion_tokens(self) -> int: ...


# An estimate is off by a factor of two at the worst (research of tokenizers), and seldom by a fifth where a count is one
# that only a cut gives. Below a thousand tokens a chat template weighs too much to tell.
_FAR_UNDER = 0.5
_CLEARLY_MORE = 1.2
_MIN_ESTIMATE_TOKENS = 1000


def check_usage(estimated: int, usage: TokenUsage | int | None, window: int | None) -> Verdict | None:
    """An overflow verdict where an answer's usage shows that the prompt was cut, None where it does not.

    `estimated` and `window` are tokens, the window as far as it is known; `usage` may be the prompt's count alone. Signs of it:
    the prompt fills the window, or half of it plus two (Ollama), while more was sent; no word was answered in a window that is
    full (Xiaomi MiMo, old vLLM); far fewer tokens were read than sent, in a window smaller than we knew. A server that
    counted more than the window holds (z.ai) has cut nothing, but its window is full.
    """
    read, written = (usage, None) if isinstance(usage, int) or usage is None else _counts(usage)
    if not read or read < 0:
        return None
    if window and read + (written or 0) > window:
        return _cut(window, max(estimated, read), "usage above the window")
    if window and read >= 0.99 * window and written == 0:
        return _cut(window, max(estimated, read), "a full window and no answer")
    if window and estimated > _CLEARLY_MORE * read and read in (window, window // 2 + 2):
        return _cut(window, estimated, "usage at the window's edge")
    if estimated >= _MIN_ESTIMATE_TOKENS and read < _FAR_UNDER * estimated:
        return _cut(None, estimated, "usage far under the estimate")
    return None


def _counts(usage: TokenUsage) -> tuple[int, int]:
    return usage.prompt_tokens, usage.completion_tokens


def _cut(limit: int | None, requested: int, evidence: str) -> Verdict:
    return Verdict("overflow", limit, requested, requested, evidence=evidence)
