"""Ollama's own API, because its imitation of OpenAI's cannot be told how large a window to run with.

Ollama's default is to cut what does not fit and say nothing. So the window is named (`num_ctx`), and `truncate` and `shift`
(older versions ignore both) turn a prompt that is too long into an error 400.
"""

from typing import Any

from sidekeep.request.build import Request
from sidekeep.request.dialect.body import dumps
from sidekeep.request.dialect.pictures import DataUrls, in_words, picture
from sidekeep.request.dialect.plain import Message, plain
from sidekeep.request.view import Text


def write(request: Request, data_urls: DataUrls) -> bytes:
    """The body of a streaming request. `data_urls` has the pictures of `request.pictures`, as data URLs."""
    options: dict[str, Any] = {"num_ctx": request.window_tokens}
    if request.temperature is not None:
        options["temperature"] = request.temperature
    if request.max_tokens is not None:
        options["num_predict"] = request.max_tokens
    system = [Message("system", (Text(request.system),))] if request.system else []
    body = {
        "model": request.model,
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": options,
        "messages": [_message(message, data_urls) for message in (*system, *plain(request.entries))],
    }
    return dumps(body)


def _message(message: Message, data_urls: DataUrls) -> dict[str, Any]:
    """Text, and the pictures as a list beside it: where they stood is lost, their order is not."""
    texts: list[str] = []
    images: list[Any] = []
    for part in message.parts:
        if isinstance(part, Text):
            texts.append(part.text)
        elif found := picture(part, data_urls):
            images.append(found.base64)
        else:
            texts.append(f"\n\n{in_words(part)}" if texts else in_words(part))
    content = {"role": message.role, "content": "".join(texts)}
    return {**content, "images": images} if images else content
