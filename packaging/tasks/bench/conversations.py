"""Conversations to measure with: 300 messages and 8 MB of pictures, or chats of 1 MB. The same at every run."""

import random
import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from tasks.bench.corpus import Corpus

MESSAGES = 300
PICTURES = 30
CHAT_MESSAGES = 100
CHAT_BYTES = 1_000_000
EMOJI = "🎉"

Message = dict[str, Any]


def conversation(messages: int = MESSAGES, pictures: int = PICTURES) -> list[Message]:
    """Questions and answers of about 400 characters, some with emoji in them; every tenth has a screenshot of 200 KB."""
    rolls = random.Random(messages)  # noqa: S311  nothing secret
    every = max(1, messages // max(1, pictures))
    return [
        _message(
            number, text + EMOJI * (number % 7 == 0), _screenshot(rolls) if number % every == 0 and pictures else ""
        )
        for number, text in enumerate(Corpus().messages(messages))
    ]


def chats(count: int, *, size: int = CHAT_BYTES, messages: int = CHAT_MESSAGES) -> Iterator[list[Message]]:
    """`count` chats of `size` bytes each: text, and one picture that makes up the rest."""
    rolls = random.Random(count)  # noqa: S311
    corpus = Corpus(seed=2)
    for _ in range(count):
        texts = list(corpus.messages(messages))
        left = size - sum(len(text.encode()) + 80 for text in texts)
        picture = _data_url(_noise(rolls, 400, max(1, left * 3 // 4 // 1200)))
        yield [_message(number, text, "" if number else picture) for number, text in enumerate(texts)]


def word() -> str:
    """A word that stands in some of the chats."""
    return Corpus(seed=2).latin[2_000]


def _message(number: int, text: str, picture: str) -> Message:
    parts = [{"text": text, "type": "text"}, {"image_url": {"url": picture}, "type": "image_url"}]
    content = parts if picture else text
    return {"content": content, "createdAt": number, "id": f"m{number}", "role": "assistant" if number % 2 else "user"}


def _screenshot(rolls: random.Random) -> str:
    """A picture of 1000 x 700, most of it smooth, a corner of it so busy that the file has the size wanted."""
    width, height, busy = 1000, 700, 234
    smooth = [bytes((40 + column * 200 // width,)) * 3 for column in range(width)]
    plain = b"\0" + b"".join(smooth)
    rows = [b"\0" + rolls.randbytes(3 * busy) + plain[1 + 3 * busy :] for _ in range(busy)]
    return _data_url(_png(width, height, b"".join(rows) + plain * (height - busy)))


def _noise(rolls: random.Random, width: int, height: int) -> bytes:
    return _png(width, height, b"".join(b"\0" + rolls.randbytes(3 * width) for _ in range(height)))


def _png(width: int, height: int, rows: bytes) -> bytes:
    """A PNG file of 8-bit RGB rows, each after its filter's byte (0: none)."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _data_url(picture: bytes) -> str:
    return "data:image/png;base64," + b64encode(picture).decode()
