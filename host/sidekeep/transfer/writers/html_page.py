"""HTML for people: one file with everything in it that opens anywhere. No script, nothing is fetched, all text is escaped."""

import html
from collections.abc import Callable, Iterable, Iterator

from sidekeep.transfer.exported import ExportedChat, Shown, ShownPicture, shown, when

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }}
article {{ border-top: 1px solid #8886; padding-top: 1rem; margin-top: 2rem; }}
section {{ margin: 1rem 0; padding: .5rem 1rem; border-radius: .5rem; }}
section.user {{ background: #8882; }}
h3 {{ font-size: .8rem; opacity: .7; margin: 0; }}
pre {{ overflow-x: auto; }} pre, code {{ font-family: ui-monospace, monospace; }}
img {{ max-width: 100%; height: auto; }}
details {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; }} td, th {{ border: 1px solid #8886; padding: .2rem .5rem; }}
</style>
</head>
<body>
"""


class Page:
    """Writes a page. `base64_of` gives a picture by its hash, None where it is not there."""

    def __init__(self, base64_of: Callable[[str], bytes | None]) -> None:
        from markdown_it import MarkdownIt

        self._base64_of = base64_of
        # Raw HTML stays text, and a picture by address would be fetched by whoever opens the file.
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

    def write(self, chats: Iterable[ExportedChat], title: str) -> Iterator[bytes]:
        """The page, piece by piece."""
        yield _HEAD.format(title=html.escape(title)).encode()
        for chat in chats:
            yield self._heading(chat).encode()
            for message in shown(chat.items):
                yield from self._message(message)
            yield b"</article>\n"
        yield b"</body>\n</html>\n"

    def _heading(self, chat: ExportedChat) -> str:
        times = f"{when(chat.created_at_ms)} to {when(chat.updated_at_ms)}"
        return f"<article>\n<h1>{html.escape(chat.name)}</h1>\n<p>{times}</p>\n"

    def _message(self, message: Shown) -> Iterator[bytes]:
        role = message.role if message.role in ("user", "assistant", "system") else "other"
        yield f'<section class="{role}">\n<h3>{html.escape(_who(message))}</h3>\n'.encode()
        if message.page is not None:
            yield self._attachment(message).encode()
        for part in message.parts if message.page is None else message.parts[1:]:
            if isinstance(part, str):
                yield self._markdown.render(part).encode()
            else:
                yield from self._picture(part)
        yield b"</section>\n"

    def _attachment(self, message: Shown) -> str:
        """A page's text, folded: it is long, and no Markdown."""
        page = message.page or {}
        summary = html.escape(page.get("Title") or page.get("URL") or "Page")
        text = message.parts[0] if isinstance(message.parts[0], str) else ""
        return f"<details><summary>{summary}</summary>{html.escape(text)}</details>\n"

    def _picture(self, picture: ShownPicture) -> Iterator[bytes]:
        base64 = self._base64_of(picture.sha256)
        if base64 is None:
            yield b"<p>[picture]</p>\n"
        else:
            yield b'<p><img alt="picture" src="%s%s"></p>\n' % (html.escape(picture.head).encode(), base64)


def _who(message: Shown) -> str:
    who = {"user": "You", "assistant": "Answer", "system": "System"}.get(message.role, message.role)
    who = "Page" if message.page is not None else who
    model = f" ({message.model})" if message.model else ""
    return f"{who}{model}, {when(message.created_at_ms)}"
