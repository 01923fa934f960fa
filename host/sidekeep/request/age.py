"""Attachments that have gone cold become one line: what it was and how long, so that the model can ask for it again."""

from collections.abc import Sequence
from dataclasses import replace

from sidekeep.domain import attachment, graphemes
from sidekeep.request.view import Entry, Image, Text

# From here on a page is worth being shortened to a line; below, the line saves little.
COLD_CHARACTERS = 8_000
# Entries of the person after it, attachments among them.
COLD_ENTRIES = 3

_TITLE_CHARACTERS = 200
_URL_CHARACTERS = 500


def aged(
    entries: Sequence[Entry], *, min_entries: int = COLD_ENTRIES, min_characters: int = COLD_CHARACTERS
) -> list[Entry]:
    """The entries with cold attachments as stubs: not the newest attachment, old enough and long enough."""
    shown = list(entries)
    after = 0
    newest = True
    for index in range(len(shown) - 1, -1, -1):
        entry = shown[index]
        if entry.is_attachment:
            if not newest and after >= min_entries and entry.characters >= min_characters:
                shown[index] = stub(entry)
            newest = False
        after += entry.role == "user"
    return shown


def stub(entry: Entry) -> Entry:
    """An attachment as one line, from its header alone. Pictures that were not seen stay; it is no attachment any more."""
    first = next((part.text for part in entry.parts if isinstance(part, Text)), "")
    fields = attachment.header_fields(first)
    title = _short(fields.get("Title", ""), _TITLE_CHARACTERS) or "without a title"
    url = _short(fields.get("URL", ""), _URL_CHARACTERS)
    where = f", {url}" if url else ""
    line = (
        f"[Attachment “{title}”{where}, {entry.characters} characters: its text is left out here. "
        "Ask for it to be attached again if you need it.]"
    )
    # A third of its length is close enough for a line, and there may be a hundred of them.
    images = () if entry.images_seen else tuple(part for part in entry.parts if isinstance(part, Image))
    return replace(
        entry, parts=(Text(line), *images), attach_id=None, tokens=len(line) // 3, kept=0, shortened="line", labels=0
    )


def _short(value: str, limit: int) -> str:
    """A header's value on one line."""
    line = " ".join(value.split())
    return line if len(line) <= limit else graphemes.cut(line, limit - 1).rstrip() + "…"
