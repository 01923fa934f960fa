"""What a request may not exceed: tokens, bytes of the body, pictures."""

from typing import NamedTuple

MAX_BODY_BYTES = 24 * 1024 * 1024

# For an answer whose length nobody set, and for what the estimate gets wrong: an eighth of the window, within these.
_LEAST_RESERVE_TOKENS = 4_096
_MOST_RESERVE_TOKENS = 32_768


class Size(NamedTuple):
    """What something costs: tokens, and bytes of the body."""

    tokens: int
    bytes: int

    def plus(self, other: "Size") -> "Size":
        return Size(self.tokens + other.tokens, self.bytes + other.bytes)

    def minus(self, other: "Size") -> "Size":
        return Size(self.tokens - other.tokens, self.bytes - other.bytes)

    def fits(self, limit: "Size") -> bool:
        return self.tokens <= limit.tokens and self.bytes <= limit.bytes

    def share(self, percent: int) -> "Size":
        return Size(self.tokens * percent // 100, self.bytes * percent // 100)


def answer_tokens(window: int, max_output: int | None) -> int:
    """How long an answer to ask for. Nothing, 0 and less mean that nobody said; more than half of the window is lowered to
    it, because registries give models an output as large as their window.
    """
    return min(max_output, window // 2) if max_output is not None and max_output > 0 else 0


def reserve_tokens(window: int) -> int:
    return min(max(window // 8, _LEAST_RESERVE_TOKENS), _MOST_RESERVE_TOKENS)


def room(window: int, max_output: int | None, reserve: int, max_input: int | None = None) -> int:
    """Tokens for what is asked: the window less the answer less a reserve, which is at most a quarter of the window; where a
    model's input has a limit of its own, that.
    """
    if max_input:
        return min(window, max_input)
    return window - answer_tokens(window, max_output) - min(reserve, window // 4)
