"""What `build` measures, in a process of its own: prints {name: [samples]} as JSON. Usage: build_work.py RUNS FOLDER.

Leaves the chats in FOLDER for the other programs: as an array with its pixels, and with words in the pictures' places.
"""

import hashlib
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from sidekeep.domain.message import MessageId, StoredMessage
from sidekeep.domain.pixels import Cut
from sidekeep.domain.providers import Provider
from sidekeep.request.build import Conversation, RequestSettings, Turn, build
from sidekeep.request.dialect import openai_chat
from sidekeep.request.measure import text_tokens
from sidekeep.request.view import Entry, Image, view

SERVER = Provider("bench", "openai-chat", "http://127.0.0.1:9/v1", "gpt-4o", window=32_000)
SETTINGS = RequestSettings("You are a helpful assistant.")
WORDS = [
    "the",
    "memory",
    "of",
    "a",
    "panel",
    "outside",
    "browser,",
    "which",
    "keeps",
    "every",
    "conversation",
    "on",
    "disk.",
]
PICTURE_BYTES = 200_000
PIXELS = b"data:image/png;base64," + b"A" * (PICTURE_BYTES * 4 // 3)


def main(runs: int, folder: Path) -> None:
    small, large = _rows(300, pictures=30, pages=14), _rows(2_000, pictures=40, pages=99)
    array = _as_one_array(small)
    for rows in (small, large):
        (folder / f"{len(rows)}.json").write_bytes(_as_one_array(rows))
        (folder / f"{len(rows)}-labels.json").write_bytes(orjson.dumps(list(map(_labelled, rows))))
    samples = {"array of 300, parsed, written": _timed(lambda: orjson.dumps(orjson.loads(array)), runs)}
    for count, rows in (("300", small), ("2,000", large)):
        conversation = _conversation(rows)
        _, report = build(conversation, Turn(), SERVER, SETTINGS)
        next_one = Conversation(conversation.entries, report.cut)
        anew, then = (partial(build, said, Turn(), SERVER, SETTINGS) for said in (conversation, next_one))
        samples[f"{count}: rows to entries"] = _timed(partial(view, rows, _known(rows)), runs)
        samples[f"{count}: rows to request"] = _timed(partial(_whole, rows, _known(rows), _tokens(rows)), runs)
        samples[f"{count}: build, all anew"] = _timed(anew, runs)
        samples[f"{count}: build, the next turn"] = _timed(then, runs)
        samples[f"{count}: build, memory"] = [_peak_mb(anew) for _ in range(runs)]
    sys.stdout.buffer.write(orjson.dumps(samples))


def _rows(count: int, *, pictures: int, pages: int) -> list[StoredMessage]:
    """A chat as the store has it: questions and answers, pages of 25,000 characters, pictures cut out of their messages."""
    rolls = random.Random(count)  # noqa: S311  # the same chat each time
    pages_at = {2 * (n * count // pages // 2) for n in range(pages)}
    pictures_at = {2 * (n * count // pictures // 2) for n in range(pictures)}
    rows = []
    for number in range(count):
        role = "assistant" if number % 2 else "user"
        message: dict[str, Any] = {"content": _text(rolls, rolls.choice([200, 600, 1_500]))}
        if number in pages_at:
            header = (
                f"[Page context attached by sidekeep]\nURL: https://example.org/{number}\nTitle: T\nMode: full\n---\n\n"
            )
            message = {"attachId": f"a{number}", "content": header + _text(rolls, 25_000)}
        if number in pictures_at:
            picture = {"type": "image_url", "image_url": {"url": ""}}
            message["content"] = [{"type": "text", "text": message["content"]}, picture]
            message["imagesSeen"] = number < count - 20
        body = orjson.dumps({**message, "createdAt": number, "id": f"m{number}", "role": role})
        rows.append(_row(number, role, message.get("attachId"), body, has_picture=number in pictures_at))
    return rows


def _row(number: int, role: str, attach_id: str | None, body: bytes, *, has_picture: bool) -> StoredMessage:
    sha256 = hashlib.sha256(b"%d" % number).digest()
    cuts = (Cut(body.index(b'"url":"') + 7, sha256, "data:image/png;base64,"),) if has_picture else ()
    return StoredMessage(
        MessageId(f"m{number}"), role, number, attach_id, len(body), len(body), body, cuts, message_pk=number
    )


def _text(rolls: random.Random, length: int) -> str:
    return " ".join(rolls.choices(WORDS, k=length // 4))


def _known(rows: list[StoredMessage]) -> dict[bytes, Image]:
    return {
        cut.sha256: Image(cut.sha256, width=1200, height=800, size=PICTURE_BYTES, thumbnail_size=20_000)
        for row in rows
        for cut in row.cuts
    }


def _conversation(rows: list[StoredMessage]) -> Conversation:
    """With the estimates that the store keeps beside the messages."""
    return Conversation(tuple(_estimated(entry) for entry in view(rows, _known(rows))))


def _estimated(entry: Entry) -> Entry:
    return replace(entry, tokens=text_tokens(entry))


def _whole(rows: list[StoredMessage], known: dict[bytes, Image], tokens: dict[int, int]) -> object:
    """From what the store has to what is sent; `tokens` are the estimates that it keeps beside the messages."""
    request, _ = build(Conversation(tuple(view(rows, known, tokens))), Turn(), SERVER, SETTINGS)
    return openai_chat.write(request, dict.fromkeys(request.pictures, PIXELS))


def _tokens(rows: list[StoredMessage]) -> dict[int, int]:
    return {row.message_pk: text_tokens(view([row], _known([row]))[0]) for row in rows}


def _labelled(row: StoredMessage) -> dict[str, Any]:
    """The role and the text of a message, a word in each picture's place."""
    message = orjson.loads(row.body)
    content = message["content"]
    if not isinstance(content, str):
        content = "\n".join(part.get("text", "[image]") for part in content)
    return {"role": message["role"], "content": content}


def _as_one_array(rows: list[StoredMessage]) -> bytes:
    """The way of an extension that keeps its chat in one value, pixels and all."""
    return b"[%s]" % b",".join(row.body.replace(b'"url":""', b'"url":"%s"' % PIXELS) for row in rows)


def _timed(work: Callable[[], object], runs: int) -> list[float]:
    samples = []
    for _ in range(runs + 1):
        started = time.perf_counter()
        work()
        samples.append((time.perf_counter() - started) * 1000)
    return samples[1:]


def _peak_mb(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
