"""A small model server on loopback: real HTTP and SSE, whose answer the test lets out piece by piece."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAIT_S = 60


class ModelServer:
    """Answers chat-completions requests. `status`, `words_of_error` and `raw` make it misbehave; `gate` holds an answer's
    second half.
    """

    def __init__(self) -> None:
        self.words = ["The ", "light ", "blinks ", "twice."]
        self.status = 200
        self.words_of_error = ""
        self.raw: bytes | None = None
        self.thoughts: list[str] = []
        self.usage: dict[str, int] | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.halfway = threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.url = ""

    @property
    def answer(self) -> str:
        """The whole answer."""
        return "".join(self.words)

    def provider(self) -> dict[str, Any]:
        """How the panel's settings name this server."""
        return {"name": "Test server", "kind": "openai-chat", "baseUrl": f"{self.url}/v1", "model": "tiny"}

    def pieces(self) -> Iterator[bytes]:
        """The answer as server-sent events, held at its middle until the gate is open."""
        for thought in self.thoughts:
            yield _event({"choices": [{"index": 0, "delta": {"reasoning_content": thought}}]})
        for number, word in enumerate(self.words):
            if number == len(self.words) // 2:
                self.halfway.set()
                self.gate.wait(WAIT_S)
            yield _event({"choices": [{"index": 0, "delta": {"content": word}}]})
        yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if self.usage is not None:
            yield _event({"choices": [], "usage": self.usage})
        yield b"data: [DONE]\n\n"


def _event(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps({"object": "chat.completion.chunk", "model": "tiny", **payload}).encode() + b"\n\n"


@contextmanager
def running() -> Iterator[ModelServer]:
    """A server for the block."""
    model = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            model.asked.append(self.path)
            self._reply(200, json.dumps({"object": "list", "data": [{"id": "tiny", "object": "model"}]}).encode())

        def do_POST(self) -> None:
            model.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if model.status != 200:
                error = {
                    "error": {
                        "message": model.words_of_error or f"the server says {model.status}",
                        "type": "invalid_request_error",
                    }
                }
                self._reply(model.status, json.dumps(error).encode())
            elif model.raw is not None:
                self._reply(200, model.raw, kind="text/event-stream")
            else:
                self._stream()

        def _stream(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            try:
                for piece in model.pieces():
                    self.wfile.write(piece)
                    self.wfile.flush()
            except ConnectionError:
                pass  # the host hung up: the turn was stopped

        def _reply(self, status: int, body: bytes, kind: str = "application/json") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield model
    finally:
        model.gate.set()
        server.shutdown()
        server.server_close()
