"""Pictures in an exported message: a link in place of the data URL, so that each lies in the file once.

`picture:<sha256 in hex>:<the data URL up to its comma>`. Nothing is parsed for it: a stored body has an empty string where a
picture was cut out, and the link is put there; putting the data URL there gives the very same message again.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from sidekeep.domain.pixels import Cut

_LINK = re.compile(r"picture:([0-9a-f]{64}):(data:.*,)", re.DOTALL)


def linked(body: bytes, cuts: Sequence[Cut]) -> bytes:
    """A stored message's JSON with a link at each cut."""
    pieces: list[bytes] = []
    start = 0
    for cut in cuts:
        link = orjson.dumps(f"picture:{cut.sha256.hex()}:{cut.head}")[1:-1]
        pieces += (body[start : cut.position], link)
        start = cut.position
    pieces.append(body[start:])
    return b"".join(pieces)


def link_of(url: object) -> tuple[str, str] | None:
    """The picture's hash and the head of its data URL; None where `url` is no such link."""
    found = _LINK.fullmatch(url) if isinstance(url, str) else None
    return (found[1], found[2]) if found else None


def with_pictures(message: dict[str, Any], base64_of: Callable[[str], str | None]) -> dict[str, Any]:
    """The message with data URLs again; a link whose picture `base64_of` does not know stays."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [_with_picture(part, base64_of) for part in content]}


def _with_picture(part: Any, base64_of: Callable[[str], str | None]) -> Any:
    image = part.get("image_url") if isinstance(part, dict) else None
    link = link_of(image.get("url")) if isinstance(image, dict) else None
    text = base64_of(link[0]) if link is not None else None
    if link is None or text is None:
        return part
    return {**part, "image_url": {**part["image_url"], "url": link[1] + text}}
