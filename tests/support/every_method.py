"""One conversation that calls every method of the table, each with a text that can be recognised."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from tests.browser.model_server import ModelServer
from tests.support.host import RunningHost
from tests.support.turns import ask, ask_halfway

# A PNG of one pixel.
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def call_everything(host: RunningHost, model: ModelServer, marker: str) -> Iterator[tuple[str, Any]]:
    """Yield each method's name with a result of it. `marker` goes wherever a text may go; the key is `key-<marker>`."""

    def call(method: str, **params: Any) -> tuple[str, Any]:
        return method, host.request(method, **params)

    yield call("hello", client="tests", version="0", protocol=1, profile=marker)
    yield call("ping")
    yield call("settings.get")
    yield call("settings.set", settings={"backup.daily": 6})
    yield call("settings.preview", settings={"limits.messages": 1})
    yield call("storage.watch", keys=[f"watched {marker}"], values=False)
    providers = {"test": {**model.provider(), "apiKey": f"key-{marker}"}}
    yield call("storage.set", items={marker: {marker: [marker]}, "providers": providers, "activeProvider": "test"})
    yield call("storage.get", keys=[marker, "providers"])
    yield call("storage.getAll")
    yield call("storage.getKeys")
    yield call("storage.getBytesInUse", keys=None)
    yield call("secrets.set", provider="test", apiKey=f"key-{marker}")
    yield call("providers.models", provider="test")
    yield call("providers.test", provider="test")
    yield call("providers.detect")
    yield call("attachments.add", **_page(marker))
    attach_id = _last(host)["attachId"]
    yield call("attachments.get", attachId=attach_id)
    yield call("attachments.restore", attachId=attach_id)
    yield call("attachments.remove", attachId=attach_id)
    parts = [{"type": "text", "text": marker}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    yield call("history.append", message={"role": "user", "content": parts})
    yield call("history.get", pixels="full")
    yield call("image.get", ref=_last(host)["content"][1]["image_url"]["ref"])
    done = ask(host, f"{marker}?", images=[PIXEL])
    yield "turn.send", {"turn": done["turn"]}
    turn = ask_halfway(host, model, f"{marker} again?")
    yield call("turn.peek")
    yield call("turn.cancel", turn=turn)
    model.gate.set()
    prepared = host.request("request.prepare", text=f"{marker} myself?", images=[PIXEL], provider="test")
    yield "request.prepare", prepared
    request = prepared["request"]
    yield call("request.failed", request=request, status=429, body=marker)
    yield call("request.succeeded", request=request, message={"content": marker})
    yield call("history.truncate", id=_last(host)["id"])
    yield call("history.remove", id=_last(host)["id"])
    yield call("sessions.save", name=f"saved {marker}")
    yield call("sessions.list", query=marker)
    chat = host.request("sessions.list")["sessions"][0]["id"]
    yield call("sessions.rename", id=chat, name=f"renamed {marker}")
    yield call("sessions.get", id=chat)
    yield call("history.clear")
    yield call("sessions.load", id=chat)
    yield call("status")
    yield from _kept(host, chat, marker)
    yield from _transferred(host, marker)
    yield call("sessions.delete", ids=[chat])
    archive = host.request("archive.list")["archives"][0]["id"]
    yield call("archive.list", evicted=False)
    yield call("archive.get", id=archive)
    yield call("archive.restore", id=archive)
    yield call("sessions.clear", forGood=True)
    yield call("archive.purge", before=2**53)
    yield call("settings.get")
    yield call("settings.set", settings={"limits.chats": 100})
    yield call("settings.preview", settings={"limits.chats": 1})
    yield call("backups.make")
    yield call("backups.list")
    yield call("adoption.state")
    yield call("adoption.body", id="adopted", value=[{"role": "user", "content": marker}])
    yield call("adoption.finish", items={"theme": marker, "savedSessions": [{"id": "adopted", "name": marker}]})
    yield call("adoption.read", key="session_adopted")
    yield call("secrets.clear", provider="test")
    yield call("storage.remove", keys=marker)
    yield call("storage.clear")


def _kept(host: RunningHost, chat: str, marker: str) -> Iterator[tuple[str, Any]]:
    """What keeps chats in order: folders, pins, branches, checkpoints."""

    def call(method: str, **params: Any) -> tuple[str, Any]:
        return method, host.request(method, **params)

    folder = host.request("folders.create", name=marker)["id"]
    yield call("folders.create", name=f"second {marker}")
    yield call("folders.rename", id=folder, name=f"renamed {marker}")
    yield call("folders.exclude", id=folder, excluded=True)
    yield call("sessions.move", id=chat, folder=folder)
    yield call("sessions.pin", id=chat, pinned=True)
    yield call("folders.list")
    yield call("sessions.branch", id=chat, messageId=host.request("sessions.get", id=chat)["messages"][0]["id"])
    for number in range(4):
        host.request("history.append", message={"role": "user", "content": f"{marker} " * 20, "id": f"{number}"})
        host.request("history.append", message={"role": "assistant", "content": f"{marker} " * 20})
    compacted = call("sessions.compact", summary=marker)
    yield compacted
    yield call("sessions.checkpoints", id=chat)
    yield call("sessions.restore", id=chat, checkpoint=compacted[1]["checkpoint"]["id"])
    yield call("sessions.deleteCheckpoint", id=chat, checkpoint=compacted[1]["checkpoint"]["id"])
    yield call("folders.delete", id=folder)


def _transferred(host: RunningHost, marker: str) -> Iterator[tuple[str, Any]]:
    """A file of another program in, everything out."""
    said = [{"uuid": "m", "sender": "human", "content": [{"type": "text", "text": marker}], "apiKey": f"key-{marker}"}]
    data = json.dumps([{"uuid": marker, "name": marker, "chat_messages": said}]).encode()
    opened = host.request("transfer.open", name=f"{marker}.json", bytes=len(data))
    yield "transfer.open", opened
    piece = {"transfer": opened["transfer"], "seq": 0, "base64": base64.b64encode(data).decode()}
    yield "transfer.chunk", host.request("transfer.chunk", **piece)
    yield "transfer.commit", host.request("transfer.commit", transfer=opened["transfer"])
    yield "transfer.export", host.request("transfer.export", what="all", format="json")


def _page(marker: str) -> dict[str, Any]:
    page = {
        "url": f"https://user:{marker}@example.org/{marker}",
        "title": marker,
        "mode": "article",
        "text": f"{marker} {marker}",
        "headerBlock": f"Author: {marker}",
    }
    return {"page": page, "images": [PIXEL], "videoSrc": f"https://example.org/{marker}.mp4"}


def _last(host: RunningHost) -> dict[str, Any]:
    found: dict[str, Any] = host.request("history.get", pixels="none")["messages"][-1]
    return found
