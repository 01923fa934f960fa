"""When nothing can be asked: which part is too large, and what to do."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sidekeep.errors import RequestRefused
from sidekeep.request.limits import Size
from sidekeep.request.view import Entry, Image

Measure = Callable[[Entry], Size]


def check(entries: Sequence[Entry], sizes: Sequence[Size], limit: Size, fixed: Size) -> None:
    """Refuse what no shortening can help: no room, no question, instructions that fill it. Raises RequestRefused."""
    if limit.tokens <= 0:
        raise RequestRefused(
            "The model's window leaves no room for a question beside its answer. Choose a model with a larger window, or ask "
            "for shorter answers.",
            reason="no_budget",
        )
    if not any(entry.role == "user" for entry in entries):
        raise RequestRefused("There is no question to send. Write one first.", reason="nothing_to_send")
    instructions = fixed
    for entry, size in zip(entries, sizes, strict=True):
        if entry.role == "system":
            instructions = instructions.plus(size)
    if not instructions.fits(limit):
        raise RequestRefused(
            f"The system prompt and instructions alone are too large for the model: {_sizes(instructions, limit)}. "
            "Shorten them, or choose a model with a larger window.",
            reason="fixed_part_too_large",
            part="system",
        )


def too_large(entries: Sequence[Entry], measure: Measure, limit: Size, fixed: Size) -> RequestRefused:
    """The refusal for what is left when everything has given way."""
    total = fixed
    for entry in entries:
        total = total.plus(measure(entry))
    without = sum((measure(_without_images(entry)).tokens for entry in entries), fixed.tokens)
    if sum(entry.images for entry in entries) and total.tokens - without > without:
        return RequestRefused(
            f"The pictures are too large for the model: {_sizes(total, limit)}. Send fewer or smaller ones, or choose a model "
            "with a larger window.",
            reason="does_not_fit",
            part="images",
        )
    return RequestRefused(
        f"The newest question is too large for the model: {_sizes(total, limit)}. Shorten it, or choose a model with a larger "
        "window.",
        reason="does_not_fit",
        part="question",
    )


def _sizes(size: Size, limit: Size) -> str:
    if size.tokens > limit.tokens:
        return f"about {size.tokens} tokens, and there is room for {limit.tokens}"
    return f"about {size.bytes} bytes, and {limit.bytes} can be sent"


def _without_images(entry: Entry) -> Entry:
    return replace(entry, parts=tuple(part for part in entry.parts if not isinstance(part, Image)))
