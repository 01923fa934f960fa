"""Takes an error's texts out of what clients, proxies and relays wrapped them in.

An error arrives as JSON, as JSON in a string in JSON (to four levels), in an array, as a Python repr, after a prefix, in
an SSE frame, as HTML, or cut in the middle. Whatever can be parsed is; the rest is read as one text whose quoting is
undone. Members in which servers send the request back are left out: they hold people's words, not the server's.
"""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# An error is short. What is longer carries something back, and the server's own words stand at its ends.
_MAX_TEXT_CHARS = 16 * 1024
_MAX_CHARS = 64 * 1024  # of all texts together
_MAX_DEPTH = 40
_MAX_STARTS = 8  # places in a text at which JSON may begin

# Members that echo the request (FastAPI's `input`), and errors of earlier tries (OpenRouter).
_ECHOES = frozenset(("input", "inputs", "messages", "prompt", "contents", "previous_errors"))
# Members that hold an answer; of those only why it stopped is read, and an error.
_ANSWERS = frozenset(("choices", "candidates", "delta"))
_OF_ANSWERS = frozenset(("finish_reason", "finishreason", "native_finish_reason", "stop_reason", "error"))
# Members whose value is an identifier: read together with their name, so that a bare number says what it is.
_NAMED = frozenset(("code", "status", "status_code", "http_status", "statuscode", "type"))

_JSON = json.JSONDecoder(strict=False)  # reports of errors are re-wrapped: a line break inside a string is let through
_ESCAPED_CHAR = re.compile(r"(?<!\\)\\+u([0-9a-fA-F]{4})")
_ESCAPED_BYTES = re.compile(r"(?<!\\)(?:\\+x[0-9a-fA-F]{2})+")
_ESCAPED_SPACE = re.compile(r"(?<!\\)\\+[nrt]")
_GROUPED = re.compile(r"(?<![\d.,\[])(\d{1,3})((?:[,_’'\u00a0\u2009\u202f]\d{3})+)(?!\d|\.\d)")
_GROUPED_BY_DOTS = re.compile(r"(?<![\d.,])(\d{1,3})((?:\.\d{3})+)(?= ?tokens?\b)")


@dataclass(frozen=True, slots=True)
class Answer:
    """The texts of an error, in lower case and with single spaces, and the numbers that have a member of their own.

    Sentences come before identifiers (`code: rate_limit_exceeded`): they say more.
    """

    texts: tuple[str, ...]
    fields: dict[str, int]


def unwrap(body: str | bytes) -> Answer:
    """The texts and numeric members of an error answer. Never raises, whatever the bytes are."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    texts: list[str] = []
    identifiers: list[str] = []
    fields: dict[str, int] = {}
    room = _MAX_CHARS
    for name, value in _leaves("", text, 0):
        if isinstance(value, int) and 0 < value < 2**53:
            fields.setdefault(name, value)
        if name in _NAMED:
            identifiers.append(_plain(f"{name}: {value}"))
        elif isinstance(value, str) and (plain := _plain(value)):
            texts.append(plain)
        room -= len(value) if isinstance(value, str) else len(name)
        if room < 0:
            break
    return Answer((*texts, *identifiers), fields)


def _leaves(name: str, value: Any, depth: int) -> Iterator[tuple[str, str | int]]:
    """Every string and integer below `value`, with the name of the member it stands in."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        yield from _inside(name, value, depth)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key.lower() in _ANSWERS:
                yield from _of_answer(inner, depth + 1)
            elif key.lower() not in _ECHOES:
                yield from _leaves(key.lower(), inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(name, inner, depth + 1)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield name, value


def _of_answer(value: Any, depth: int) -> Iterator[tuple[str, str | int]]:
    """What is no word of the model's in an answer: stop reasons and errors, at any depth."""
    if depth > _MAX_DEPTH:
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if str(key).lower() in _OF_ANSWERS:
            yield from _leaves(str(key).lower(), inner, depth + 1)
        else:
            yield from _of_answer(inner, depth + 1)


def _inside(name: str, text: str, depth: int) -> Iterator[tuple[str, str | int]]:
    """A string, or what it holds where JSON stands in it: the text before, the leaves, the text behind."""
    stripped = text.strip()
    starts = [match.start() for match in re.finditer(r"^\"|[{\[]", stripped[: 4 * _MAX_TEXT_CHARS])]
    for start in starts[:_MAX_STARTS]:
        try:
            value, end = _JSON.raw_decode(stripped, start)
        except (ValueError, RecursionError):
            continue
        if _is_wrapper(value, whole=start == 0 and end == len(stripped)):
            if stripped[:start]:
                yield name, stripped[:start]
            yield from _leaves(name, value, depth + 1)
            if stripped[end:]:
                yield from _leaves(name, stripped[end:], depth + 1)
            return
    yield name, text


def _is_wrapper(value: Any, *, whole: bool) -> bool:
    """Whether JSON in a text wraps something; `[1, 6000]` and a quoted first word belong to their sentence."""
    if isinstance(value, str):
        return whole
    return isinstance(value, dict) or any(isinstance(inner, dict | str) for inner in value)


def _plain(text: str) -> str:
    """The text without escapes of any depth, in lower case, with single spaces and without separators in numbers."""
    if len(text) > _MAX_TEXT_CHARS:
        text = f"{text[: _MAX_TEXT_CHARS // 2]} {text[-_MAX_TEXT_CHARS // 2 :]}"
    if "\\" in text:
        text = _ESCAPED_CHAR.sub(lambda match: chr(int(match[1], 16)), text)
        text = _ESCAPED_BYTES.sub(_decoded, text)
        text = _ESCAPED_SPACE.sub(" ", text)
        text = text.replace("\\", "")
    if "&" in text:
        text = html.unescape(html.unescape(text))
    text = " ".join(_GROUPED.sub(_joined, text).lower().split())
    return _GROUPED_BY_DOTS.sub(_joined, text)


def _decoded(match: re.Match[str]) -> str:
    """The bytes of a Python repr, `\\xe8\\xbe\\x93`, as text."""
    return bytes.fromhex(re.sub(r"\\+x", "", match[0])).decode("utf-8", "replace")


def _joined(match: re.Match[str]) -> str:
    return match[1] + re.sub(r"\D", "", match[2])
