"""A message that says less than it did: an attachment after a rescue, or its summary. It carries what it said (`original`).

So the original goes wherever the message goes: into snapshots, branches, archives and exports. `original` is the whole
content, pictures included; the request side never reads it.
"""

from typing import Any, Literal

from sidekeep.domain.message import text_of

# Why it was shortened: the member that says so (docs/protocol.md, MESSAGE).
Reason = Literal["rescued", "summarized"]

_ORIGINAL = "original"
# How long that is, for who shows what was shortened from what.
_ORIGINAL_CHARS = "originalChars"
_REASONS: tuple[Reason, ...] = ("rescued", "summarized")


def shortened(message: dict[str, Any], content: Any, reason: Reason) -> dict[str, Any]:
    """`message` with `content` in the place of its own. What was shortened before keeps its first original."""
    original = original_content(message)
    return {**message, "content": content, _ORIGINAL: original, _ORIGINAL_CHARS: len(text_of(original)), reason: True}


def is_shortened(message: dict[str, Any]) -> bool:
    return _ORIGINAL in message


def restored(message: dict[str, Any]) -> dict[str, Any]:
    """`message` as it was before it was shortened; itself where it was not."""
    if not is_shortened(message):
        return message
    added = (_ORIGINAL, _ORIGINAL_CHARS, *_REASONS)
    kept = {name: value for name, value in message.items() if name not in added}
    return {**kept, "content": message[_ORIGINAL]}


def original_content(message: dict[str, Any]) -> Any:
    """What the message said before anything was shortened."""
    return message[_ORIGINAL] if is_shortened(message) else message.get("content")
