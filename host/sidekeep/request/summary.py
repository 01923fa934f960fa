"""A long attachment's summary: its text in parts along its Markdown structure, what is asked of a model, what is taken for one.

Pure: service/summarizing.py asks, and storage changes nothing before a whole summary is there.
"""

import re
from collections.abc import Sequence

from sidekeep.domain import attachment, graphemes

THRESHOLD_CHARACTERS = 100_000
PART_CHARACTERS = 12_000

INSTRUCTIONS = (
    "You shorten a long document so that questions about it can still be answered from the short form. Keep its headings as "
    "Markdown headings, page marks, marks of figures such as [图1], and every name, number, date, definition, result and "
    "quotation that matters, exactly as written. Write in the document's language. Write the short form only: no "
    "introduction, no comment."
)

# Where a document may be cut, the best place first: before a heading, between paragraphs, between lines, between words.
_SEAMS = (
    re.compile(r"\n(?=#{1,6} )"),
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?。！？])\s*|\s"),
)


def part_characters(window_tokens: int) -> int:
    """How long a part may be: the document's text is about half of the window in the worst script, so the rest is for the
    instructions and the summary.
    """
    return max(min(PART_CHARACTERS, window_tokens // 2), 500)


def parts(text: str, limit: int) -> list[str]:
    """The text in pieces of at most `limit` characters that add up to it, cut at the best seam near each piece's end."""
    found: list[str] = []
    while len(text) > limit:
        end = _seam(text, limit)
        found.append(text[:end])
        text = text[end:]
    return [*found, text] if text else found


def part_request(part: str, number: int, count: int) -> str:
    """What is asked for one part."""
    return f"This is part {number} of {count} of the document:\n\n{part}\n\nWrite the short form of this part."


def merge_request(summaries: Sequence[str]) -> str:
    """What is asked to make one summary of several, in their order."""
    joined = "\n\n".join(summaries)
    return f"These are the short forms of a document's parts, in order:\n\n{joined}\n\nMake one short form of them."


def merge_groups(summaries: Sequence[str], limit: int) -> list[list[str]]:
    """Neighbours that go into one request of at most `limit` characters together; at least two, or merging would not end."""
    groups: list[list[str]] = []
    for summary in summaries:
        fits = groups and sum(map(len, groups[-1])) + len(summary) <= limit
        if groups and (fits or len(groups[-1]) < 2):
            groups[-1].append(summary)
        else:
            groups.append([summary])
    return groups


def is_one(summary: str, original: str) -> bool:
    """Whether a text can stand for the original: it says something, and less."""
    return bool(summary.strip()) and len(summary) < len(original)


def condensed(text: str, summary: str) -> str:
    """An attachment's text with the summary below its header, and a line that says how long the original was."""
    body = attachment.body_of(text)
    header = text[: len(text) - len(body)]
    return f"{header}[Summary of {len(body)} characters. The original is kept.]\n\n{summary.strip()}"


def _seam(text: str, limit: int) -> int:
    """Where to cut a text that is longer than `limit`: at the last seam of the best kind in the second half of it."""
    for seam in _SEAMS:
        ends = [found.end() for found in seam.finditer(text, limit // 2, limit)]
        if ends and ends[-1]:
            return ends[-1]
    return graphemes.edge_before(text, limit) or limit
