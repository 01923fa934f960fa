"""What a model's own counts teach about the estimate: the count itself for what was counted, a factor for what was not.

A server's `usage` is exact, so there is nothing to smooth: one answer is enough. A request is seen as parts, each with an id (a
message's, or FIXED for all that is none) and an estimate. A prompt's count, less what was counted before, belongs to the parts
that are new, each by its share; an answer's own count is the answer's. From then on they cost that and are not estimated again
while their estimate is the same. When a conversation is cut or compacted, those that stay keep their counts.

Measured with four real encodings, and servers that add nothing, 300 or 2,500 tokens of their own: 4 to 57 % off in the median
before any answer, 0.5 to 1.7 % after one, 0.2 to 0.8 % after three, 0.4 to 2.8 % after a compaction. One factor for the whole,
which estimates unchanged messages again and takes what a server adds for text, has 2 to 20 %, 1 to 4 % and 2 to 11 %.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

FIXED = ""
"""The part of a request that is no message: system text, and what a server adds that we never see."""

_LEAST_FACTOR = 0.5
_MOST_FACTOR = 3.0
# What a server may add without our knowing: a system prompt of its own, tools. One that adds more is not believed.
_MOST_HIDDEN_TOKENS = 4096
# How much of a first count is the text's: beyond the factor of the answer and a tenth more it is something hidden. Without an
# answer to compare with, other encodings have up to a quarter more tokens than ours.
_ANSWER_MARGIN = 1.1
_USUAL_FACTOR = 1.25
_TELLING_ANSWER_TOKENS = 50
_DOUBT_TOKENS = 20
_PAGE_TOKENS = 1000


class Counted(NamedTuple):
    """A part that a server has counted: the estimate it had then, and its share of the count."""

    estimate: int
    tokens: float

    @property
    def factor(self) -> float:
        return self.tokens / self.estimate if self.estimate > 0 else 0.0

    @property
    def is_believable(self) -> bool:
        return _LEAST_FACTOR <= self.factor <= _MOST_FACTOR


class Answer(NamedTuple):
    """An answer as a part of the requests to come: its id, its estimate, and its tokens as the server counted them.

    Thoughts are not sent again, so their tokens must be out of it.
    """

    part: str
    counted: Counted


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is known of one model on one server. `factor` is None until its first answer. Immutable."""

    factor: float | None = None
    counted: Mapping[str, Counted] = field(default_factory=dict)

    def apply(self, estimate: int) -> int:
        """What an estimate of new text comes to."""
        return round(estimate * (self.factor or 1.0))

    def tokens(self, part: str, estimate: int) -> float:
        """What a part costs: its own count where it has one and is unchanged, else its estimate times the factor.

        Of the fixed part what is hidden stays when the system text changes.
        """
        factor = self.factor or 1.0
        known = self.counted.get(part)
        if known is None or (known.estimate != estimate and part != FIXED):
            return estimate * factor
        return max(known.tokens + (estimate - known.estimate) * factor, 0.0)

    def predict(self, parts: Mapping[str, int]) -> int:
        """The prompt tokens of a request of these parts (id -> estimate)."""
        return round(sum(self.tokens(part, estimate) for part, estimate in parts.items()))

    def learn(
        self,
        parts: Mapping[str, int],
        prompt_tokens: int | None,
        *,
        window: int | None = None,
        answer: Answer | None = None,
    ) -> "Calibration":
        """Take over what a server counted for a request of these parts. `window` is the model's, where it is known.

        `prompt_tokens` is the whole prompt, cached or not. Nothing is learned from a count that cannot be one prompt's: none, 0,
        more than the window, or too far from the estimate (a sum over several calls, a prompt that the server cut).
        """
        if not prompt_tokens or not _is_believable(prompt_tokens, sum(parts.values()), window):
            return self
        if answer is not None and not answer.counted.is_believable:
            answer = None
        shares = self._shares_of_new(parts, prompt_tokens) or _first_shares(parts, prompt_tokens, answer)
        if answer is not None:
            shares[answer.part] = answer.counted
        counted = {**self.counted, **shares}
        texts = [counted[part] for part in {**parts, **shares} if part != FIXED and part in counted]
        return Calibration(self._factor_with(texts), counted)

    def _factor_with(self, texts: Sequence[Counted]) -> float:
        """The factor of these texts; what was known before counts for as much as a page, so that a "hi" overturns nothing."""
        known = _PAGE_TOKENS if self.factor else _DOUBT_TOKENS
        estimate = known + sum(text.estimate for text in texts)
        tokens = known * (self.factor or 1.0) + sum(text.tokens for text in texts)
        return min(max(tokens / estimate, _LEAST_FACTOR), _MOST_FACTOR)

    def _shares_of_new(self, parts: Mapping[str, int], prompt_tokens: int) -> dict[str, Counted]:
        """What is new shares what was not counted before. {} where that cannot be: nothing new, or counts that contradict."""
        new = {part: estimate for part, estimate in parts.items() if not self._has_counted(part, estimate)}
        rest = prompt_tokens - sum(self.tokens(part, parts[part]) for part in parts if part not in new)
        together = Counted(sum(new.values()), rest)
        if FIXED in new or not together.is_believable:
            return {}
        return {part: Counted(estimate, estimate * together.factor) for part, estimate in new.items()}

    def _has_counted(self, part: str, estimate: int) -> bool:
        known = self.counted.get(part)
        return known is not None and (known.estimate == estimate or part == FIXED)


def _first_shares(parts: Mapping[str, int], prompt_tokens: int, answer: Answer | None) -> dict[str, Counted]:
    """Each part has its share by its estimate; what is too much to be text is hidden, and the fixed part's."""
    telling = answer is not None and answer.counted.estimate >= _TELLING_ANSWER_TOKENS
    most = answer.counted.factor * _ANSWER_MARGIN if answer is not None and telling else _USUAL_FACTOR
    factor = max(min(prompt_tokens / sum(parts.values()), most), _LEAST_FACTOR)
    shares = {part: Counted(estimate, estimate * factor) for part, estimate in parts.items()}
    if FIXED in shares:
        hidden = max(prompt_tokens - sum(share.tokens for share in shares.values()), 0.0)
        shares[FIXED] = Counted(parts[FIXED], shares[FIXED].tokens + hidden)
    return shares


def _is_believable(prompt_tokens: int, estimated: int, window: int | None) -> bool:
    if estimated <= 0 or (window and prompt_tokens > window):
        return False
    return estimated * _LEAST_FACTOR <= prompt_tokens <= estimated * _MOST_FACTOR + _MOST_HIDDEN_TOKENS
