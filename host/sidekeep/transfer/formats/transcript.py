"""JSONL transcripts of the file era (pi, OpenClaw): a line `{"type":"session", …}`, then one entry a line.

Entries form a tree by `parentId`; the last line is the current leaf. Only what the lines say counts: a file's name means nothing.
A `compaction` has a summary that stands for what was said before `firstKeptEntryId`; in the first version of the format, whose
entries had no ids, before the line `firstKeptEntryIndex`, counted from the header as 0.
"""

import codecs
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from sidekeep.domain.compaction import summary_text
from sidekeep.errors import Unreadable
from sidekeep.transfer import content, json_text
from sidekeep.transfer.assembly import Row, shown
from sidekeep.transfer.conversation import Conversation, Message, Part
from sidekeep.transfer.tree import Node
from sidekeep.transfer.values import Fields, Foreign, Time, Whole, Words, milliseconds, parsed

SOURCE = "transcript"


class _Header(Foreign):
    id: str
    timestamp: Time = None


class _Entry(Foreign):
    type: Words = ""
    id: Words = ""
    parentId: Words = ""
    timestamp: Time = None
    message: Fields = {}
    summary: Words = ""
    firstKeptEntryId: Words = ""
    firstKeptEntryIndex: Whole = None


def is_header(line: bytes) -> bool:
    """Whether a file that begins with this line is a transcript."""
    try:
        found = orjson.loads(line.removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError:
        return False
    return isinstance(found, dict) and found.get("type") == "session" and isinstance(found.get("id"), str)


def read(lines: Iterable[bytes], companions: Mapping[str, str]) -> Conversation:
    """The conversation. `companions` are the texts of the files beside it, by their kind, kept as they are. Raises Unreadable."""
    records = [json_text.cleaned(_record(number, line)) for number, line in enumerate(lines, start=1) if line.strip()]
    header = parsed(_Header, records[0])
    rows: list[Row] = []
    for number, raw in enumerate(records[1:], start=2):
        rows.append(_row(number, parsed(_Entry, raw), raw, rows))
    result = shown(rows, rows[-1].node.id if rows else "")
    times = [row.node.at_ms for row in rows if row.node.at_ms is not None]
    kept = [records[0], *result.kept, *({"companion": kind, "text": text} for kind, text in companions.items())]
    return Conversation(
        SOURCE,
        header.id,
        result.messages,
        created_at_ms=header.timestamp if header.timestamp is not None else min(times, default=None),
        updated_at_ms=max(times, default=header.timestamp),
        branches=result.branches,
        kept=tuple(kept),
    )


def _record(number: int, line: bytes) -> Any:
    text = line.decode("utf-8", "replace").encode()
    try:
        found = next(json_text.lines_value(text))
    except (Unreadable, StopIteration) as exc:
        raise Unreadable(f"Line {number} is no valid JSON.") from exc
    if not isinstance(found, dict):
        raise Unreadable(f"Line {number} is no JSON object.")
    return found


def _row(number: int, entry: _Entry, raw: Mapping[str, Any], before: Sequence[Row]) -> Row:
    # Transcripts from before there were trees have no links: each line follows the one before.
    parent = entry.parentId if "parentId" in raw else before[-1].node.id if before else ""
    node = Node(entry.id or f"line-{number}", parent, at_ms=entry.timestamp)
    summary = entry.summary.strip()
    if entry.type == "compaction" and summary:
        said = Message(node.id, "user", content.texts(summary_text(summary)), entry.timestamp)
        return Row(node, (said,), kept=dict(raw), first_kept=_first_kept(entry, before))
    message = _message(node, entry.message) if entry.type == "message" else None
    if message is None:
        return Row(node, kept=dict(raw))
    return Row(node, (message,), kept=None if _is_plain(entry.message) else dict(raw))


def _first_kept(entry: _Entry, before: Sequence[Row]) -> str:
    """The entry from which on a compaction keeps what was said; "" where it names none."""
    index = entry.firstKeptEntryIndex
    if not entry.firstKeptEntryId and index is not None and 0 < index <= len(before):
        return before[index - 1].node.id
    return entry.firstKeptEntryId


def _message(node: Node, message: Mapping[str, Any]) -> Message | None:
    """What is shown of a message entry; None for a tool's result and an empty one."""
    role = message.get("role")
    if role not in ("user", "assistant", "system"):
        return None
    parts, reasoning = _content(message.get("content"))
    model = message.get("model")
    extra = {
        name: each for name, each in (("model", model), ("reasoning", reasoning)) if isinstance(each, str) and each
    }
    at_ms = node.at_ms if node.at_ms is not None else milliseconds(message.get("timestamp"))
    return Message(node.id, role, content.joined(parts), at_ms, extra) if parts or reasoning else None


def _content(value: Any) -> tuple[list[Part], str]:
    if isinstance(value, str):
        return list(content.texts(value)), ""
    parts: list[Part] = []
    reasoning: list[str] = []
    for part in value if isinstance(value, list) else ():
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("text"), str):
            parts += content.texts(part["text"])
        elif isinstance(part.get("thinking"), str):
            reasoning.append(part["thinking"])
        elif part.get("type") in ("image", "image_url"):
            parts.append(_image(part))
    return parts, "\n\n".join(reasoning)


def _image(part: Mapping[str, Any]) -> Part:
    """pi keeps `{"type":"image","data":base64,"mimeType"}`."""
    data, mime = part.get("data"), part.get("mimeType")
    if isinstance(data, str) and isinstance(mime, str) and mime.startswith("image/"):
        return content.image(f"data:{mime};base64,{data}")
    image = part.get("image_url")
    return content.image(image.get("url") if isinstance(image, dict) else image)


def _is_plain(message: Mapping[str, Any]) -> bool:
    """Whether nothing but text is in a message, so that the chat has all of it."""
    value = message.get("content")
    return isinstance(value, str) or (
        isinstance(value, list)
        and all(isinstance(part, dict) and part.get("type") in ("text", "image") for part in value)
    )
