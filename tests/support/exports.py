"""Export files of other programs, made for tests: any number of lean conversations in each format."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

SHARED_SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
SECONDS = 1_767_258_000


def question(number: int) -> str:
    return f"Question {number}?"


def answer(number: int) -> str:
    return f"Answer {number}."


def chatgpt(number: int) -> dict[str, Any]:
    said: tuple[tuple[str, str, str, str, list[str]], ...] = (
        ("u", "user", question(number), "", ["a"]),
        ("a", "assistant", answer(number), "u", []),
    )
    nodes = {
        name: {
            "id": name,
            "parent": parent or None,
            "children": children,
            "message": {
                "id": name,
                "author": {"role": role},
                "create_time": SECONDS + number,
                "content": {"content_type": "text", "parts": [text]},
                "recipient": "all",
            },
        }
        for name, role, text, parent, children in said
    }
    return {
        "id": f"c{number}",
        "title": f"Chat {number}",
        "create_time": SECONDS + number,
        "mapping": nodes,
        "current_node": "a",
    }


def claude(number: int) -> dict[str, Any]:
    said = (("human", question(number)), ("assistant", answer(number)))
    messages = [
        {"uuid": f"m{place}", "sender": sender, "content": [{"type": "text", "text": text}], "created_at": _iso(number)}
        for place, (sender, text) in enumerate(said)
    ]
    return {"uuid": f"c{number}", "name": f"Chat {number}", "created_at": _iso(number), "chat_messages": messages}


def pageassist(number: int) -> dict[str, Any]:
    at_ms = (SECONDS + number) * 1000
    return {
        "history": {"id": f"c{number}", "title": f"Chat {number}", "createdAt": at_ms},
        "messages": [
            {"id": "b", "role": "assistant", "content": answer(number), "createdAt": at_ms + 2, "images": []},
            {"id": "a", "role": "user", "content": question(number), "createdAt": at_ms + 1, "images": [""]},
        ],
    }


def chatgptbox(number: int) -> dict[str, Any]:
    return {
        "sessionId": f"c{number}",
        "createdAt": _iso(number),
        "updatedAt": _iso(number + 60),
        "question": question(number),
        "conversationRecords": [{"question": question(number), "answer": answer(number)}],
    }


def openwebui_legacy(number: int) -> dict[str, Any]:
    said = (
        {"id": "u", "parentId": None, "childrenIds": ["a"], "role": "user", "content": question(number)},
        {"id": "a", "parentId": "u", "childrenIds": [], "role": "assistant", "content": answer(number)},
    )
    return {
        "title": f"Chat {number}",
        "history": {"currentId": "a", "messages": {message["id"]: message for message in said}},
    }


def openwebui(number: int) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "title": f"Chat {number}",
        "chat": openwebui_legacy(number),
        "created_at": SECONDS + number,
    }


def librechat(number: int) -> dict[str, Any]:
    said = (("u", question(number), True, "00000000-0000-0000-0000-000000000000"), ("a", answer(number), False, "u"))
    messages = [
        {
            "messageId": name,
            "text": text,
            "isCreatedByUser": is_user,
            "parentMessageId": parent,
            "createdAt": _iso(number),
        }
        for name, text, is_user, parent in said
    ]
    return {"conversationId": f"c{number}", "title": f"Chat {number}", "messages": messages}


def librechat_recursive(number: int) -> dict[str, Any]:
    """As a tree: each message has its answers in it."""
    flat = librechat(number)
    first, second = flat["messages"]
    return {**flat, "recursive": True, "messages": [{**first, "children": [{**second, "children": []}]}]}


def pageassist_single(number: int) -> list[dict[str, Any]]:
    """One chat, exported alone: its rows, without any time."""
    return [
        {"isBot": False, "name": "You", "message": question(number), "images": [], "sources": []},
        {"isBot": True, "name": "tiny", "message": answer(number), "images": [], "sources": []},
    ]


def browsa_body(number: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": question(number)}, {"role": "assistant", "content": answer(number)}]


def browsa_entry(number: int) -> dict[str, Any]:
    return {"id": f"c{number}", "name": f"Chat {number}", "createdAt": (SECONDS + number) * 1000, "pinned": False}


def transcript(number: int) -> bytes:
    """One transcript of the file era."""
    lines: list[dict[str, Any]] = [{"type": "session", "id": f"c{number}", "timestamp": _iso(number), "version": 3}]
    parent = None
    for name, role, text in (("u", "user", question(number)), ("a", "assistant", answer(number))):
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        lines.append({"type": "message", "id": name, "parentId": parent, "timestamp": _iso(number), "message": message})
        parent = name
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def _iso(offset: int) -> str:
    return datetime.fromtimestamp(SECONDS + offset, UTC).isoformat()


ARRAYS: dict[str, Callable[[int], dict[str, Any]]] = {
    "chatgpt": chatgpt,
    "claude": claude,
    "chatgptbox": chatgptbox,
    "openwebui": openwebui,
    "openwebui legacy": openwebui_legacy,
    "librechat": librechat,
    "librechat recursive": librechat_recursive,
}
# Files of one conversation each.
SINGLES: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "pageassist single": ("json", lambda number: orjson.dumps(pageassist_single(number))),
    "transcript": ("jsonl", transcript),
}


def write(file: Path, kind: str, count: int, *, newest_first: bool = False) -> Path:
    """A file of `count` conversations, each a question and an answer, written piece by piece."""
    with file.open("wb") as out:
        for piece in _pieces(kind, _numbers(count, newest_first=newest_first)):
            out.write(piece)
    return file


def _numbers(count: int, *, newest_first: bool) -> Sequence[int]:
    return range(count - 1, -1, -1) if newest_first else range(count)


def _pieces(kind: str, numbers: Sequence[int]) -> Iterator[bytes]:
    if kind in ARRAYS:
        yield from (b"[", *_joined(ARRAYS[kind](number) for number in numbers), b"]")
    elif kind == "pageassist":
        yield from (b'{"knowledge":[],"chat":[', *_joined(pageassist(number) for number in numbers), b"]}")
    elif kind == "browsa":
        yield from (b'{"savedSessions":[', *_joined(browsa_entry(number) for number in numbers), b"]")
        yield from (b',"session_c%d":%s' % (number, orjson.dumps(browsa_body(number))) for number in numbers)
        yield b"}"
    else:
        assert kind == "browsa legacy"
        entries = ({**browsa_entry(number), "history": browsa_body(number)} for number in numbers)
        yield from (b'{"savedSessions":[', *_joined(entries), b"]}")


# One file of all conversations.
KINDS = (*ARRAYS, "pageassist", "browsa", "browsa legacy")


def lay(folder: Path, kind: str, count: int, *, newest_first: bool = False) -> Path:
    """`count` conversations of any kind: a file of them, or a folder of files."""
    if kind not in SINGLES:
        return write(folder / "export.json", kind, count, newest_first=newest_first)
    ending, made = SINGLES[kind]
    for place, number in enumerate(_numbers(count, newest_first=newest_first)):
        (folder / f"{place:05}.{ending}").write_bytes(made(number))
    return folder


def _joined(records: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for number, record in enumerate(records):
        yield (b"," if number else b"") + orjson.dumps(record)
