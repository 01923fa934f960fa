"""What a busy person does, at random: questions with pictures, keys, chats saved, opened, deleted, compacted, files brought."""

import base64
import json
import random
import struct
import threading
import zlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from tasks.torture.client import Client, HostGone, Refused, Reply
from tasks.torture.ledger import GONE, THERE, Ledger, digest

# Asked for at random, something may have gone meanwhile, or have nothing in it yet.
EXPECTED = ("not_found", "invalid_params", "conflict")
_LINES = ("the light", "blinks", "twice", "свет", "灯", "🎉", "\u2028", "O'Brien", '"', "\\")


class Load:
    """Random requests to one host, each noted in the ledger when it is sent and when it is answered.

    `name` is in every text, so that several loads over one store tell theirs apart. `refusals` are the errors that nobody
    should have been shown.
    """

    def __init__(self, host: Client, ledger: Ledger, rng: random.Random, name: str) -> None:
        self._host = host
        self._ledger = ledger
        self._rng = rng
        self._name = name
        self._lock = threading.Lock()
        self._chats: list[str] = []
        self._checkpoints: list[tuple[str, str]] = []
        self._number = 0
        self._open: set[Reply] = set()
        self.refusals: list[str] = []
        self.answered = 0
        kinds: dict[str, tuple[int, Callable[[], Reply | None]]] = {
            "append": (30, self._append),
            "append a picture": (8, self._append_picture),
            "set": (20, self._set),
            "remove": (4, self._remove_key),
            "change a setting": (4, self._change_setting),
            "attach": (6, self._attach),
            "save": (5, self._save),
            "rename": (4, self._rename),
            "load": (4, self._load),
            "delete": (2, self._delete),
            "compact": (3, self._compact),
            "restore": (2, self._restore),
            "new chat": (3, self._new_chat),
            "read": (1, self._read),
            "import": (1, self._bring),
        }
        self._steps = {name: step for name, (_, step) in kinds.items()}
        self._weights = [weight for weight, _ in kinds.values()]

    @property
    def kinds(self) -> tuple[str, ...]:
        """What `do` can be asked for."""
        return tuple(self._steps)

    def know(self) -> None:
        """Learn which chats there are."""
        found = [chat["id"] for chat in self._host.request("sessions.list", limit=30)["sessions"]]
        with self._lock:
            self._chats = found

    def step(self, *, in_flight: int = 16) -> None:
        """Send one request, once fewer than `in_flight` are open. Raises HostGone."""
        while len(self._open) >= in_flight:
            self._wait()
        self.do(self._rng.choices(self.kinds, self._weights)[0])

    def do(self, kind: str) -> None:
        """Send a request of one kind; nothing where there is nothing that it could be about. Raises HostGone."""
        reply = self._steps[kind]()
        if reply is not None:
            self._follow(reply)

    def finish(self) -> None:
        """Wait for every reply. Raises HostGone."""
        while self._open:
            self._wait()

    def _wait(self) -> None:
        with self._lock:
            oldest = next(iter(self._open), None)
        if oldest is not None and isinstance(oldest.exception(120), HostGone):
            raise HostGone

    def _follow(self, reply: Reply) -> None:
        with self._lock:
            self._open.add(reply)
        reply.add_done_callback(self._done)

    def _done(self, reply: Reply) -> None:
        error = reply.exception()
        with self._lock:
            self._open.discard(reply)
            self.answered += not isinstance(error, HostGone)
            if isinstance(error, Refused) and error.kind not in EXPECTED:
                self.refusals.append(f"{error.method} was answered {error.kind}: {error.message}")

    def _write(
        self, method: str, params: dict[str, Any], key: str = "", value: Any = None, content: Any = None
    ) -> Reply:
        """Send a write of `key`, or of a message with `content`."""
        with self._lock:
            if key:
                self._ledger.sent(key, value)
        reply = self._host.start(method, params)

        def note(done: "Future[Any]") -> None:
            error = done.exception()
            with self._lock:
                if error is None and content is not None:
                    self._ledger.contents.add(digest(content))
                if key and error is None:
                    self._ledger.acknowledged(key, value)
                elif key and isinstance(error, Refused):
                    self._ledger.refused(key, value)

        reply.add_done_callback(note)
        return reply

    def _text(self) -> str:
        self._number += 1
        words = " ".join(self._rng.choices(_LINES, k=self._rng.choice((1, 5, 200))))
        return f"{self._name} {self._number} {words}"

    def _append(self) -> Reply:
        text = self._text()
        message = {"id": f"{self._name}-{self._number}", "role": self._rng.choice(("user", "assistant"))}
        return self._write("history.append", {"message": {**message, "content": text}}, content=text)

    def _append_picture(self) -> Reply:
        url = picture(self._rng, self._rng.choice((8, 40, 300)))
        content = [{"type": "text", "text": self._text()}, {"type": "image_url", "image_url": {"url": url}}]
        message = {"id": f"{self._name}-{self._number}", "role": "user", "content": content}
        return self._write("history.append", {"message": message}, content=content)

    def _set(self) -> Reply:
        key, value = f"{self._name} {self._rng.randrange(8)}", self._text()
        return self._write("storage.set", {"items": {key: value}}, f"area:{key}", value)

    def _remove_key(self) -> Reply:
        key = f"{self._name} {self._rng.randrange(8)}"
        return self._write("storage.remove", {"keys": key}, f"area:{key}", None)

    def _change_setting(self) -> Reply:
        days = self._rng.randrange(1, 30)
        return self._write("settings.set", {"settings": {"backup.daily": days}}, "setting:backup.daily", days)

    def _attach(self) -> Reply:
        page = {"url": "https://example.org/", "title": self._name, "mode": "article", "text": self._text()}
        return self._host.start("attachments.add", {"page": page})

    def _save(self) -> Reply:
        reply = self._host.start("sessions.save", {"name": self._text()[:40]})
        reply.add_done_callback(self._saved)
        return reply

    def _saved(self, reply: Reply) -> None:
        if reply.exception() is None:
            with self._lock:
                self._chats.append(reply.result()["id"])
                self._ledger.acknowledged(f"chat:{reply.result()['id']}", THERE)

    def _rename(self) -> Reply | None:
        self._number += 1
        chat, name = self._chat(), f"{self._name} {self._number}"
        return (
            None if chat is None else self._write("sessions.rename", {"id": chat, "name": name}, f"name:{chat}", name)
        )

    def _load(self) -> Reply | None:
        chat = self._chat()
        return None if chat is None else self._host.start("sessions.load", {"id": chat})

    def _delete(self) -> Reply | None:
        chat = self._chat()
        if chat is None or len(self._chats) < 3:
            return None
        with self._lock:
            self._chats.remove(chat)
        return self._write("sessions.delete", {"ids": [chat]}, f"chat:{chat}", GONE)

    def _compact(self) -> Reply | None:
        chat = self._chat()
        if chat is None:
            return None
        reply = self._host.start("sessions.compact", {"id": chat, "summary": self._text()})
        reply.add_done_callback(self._compacted)
        return reply

    def _compacted(self, reply: Reply) -> None:
        if reply.exception() is None:
            done = reply.result()
            with self._lock:
                self._checkpoints.append((done["session"]["id"], done["checkpoint"]["id"]))
                self._ledger.acknowledged(f"checkpoint:{done['session']['id']}/{done['checkpoint']['id']}", THERE)

    def _restore(self) -> Reply | None:
        with self._lock:
            chat, checkpoint = self._rng.choice(self._checkpoints) if self._checkpoints else ("", "")
        return self._host.start("sessions.restore", {"id": chat, "checkpoint": checkpoint}) if chat else None

    def _new_chat(self) -> Reply:
        return self._host.start("history.clear", {})

    def _read(self) -> Reply:
        return self._host.start("history.get", {})

    def _bring(self) -> None:
        """An export of another program, in its three steps; each waits for the one before."""
        text = self._text()
        said = [{"uuid": f"{self._name}{self._number}", "sender": "human", "content": [{"type": "text", "text": text}]}]
        chat = {"uuid": f"{self._name}-{self._number}", "name": self._name, "chat_messages": said}
        data = json.dumps([chat]).encode()
        transfer = self._host.request("transfer.open", name="conversations.json", bytes=len(data))["transfer"]
        piece = base64.b64encode(data).decode()
        self._host.request("transfer.chunk", transfer=transfer, seq=0, base64=piece)
        self._follow(self._write("transfer.commit", {"transfer": transfer}, content=text))

    def _chat(self) -> str | None:
        with self._lock:
            return self._rng.choice(self._chats) if self._chats else None


def picture(rng: random.Random, side: int) -> str:
    """A PNG of noise, as a data URL: about three bytes a pixel."""
    rows = b"".join(b"\0" + rng.randbytes(3 * side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    )
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"
