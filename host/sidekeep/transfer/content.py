"""Content parts from what foreign files hold: pictures they carry, pictures they only name, reasoning inside the text."""

import html
import re
from collections.abc import Iterable, Sequence

from sidekeep.domain import attachment, pixels
from sidekeep.transfer.conversation import Image, Message, Missing, Part, Text

_THINK = re.compile(r"^\s*<think(?:ing)?>(.*?)</think(?:ing)?>\s*", re.DOTALL)
_DETAILS = re.compile(r'<details\s+type="reasoning"[^>]*>\s*(?:<summary>.*?</summary>)?(.*?)</details>\s*', re.DOTALL)


def image(url: object, *, name: str = "") -> Part:
    """The picture, where `url` is a data URL; else what it is named by, marked missing. Nothing is fetched."""
    if isinstance(url, str) and url.startswith("data:"):
        return Image(url)
    ref = url if isinstance(url, str) else ""
    return Missing("image", name, ref[:500])


def picture(data: bytes) -> Image:
    """A picture that lies as a file beside the conversation."""
    return Image(pixels.data_url(data).decode("ascii"))


def texts(*found: str) -> tuple[Part, ...]:
    return tuple(Text(text) for text in found if text)


def joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The same parts; texts that follow each other become one, a blank line between them."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, Text) and isinstance(last, Text):
            merged[-1] = Text(f"{last.text}\n\n{part.text}")
        elif not isinstance(part, Text) or part.text:
            merged.append(part)
    return tuple(merged)


def apart(text: str) -> tuple[str, str]:
    """Reasoning and answer, where a model's reasoning stands inside its text: `<think>…</think>`, or Open WebUI's details."""
    found: list[str] = []
    match = _THINK.match(text)
    if match:
        found.append(match[1].strip())
        text = text[match.end() :]
    for details in _DETAILS.finditer(text):
        lines = html.unescape(details[1]).strip().splitlines()
        found.append("\n".join(line.removeprefix(">").removeprefix(" ") for line in lines))
    return "\n\n".join(each for each in found if each), _DETAILS.sub("", text)


def attached_text(message: Message, name: str, text: str, number: int) -> Message:
    """A file's text that lies in the export, as the attachment that stands before its message."""
    attach_id = f"{message.id}-attachment-{number}"
    rendered = attachment.render(url="", title=name, mode="file", text=text)
    return Message(attach_id, "user", (Text(rendered),), message.created_at_ms, {"attachId": attach_id})


def with_attachments(message: Message, files: Sequence[tuple[str, str]]) -> tuple[Message, ...]:
    """The message, its attached texts (name and text) before it."""
    attached = (attached_text(message, name, text, number) for number, (name, text) in enumerate(files) if text)
    return (*attached, *((message,) if message.content or message.extra else ()))
