"""Markdown for people: a file for each chat, its pictures in a folder beside it."""

import re
from collections.abc import Iterable, Iterator

from sidekeep.transfer.exported import ExportedChat, Shown, ShownPicture, shown, when

PICTURES = "pictures"
_WHO = {"user": "You", "assistant": "Answer", "system": "System"}
_EXTENSIONS = {"jpeg": "jpg", "svg+xml": "svg"}
# Names that every file system takes: nothing reserved, not too long, no leading dot.
_UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
_RESERVED = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)
_NAME_BYTES = 120


def write(chat: ExportedChat) -> str:
    """The file of one chat. Links go to `pictures/`."""
    return "\n".join(_lines(chat)).rstrip() + "\n"


def picture_name(picture: ShownPicture) -> str:
    """The name of a picture's file."""
    kind = picture.head.removeprefix("data:image/").partition(";")[0].lower()
    extension = _EXTENSIONS.get(kind, kind if kind.isalnum() else "bin")
    return f"{picture.sha256[:16]}.{extension}"


def file_name(chat: ExportedChat, taken: set[str]) -> str:
    """A name for the chat's file that is not in `taken`, which gets it."""
    stem = _UNSAFE.sub(" ", chat.name).strip(" .").encode()[:_NAME_BYTES].decode("utf-8", "ignore").strip(" .")
    if not stem or _RESERVED.match(stem):
        stem = f"chat {stem}".strip()
    name, number = f"{stem}.md", 1
    while name.casefold() in taken:
        number += 1
        name = f"{stem} ({number}).md"
    taken.add(name.casefold())
    return name


def index(names: Iterable[tuple[str, str]]) -> str:
    """A list of chats with links to their files: pairs of chat name and file name."""
    return "\n".join(["# Chats", "", *(f"- [{_escaped(name)}](<{file}>)" for name, file in names)]) + "\n"


def _lines(chat: ExportedChat) -> Iterator[str]:
    yield f"# {_escaped(chat.name)}"
    yield ""
    yield f"{when(chat.created_at_ms)} to {when(chat.updated_at_ms)}"
    for message in shown(chat.items):
        yield ""
        yield f"## {_heading(message)}"
        yield ""
        if message.page is not None:
            yield from (f"- {name}: {value}" for name, value in message.page.items() if value)
            yield ""
        for part in message.parts:
            yield part if isinstance(part, str) else f"![picture]({PICTURES}/{picture_name(part)})"
            yield ""


def _heading(message: Shown) -> str:
    who = "Page" if message.page is not None else _WHO.get(message.role, message.role.capitalize())
    model = f" ({_escaped(message.model)})" if message.model else ""
    return f"{who}{model}, {when(message.created_at_ms)}"


def _escaped(text: str) -> str:
    """A name as text: nothing in it is markup."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", " ".join(text.split()))
