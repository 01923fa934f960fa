"""Pictures that go out as labels, and pixels that stand where the text speaks of them.

The N-th picture of an entry is called by its caption, the N-th line of the numbered list under the entry's `## Figures`; where
it has none by its anchor in the text, `[图N]`; and where there is no anchor `[image N]`. All of it depends on the entry alone, so
the same entry is the same bytes in every request.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from sidekeep.request.tokens import estimate
from sidekeep.request.view import Entry, Image, Part, Text

_HEADING = re.compile(r"^## Figures[ \t\r]*$", re.MULTILINE)
_ITEM = re.compile(r"[ ]{0,3}(\d{1,9})[.)][ \t]+(\S.*)")
_ANCHOR = re.compile(r"\[图(\d{1,4})\]")


def shown(entry: Entry, labelled: Collection[int]) -> Entry:
    """The entry with its pictures in their places, those numbered in `labelled` (from 1) as labels.

    A picture with an anchor stands behind it, or has its label there; any other stays where it stood.
    """
    images = [part for part in entry.parts if isinstance(part, Image)]
    anchored = {number for number in _anchors(entry) if number <= len(images)}
    if not images or not (labelled or anchored):
        return entry
    labels = _labels(entry, labelled, anchored)
    pixels = {number: image for number, image in enumerate(images, 1) if number not in labels}
    at_anchors = {number: pixels[number] for number in anchored & pixels.keys()}
    parts: list[Part] = []
    number = 0
    for part in entry.parts:
        if isinstance(part, Text):
            parts += _at_anchors(part.text, {n: labels[n] for n in labels.keys() & anchored}, at_anchors)
            continue
        number += 1
        if number not in anchored:
            parts.append(Text(labels[number]) if number in labels else part)
    tokens = None if entry.tokens is None else entry.tokens + sum(map(estimate, labels.values()))
    return replace(entry, parts=tuple(parts), tokens=tokens, kept=entry.own_characters, labels=len(labels))


def _labels(entry: Entry, labelled: Collection[int], anchored: Collection[int]) -> dict[int, str]:
    captions = _captions(entry) if labelled else []
    return {number: _label(number, captions, anchored) for number in labelled}


def _label(number: int, captions: list[str], anchored: Collection[int]) -> str:
    if number <= len(captions):
        return f"[{captions[number - 1]}]"
    return f"[图{number}]" if number in anchored else f"[image {number}]"


def _at_anchors(text: str, labels: Mapping[int, str], pixels: dict[int, Image]) -> Iterator[Part]:
    """A text whose anchors read as the labels do, cut behind the first anchor of each of `pixels`, which are used up."""
    start = 0
    piece = ""
    for anchor in _ANCHOR.finditer(text):
        number = int(anchor[1])
        piece += text[start : anchor.start()] + labels.get(number, anchor[0])
        start = anchor.end()
        if image := pixels.pop(number, None):
            yield Text(piece)
            yield image
            piece = ""
    if piece := piece + text[start:]:
        yield Text(piece)


def _anchors(entry: Entry) -> set[int]:
    return {int(anchor[1]) for text in _texts(entry) for anchor in _ANCHOR.finditer(text)} - {0}


def _captions(entry: Entry) -> list[str]:
    """The items of the numbered list under the first `## Figures` that has one, and nothing after the list."""
    for text in _texts(entry):
        for heading in _HEADING.finditer(text):
            if items := _items(text[heading.end() :]):
                return items
    return []


def _items(text: str) -> list[str]:
    """The items of the list that a text begins with; a blank line ends it where the next line is not its next number."""
    items: list[str] = []
    last = 0
    blank = False
    for line in text.lstrip().split("\n"):
        item = _ITEM.match(line)
        if item is not None and (not blank or int(item[1]) == last + 1):
            items.append(" ".join(item[2].split()))
            last = int(item[1])
        elif items and not blank and line.startswith("  ") and line.strip():
            items[-1] += " " + " ".join(line.split())  # an item that goes on in the next line
        elif line.strip():
            break
        blank = not line.strip()
    return items


def _texts(entry: Entry) -> Iterator[str]:
    return (part.text for part in entry.parts if isinstance(part, Text))
