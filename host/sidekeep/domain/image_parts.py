"""A picture among the parts of a message, in whichever provider's words it is written: other programs write messages, too.

Read as text, its base64 would cost a thousand times what the picture does.
"""

from typing import Any


def image_url_of(part: dict[str, Any]) -> str:
    """The URL, a data URL as a rule, of a part that is a picture; "" for any other part.

    OpenAI's `image_url` and `input_image`, its `file` with a picture in it, Anthropic's `image` with a source, Gemini's
    `inline_data` (also in camel case) and `file_data`.
    """
    for found in (
        _string_or_member(part.get("image_url"), "url"),
        _sourced(_object(part.get("source")), part.get("type")),
        _data_url(_object(part.get("inline_data") or part.get("inlineData"))),
        _pictured(_object(part.get("file_data") or part.get("fileData"))),
        _of_file(_object(part.get("file"))),
    ):
        if found:
            return found
    return ""


def _sourced(source: dict[str, Any], kind: Any) -> str:
    if kind != "image":
        return ""
    return _text(source.get("url")) or _data_url(source)


def _data_url(given: dict[str, Any]) -> str:
    """Base64 and its type, named as Anthropic or Gemini name them."""
    mime = next((_text(given.get(name)) for name in ("media_type", "mime_type", "mimeType") if given.get(name)), "")
    data = _text(given.get("data"))
    return f"data:{mime};base64,{data}" if data and mime.startswith("image/") else ""


def _pictured(given: dict[str, Any]) -> str:
    mime = _text(given.get("mime_type")) or _text(given.get("mimeType"))
    return (_text(given.get("file_uri")) or _text(given.get("fileUri"))) if mime.startswith("image/") else ""


def _of_file(file: dict[str, Any]) -> str:
    data = _text(file.get("file_data"))
    return data if data.startswith("data:image/") else ""


def _string_or_member(value: Any, name: str) -> str:
    return _text(value) or _text(_object(value).get(name))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
