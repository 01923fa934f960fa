"""Google's Gemini API: the answers' role is `model`, and the model itself stands in the address."""

from typing import Any

from sidekeep.request.build import Request
from sidekeep.request.dialect.body import dumps
from sidekeep.request.dialect.pictures import DataUrls, in_words, picture
from sidekeep.request.dialect.plain import two_sides
from sidekeep.request.view import Part, Text

_ROLES = {"user": "user", "assistant": "model"}
_MEDIA_TYPES = frozenset(("image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"))


def write(request: Request, data_urls: DataUrls) -> bytes:
    """The body of a streaming request. `data_urls` has the pictures of `request.pictures`, as data URLs."""
    system, sides = two_sides(request)
    config = {"temperature": request.temperature, "maxOutputTokens": request.max_tokens}
    given = {name: value for name, value in config.items() if value is not None}
    body: dict[str, Any] = {"generationConfig": given} if given else {}
    if system:
        body["systemInstruction"] = {"parts": [{"text": system}]}
    body["contents"] = [
        {"role": _ROLES[side.role], "parts": [_part(part, data_urls) for part in side.parts]} for side in sides
    ]
    return dumps(body)


def _part(part: Part, data_urls: DataUrls) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"text": part.text}
    found = picture(part, data_urls)
    if found is None or found.media_type not in _MEDIA_TYPES:
        return {"text": in_words(part)}
    return {"inlineData": {"mimeType": found.media_type, "data": found.base64}}
