"""Which program a JSON file is from, told by what is in it: three of them name their file `conversations.json`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sidekeep.errors import UnknownFormat
from sidekeep.transfer.assets import Assets
from sidekeep.transfer.conversation import Conversation
from sidekeep.transfer.formats import browsa, chatgpt, chatgptbox, claude, librechat, openwebui, pageassist
from sidekeep.transfer.outline import Outline


class Format(NamedTuple):
    """`prefix` is where the conversations lie, in ijson's notation; `read` makes one record, cleaned, a conversation.
    `flatten` comes before cleaning, which counts levels. `record` is the type of a record."""

    source: str
    prefix: str
    read: Callable[[Any, Assets], Conversation]
    flatten: Callable[[Any], Any] = lambda record: record
    record: type = dict


class _Sign(NamedTuple):
    """The members that tell a program, below the place where its records are."""

    members: tuple[str, ...]
    source: str
    read: Callable[[Any, Assets], Conversation]
    flatten: Callable[[Any], Any] = lambda record: record


# In this order: what stands first is told by names that nobody else uses.
_SIGNS = (
    _Sign(("mapping",), chatgpt.SOURCE, chatgpt.read),
    _Sign(("chat_messages",), claude.SOURCE, claude.read),
    _Sign(("conversationRecords",), chatgptbox.SOURCE, chatgptbox.read),
    _Sign(("conversationId", "messages"), librechat.SOURCE, librechat.read, librechat.flattened),
    _Sign(("conversationId", "messagesTree"), librechat.SOURCE, librechat.read, librechat.flattened),
    _Sign(("chat.history.messages",), openwebui.SOURCE, openwebui.read),
    _Sign(("chat.messages",), openwebui.SOURCE, openwebui.read),
    _Sign(("history.messages",), openwebui.SOURCE, openwebui.read),
    _Sign(("messages[].role",), openwebui.SOURCE, openwebui.read),
)
# Where records are: the path in an outline, and the same in ijson's notation.
_PLACES = (("[].", "item"), ("conversations[].", "conversations.item"), ("sessions[].", "sessions.item"), ("", ""))


def recognised(outline: Outline) -> Format | None:
    """The format of a file of conversations; None for browsa's dump and Sidekeep's own, which are read in their own ways.

    Raises UnknownFormat where no program is known that writes such a file.
    """
    paths = outline.paths
    if is_browsa(outline) or is_sidekeep(outline):
        return None
    if {"chat[].history", "chat[].messages"} <= paths:
        return Format(pageassist.SOURCE, "chat.item", pageassist.read)
    if {"[].isBot", "[].message"} <= paths:
        return Format(pageassist.SOURCE, "", pageassist.read_one, record=list)
    for place, prefix in _PLACES:
        for sign in _SIGNS:
            if all(f"{place}{member}" in paths for member in sign.members):
                return Format(sign.source, prefix, sign.read, sign.flatten)
    raise UnknownFormat(
        "It is no export that Sidekeep knows (ChatGPT, Claude, Page Assist, ChatGPTBox, Open WebUI, LibreChat, browsa, "
        "session transcripts, Sidekeep). Choose the file that the program's own export made."
    )


def is_sidekeep(outline: Outline) -> bool:
    return outline.marks.get("format") == "sidekeep"


def is_browsa(outline: Outline) -> bool:
    """A dump of a storage area: an object with the keys of the extension, `history` or saved sessions among them."""
    if outline.is_array:
        return False
    has_history = "history[].role" in outline.paths and "history[].content" in outline.paths
    has_bodies = any(path.startswith(browsa.BODY_PREFIX) and path.endswith("[].role") for path in outline.paths)
    return has_history or has_bodies or "savedSessions[].id" in outline.paths
