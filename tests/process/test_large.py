"""Large things: pictures, pages, replies."""

import base64
import hashlib
import os
from pathlib import Path

from tests.support.host import RunningHost

MEGABYTE = 1024 * 1024
WIRE_LIMIT = 1_048_576


def _picture(size: int) -> tuple[str, str]:
    """A data URL of so many bytes that are no picture any decoder knows, and its ref."""
    data = os.urandom(size)
    return "data:image/png;base64," + base64.b64encode(data).decode(), hashlib.sha256(data).hexdigest()


def _message(url: str) -> dict[str, object]:
    return {
        "id": "m",
        "role": "user",
        "content": [{"type": "text", "text": "Look 👀"}, {"type": "image_url", "image_url": {"url": url}}],
    }


def test_a_picture_of_20_mb_comes_in_one_message(host: RunningHost) -> None:
    url, ref = _picture(20 * MEGABYTE)
    host.request("history.append", message=_message(url))
    assert host.request("image.get", ref=ref)["dataUrl"] == url
    assert host.request("ping") == {}
    assert max(host.frame_sizes) <= WIRE_LIMIT


def test_a_picture_of_20_mb_comes_in_parts_between_other_requests(host: RunningHost) -> None:
    url, ref = _picture(20 * MEGABYTE)
    message = host.numbered("history.append", {"message": _message(url)})
    host.send_in_parts(message, stream="big")
    ping = host.start("ping")
    assert host.result(ping) == {}
    assert host.result(message["id"]) == {"id": "m", "index": 0}
    assert host.request("image.get", ref=ref)["dataUrl"] == url


def test_the_area_gives_a_large_history_back_as_it_was_set(host: RunningHost) -> None:
    url, _ = _picture(6 * MEGABYTE)
    history = [_message(url), {"role": "assistant", "content": "I see 🦊.", "odd": [1, None, {"deep": "é"}]}]
    host.request("storage.watch", keys=["history"], values=False)
    host.request("storage.set", items={"history": history})
    assert host.request("storage.get", keys="history") == {"items": {"history": history}}
    assert max(host.frame_sizes) <= WIRE_LIMIT


def test_a_page_of_5_mb_is_attached_whole(host: RunningHost) -> None:
    text = "Ein Absatz über Füchse 🦊.\n" * (5 * MEGABYTE // 30)
    page = {"url": "https://example.org/", "title": "Foxes", "mode": "article", "text": text}
    added = host.request("attachments.add", page=page)
    assert added["chars"] == len(text)
    assert host.request("attachments.get", attachId=added["attachId"])["text"].endswith(text)


def test_ping_is_answered_while_a_large_message_is_being_stored(host: RunningHost) -> None:
    url, _ = _picture(12 * MEGABYTE)
    append = host.start("history.append", message=_message(url))
    ping = host.start("ping")
    host.result(append)
    host.result(ping)
    order = [message["id"] for message in host.messages if message.get("id") in (append, ping)]
    assert order == [ping, append]


def test_nothing_of_a_large_message_is_left_outside_the_store(home: Path, host: RunningHost) -> None:
    url, _ = _picture(3 * MEGABYTE)
    host.request("history.append", message=_message(url))
    assert {path.name for path in home.iterdir() if path.is_file()} <= {
        "sidekeep.sqlite3",
        "sidekeep.sqlite3-wal",
        "sidekeep.sqlite3-shm",
        "changes.tick",
    }
