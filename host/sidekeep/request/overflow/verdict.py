"""What a provider's error is, as far as its size is concerned."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

# overflow_completion: the prompt fits, only the room asked for the answer must shrink. payload_bytes: too many bytes,
# whatever the tokens. images: one picture too large, or too many. quota: money or entitlement. other: none of these.
Kind: TypeAlias = Literal[
    "overflow",
    "overflow_completion",
    "payload_bytes",
    "images",
    "rate_limit",
    "quota",
    "auth",
    "content_filter",
    "other",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judged error. The numbers are tokens as the server stated them, None where it did not.

    They are set for the two overflow kinds only: what else an error counts (a rate, bytes, credits) is never a window.
    `requested_tokens` is prompt and completion together, or the prompt where nothing else was counted. `evidence` names
    the rule that decided and holds nothing of the answer's text.
    """

    kind: Kind
    limit_tokens: int | None = None
    requested_tokens: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    evidence: str = ""

    @property
    def is_overflow(self) -> bool:
        return self.kind in ("overflow", "overflow_completion")
