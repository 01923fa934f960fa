"""Where a request's pictures go. Their pixels are never looked at: base64 is cut out of a data URL and put in as it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from sidekeep.request.view import Image

_BASE64 = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
DataUrls = Mapping[Image, bytes]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that goes along: `media_type` such as image/png, `base64` a JSON string that is ready to be put in."""

    media_type: str
    base64: orjson.Fragment


def address(image: Image, data_urls: DataUrls) -> str | orjson.Fragment | None:
    """The picture's address, or the data URL that is one, for an API that takes either; None where it is missing."""
    if image.url:
        return image.url
    data_url = data_urls.get(image)
    return None if data_url is None else orjson.Fragment(b'"%s"' % data_url)


def picture(image: Image, data_urls: DataUrls) -> Picture | None:
    """The picture for an API that wants its bytes; None where there is none, or where they are not base64."""
    url = image.url.encode("utf-8", "replace") if image.url else data_urls.get(image, b"")
    comma = url.find(b",")
    head = url[: max(comma, 0)].lower().split(b";")
    if not head[0].startswith(b"data:") or head[-1] != b"base64":
        return None
    if image.url and not _BASE64.fullmatch(url, comma + 1):
        return None  # never a picture of ours, so it may hold anything
    media_type = head[0].removeprefix(b"data:").decode("ascii", "replace").replace("image/jpg", "image/jpeg")
    return Picture(media_type, orjson.Fragment(b'"%s"' % memoryview(url)[comma + 1 :]))


def in_words(image: Image) -> str:
    """What stands where a picture cannot go along."""
    if image.url.startswith("data:"):
        return "[a picture of a kind that this model cannot read]"
    return f"[a picture at {image.url}]" if image.url else "[a picture that is missing from the store]"
