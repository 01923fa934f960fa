"""Which pictures go out as pixels, which as thumbnails, which as labels.

Pictures that an answer has been given to are labels. Those that wait go out as pixels; where they are too many bytes in all, the
oldest as the thumbnails which the panel shows, for the originals stay in the store and one call brings them. Only a provider's
own limits, on their number or on the body's bytes, make labels of pictures that were not seen, again the oldest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sidekeep.request.labels import shown
from sidekeep.request.view import Entry, Image, Part

WAITING_BYTES = 8 * 1024 * 1024

# A picture's place: the N-th, from 1, of the entry at an index.
Place = tuple[int, int]

# Around a picture's base64 in a body: its type, its place in the JSON.
_WRAPPING_BYTES = 200


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """How many (None: nobody said), how many decoded bytes as originals, how many bytes of the body."""

    most: int | None = None
    waiting_bytes: int = WAITING_BYTES
    body_bytes: int | None = None


def pictured(entries: Sequence[Entry], limits: PictureLimits, *, accepts_pictures: bool = True) -> list[Entry]:
    """The entries with each picture as it goes out, at its place in the text."""
    result = list(entries)
    waiting: dict[Place, Image] = {}
    labelled: dict[int, set[int]] = {}
    for index, entry in enumerate(entries):
        if not entry.images:
            continue
        images = [part for part in entry.parts if isinstance(part, Image)]
        labelled[index] = set()
        if accepts_pictures and not entry.images_seen:
            waiting |= {(index, number): image for number, image in enumerate(images, 1)}
        else:
            labelled[index] |= set(range(1, len(images) + 1))
    sent = _as_thumbnails(_at_most(waiting, limits.most), limits.waiting_bytes)
    sent = _within(sent, limits.body_bytes)
    for index, number in waiting.keys() - sent.keys():
        labelled[index].add(number)
    for index, numbers in labelled.items():
        result[index] = shown(_with_images(entries[index], index, sent), numbers)
    return result


def body_bytes(image: Image) -> int:
    """What a picture adds to a body."""
    size = image.thumbnail_size if image.thumbnail else image.size
    return _WRAPPING_BYTES + len(image.url) + -(-size // 3) * 4


def _at_most(waiting: dict[Place, Image], most: int | None) -> dict[Place, Image]:
    """The newest `most`."""
    excess = 0 if most is None else max(0, len(waiting) - most)
    return dict(list(waiting.items())[excess:])


def _as_thumbnails(waiting: dict[Place, Image], most_bytes: int) -> dict[Place, Image]:
    """The oldest as thumbnails until the pixels are at most `most_bytes`; the newest entry with pictures is spared."""
    sent = dict(waiting)
    total = sum(image.size for image in waiting.values())
    for place, image in _but_newest(waiting):
        if total <= most_bytes:
            break
        if image.thumbnail_size:
            sent[place] = replace(image, thumbnail=True)
            total -= image.size - image.thumbnail_size
    return sent


def _within(waiting: dict[Place, Image], most_bytes: int | None) -> dict[Place, Image]:
    """At most `most_bytes` of a body: the oldest as thumbnails, then not at all; at last the newest as thumbnails, too."""
    total = sum(map(body_bytes, waiting.values()))
    if most_bytes is None or total <= most_bytes:
        return waiting
    sent = _as_thumbnails(waiting, 0)
    total = sum(map(body_bytes, sent.values()))
    for place, image in _but_newest(sent):
        if total <= most_bytes:
            return sent
        total -= body_bytes(image)
        del sent[place]
    if total <= most_bytes:
        return sent
    return {place: replace(image, thumbnail=image.thumbnail_size > 0) for place, image in sent.items()}


def _but_newest(waiting: dict[Place, Image]) -> list[tuple[Place, Image]]:
    """Oldest first, without those of the newest entry that has any."""
    newest = max((index for index, _ in waiting), default=-1)
    return [(place, image) for place, image in waiting.items() if place[0] != newest]


def _with_images(entry: Entry, index: int, sent: dict[Place, Image]) -> Entry:
    """The entry with those of its pictures that became thumbnails."""
    number = 0
    parts: list[Part] = []
    for part in entry.parts:
        if isinstance(part, Image):
            number += 1
            parts.append(sent.get((index, number), part))
        else:
            parts.append(part)
    return replace(entry, parts=tuple(parts))
