"""Attachments: a page's text as an entry of the conversation, below a header (docs/protocol.md, section 4)."""

import re

HEADER = "[Page context attached by sidekeep]"
# Imported conversations may carry the header of the extension they come from.
KNOWN_HEADERS = (HEADER, "[Page context attached by browsa]")
_HEADER_END = "---"

# `user:password@` before a host, and members of a query or a fragment that are secrets by their name.
_USER = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s/?#]*@", re.IGNORECASE)
_SECRET = re.compile(
    r"(?<=[?&#;])((?:access|auth|id|refresh|session)?[_-]?token|api[_-]?key|(?:client[_-]?)?secret|passw(?:or)?d|pwd|jwt|sid|"
    r"session[_-]?id|sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token))=[^\s&#;]+",
    re.IGNORECASE,
)


def render(*, url: str, title: str, mode: str, text: str, header_block: str = "") -> str:
    """An attachment's text: the header, further header lines, a rule, a blank line, the page's text."""
    lines = [HEADER, f"URL: {without_credentials(_one_line(url))}", f"Title: {_one_line(title)}"]
    further = [line for line in header_block.splitlines() if line.strip() and line.strip() != _HEADER_END]
    lines += [without_credentials(line) for line in further]
    lines += [f"Mode: {_one_line(mode)}", _HEADER_END, "", text]
    return "\n".join(lines)


def has_header(text: str) -> bool:
    """Whether a text begins as an attachment does. Of our own messages only those with an attachId are attachments."""
    return _header_lines(text) is not None


def header_fields(text: str) -> dict[str, str]:
    """The header's lines as name -> value; {} where `text` begins with no header. A line of the body is never taken for one."""
    fields: dict[str, str] = {}
    for line in _header_lines(text) or ():
        name, colon, value = line.partition(": ")
        if colon:
            fields.setdefault(name, value)
    return fields


def body_of(text: str) -> str:
    """The page's text below the header; the whole text where there is no header."""
    return split(text)[1]


def split(text: str) -> tuple[str, str]:
    """The header, with the rule and the blank line that end it, and the page's text; "" and all of it where there is none."""
    if not text.startswith(KNOWN_HEADERS):
        return "", text
    header, rule, body = text.partition(f"\n{_HEADER_END}\n")
    if not rule:
        return "", text
    blank = "\n" if body.startswith("\n") else ""
    return f"{header}{rule}{blank}", body.removeprefix("\n")


def without_labels(text: str) -> str:
    """What the attachment says: title, address and further header lines without the words that only mark them, then the
    page's text. The whole text where there is no header."""
    if not header_fields(text):
        return text
    header, _, _ = text.partition(f"\n{_HEADER_END}\n")
    lines = [line for line in header.split("\n")[1:] if not line.startswith("Mode: ")]
    return "\n".join([*(line.removeprefix("URL: ").removeprefix("Title: ") for line in lines), body_of(text)])


def without_credentials(text: str) -> str:
    """A URL, or a line with URLs in it, without user names, passwords and tokens: they would go to the model and into exports."""
    return _SECRET.sub(r"\1=…", _USER.sub(r"\1", text))


def _one_line(value: str) -> str:
    """A title with a line break must not be able to add header lines of its own."""
    return " ".join(value.split())


def _header_lines(text: str) -> list[str] | None:
    """The lines between the first one and the rule; None where there is no such header."""
    if not text.startswith(KNOWN_HEADERS):
        return None
    end = text.find(f"\n{_HEADER_END}\n")
    if end < 0:
        if not text.endswith(f"\n{_HEADER_END}"):
            return None
        end = len(text) - len(_HEADER_END) - 1
    first, *lines = text[:end].split("\n")
    return lines if first in KNOWN_HEADERS else None
