"""What an entry costs: tokens by estimate, bytes of the body."""

import math
from collections.abc import Callable, Sequence

import orjson

from sidekeep.domain.providers import Provider
from sidekeep.request.calibration import Calibration
from sidekeep.request.image_tokens import image_tokens
from sidekeep.request.limits import Size
from sidekeep.request.pictures import body_bytes
from sidekeep.request.tokens import MESSAGE_FRAME, estimate
from sidekeep.request.view import Entry, Image, Text

# Around a message in a body; and the most that one character can take there, as an escape (\u0001).
_WRAPPING_BYTES = 200
_CHARACTER_BYTES = 6

# A thumbnail's long edge, in pixels.
_THUMBNAIL_EDGE = 480


def text_tokens(entry: Entry) -> int:
    """Tokens of an entry's texts and of what it asks tools: what is kept beside its message."""
    texts = sum(estimate(part.text) for part in entry.parts if isinstance(part, Text))
    return texts + sum(estimate(call.name) + estimate(call.arguments) for call in entry.tool_calls)


def estimated(entry: Entry, provider: Provider) -> int:
    """Tokens of an entry by estimate, pictures by the provider's formula: what a model's own counts correct."""
    tokens = (text_tokens(entry) if entry.tokens is None else entry.tokens) + MESSAGE_FRAME
    for part in entry.parts:
        if isinstance(part, Image):
            tokens += image_tokens(provider.kind, provider.model, *_edges(part))
    return tokens


def measure_for(
    provider: Provider, calibration: Calibration, entries: Sequence[Entry], max_bytes: int
) -> Callable[[Entry], Size]:
    """How to measure entries for a model. Bytes are 0 while all of `entries` cannot come near `max_bytes`."""
    near = _most_bytes(entries) > max_bytes

    def measure(entry: Entry) -> Size:
        tokens = calibration.tokens(entry.message_id, estimated(entry, provider))
        return Size(math.ceil(tokens), _written_bytes(entry) if near else 0)

    return measure


def _most_bytes(entries: Sequence[Entry]) -> int:
    """An upper bound that costs little: every character an escape, in a string inside a string."""
    size = 0
    for entry in entries:
        size += 2 * (_WRAPPING_BYTES + entry.characters * _CHARACTER_BYTES) + _WRAPPING_BYTES * len(entry.tool_calls)
        for part in entry.parts:
            if isinstance(part, Image):
                size += body_bytes(part)
    return size


def _written_bytes(entry: Entry) -> int:
    size = _WRAPPING_BYTES
    for part in entry.parts:
        size += body_bytes(part) if isinstance(part, Image) else len(orjson.dumps(part.text))
    for call in entry.tool_calls:
        size += _WRAPPING_BYTES + 2 * len(orjson.dumps(call.arguments))  # JSON in a JSON string
    return size


def _edges(image: Image) -> tuple[int, int]:
    longest = max(image.width, image.height)
    if not image.thumbnail or longest <= _THUMBNAIL_EDGE:
        return image.width, image.height
    return max(1, image.width * _THUMBNAIL_EDGE // longest), max(1, image.height * _THUMBNAIL_EDGE // longest)
