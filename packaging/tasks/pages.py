"""The page that a run opens: an address as it is, or one local file, served on loopback.

A file is served and not opened as file://, because an extension reads file:// pages only after a person has ticked
"Allow access to file URLs". That one file is served, under a path nobody can guess: a page
must not read its neighbours.
"""

import contextlib
import mimetypes
import re
import secrets
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from tasks.say import TaskError

URL = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)


@contextlib.contextmanager
def served(page: str) -> Iterator[str]:
    """The address of `page` (FILE_OR_URL), valid within the block. Raises TaskError if the file cannot be read."""
    if URL.match(page):
        yield page
        return
    path = Path(page)
    try:
        content = path.read_bytes()
    except OSError as exc:
        raise TaskError(f"The page {page} cannot be read: {exc.strerror}.") from exc
    kind = mimetypes.guess_type(path.name)[0] or "text/html"
    with serve({f"/{secrets.token_urlsafe(16)}/{path.name}": (kind, content)}) as (base, (address,)):
        yield base + quote(address)


@contextlib.contextmanager
def serve(files: dict[str, tuple[str, bytes]]) -> Iterator[tuple[str, list[str]]]:
    """Serve contents by path on loopback; the base address and the paths. Each content is (media type, bytes)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = files.get(_unquoted(self.path))
            if found is None:
                self.send_error(404)
                return
            kind, content = found
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the terminal shows the answer."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="pages", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", list(files)
    finally:
        server.shutdown()
        server.server_close()


def _unquoted(path: str) -> str:
    return unquote(urlsplit(path).path)
