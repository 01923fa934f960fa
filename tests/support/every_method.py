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


Called = Iterator[tuple[str, Any]]


class Caller:
    """Calls methods of a host; gives each one's name with its result."""

    def __init__(self, host: RunningHost) -> None:
        self.host = host

    def __call__(self, method: str, **params: Any) -> tuple[str, Any]:
        return method, self.host.request(method, **params)


def call_everything(host: RunningHost, model: ModelServer, marker: str) -> Called:
    """Yield each method's name with a result of it. `marker` goes wherever a text may go; the key is `key-<marker>`."""
    call = Caller(host)
    yield call("hello", client="tests", version="0", protocol=1, profile=marker)
    yield call("ping")
    yield from _settings(call)
    yield from _area(call, model, marker)
    yield from _providers(call, marker)
    yield from _attachments(call, marker)
    yield from _turns(call, model, marker)
    yield from _own_fetch(call, marker)
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
    yield from _kept(call, chat, marker)
    yield from _transferred(call, marker)
    yield from _archived(call, chat)
    yield call("backups.make")
    yield call("backups.list")
    yield from _adopted(call, marker)
    yield call("secrets.clear", provider="test")
    yield call("storage.remove", keys=marker)
    yield call("storage.clear")


def _settings(call: Caller) -> Called:
    yield call("settings.get")
    yield call("settings.set", settings={"backup.daily": 6, "limits.chats": 100})
    yield call("settings.preview", settings={"limits.chats": 1, "limits.messages": 1})


def _area(call: Caller, model: ModelServer, marker: str) -> Called:
    yield call("storage.watch", keys=[f"watched {marker}"], values=False)
    providers = {"test": {**model.provider(), "apiKey": f"key-{marker}"}}
    yield call("storage.set", items={marker: {marker: [marker]}, "providers": providers, "activeProvider": "test"})
    yield call("storage.get", keys=[marker, "providers"])
    yield call("storage.getAll")
    yield call("storage.getKeys")
    yield call("storage.getBytesInUse", keys=None)


def _providers(call: Caller, marker: str) -> Called:
    yield call("secrets.set", provider="test", apiKey=f"key-{marker}")
    yield call("providers.models", provider="test")
    yield call("providers.test", provider="test")
    yield call("providers.detect")


def _attachments(call: Caller, marker: str) -> Called:
    yield call("attachments.add", **_page(marker))
    attach_id = _last(call.host)["attachId"]
    yield call("attachments.get", attachId=attach_id)
    yield call("attachments.restore", attachId=attach_id)
    yield call("attachments.remove", attachId=attach_id)


def _turns(call: Caller, model: ModelServer, marker: str) -> Called:
    """A picture in the conversation, an answer about it, and one that is stopped."""
    parts = [{"type": "text", "text": marker}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    yield call("history.append", message={"role": "user", "content": parts})
    yield call("history.get", pixels="full")
    yield call("image.get", ref=_last(call.host)["content"][1]["image_url"]["ref"])
    done = ask(call.host, f"{marker}?", images=[PIXEL])
    yield "turn.send", {"turn": done["turn"]}
    turn = ask_halfway(call.host, model, f"{marker} again?")
    yield call("turn.peek")
    yield call("turn.cancel", turn=turn)
    model.gate.set()


def _own_fetch(call: Caller, marker: str) -> Called:
    prepared = call("request.prepare", text=f"{marker} myself?", images=[PIXEL], provider="test")
    yield prepared
    request = prepared[1]["request"]
    yield call("request.failed", request=request, status=429, body=marker)
    yield call("request.succeeded", request=request, message={"content": marker})


def _kept(call: Caller, chat: str, marker: str) -> Called:
    """What keeps chats in order: folders, pins, branches, checkpoints."""
    host = call.host
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
    checkpoint = compacted[1]["checkpoint"]["id"]
    yield call("sessions.checkpoints", id=chat)
    yield call("sessions.restore", id=chat, checkpoint=checkpoint)
    yield call("sessions.deleteCheckpoint", id=chat, checkpoint=checkpoint)
    yield call("folders.delete", id=folder)


def _transferred(call: Caller, marker: str) -> Called:
    """A file of another program in, everything out."""
    said = [{"uuid": "m", "sender": "human", "content": [{"type": "text", "text": marker}], "apiKey": f"key-{marker}"}]
    data = json.dumps([{"uuid": marker, "name": marker, "chat_messages": said}]).encode()
    opened = call("transfer.open", name=f"{marker}.json", bytes=len(data))
    yield opened
    transfer = opened[1]["transfer"]
    yield call("transfer.chunk", transfer=transfer, seq=0, base64=base64.b64encode(data).decode())
    yield call("transfer.commit", transfer=transfer)
    yield call("transfer.export", what="all", format="json")


def _archived(call: Caller, chat: str) -> Called:
    """A chat deleted, given back, and everything deleted for good."""
    yield call("sessions.delete", ids=[chat])
    archive = call.host.request("archive.list")["archives"][0]["id"]
    yield call("archive.list", evicted=False)
    yield call("archive.get", id=archive)
    yield call("archive.restore", id=archive)
    yield call("sessions.clear", forGood=True)
    yield call("archive.purge", before=2**53)


def _adopted(call: Caller, marker: str) -> Called:
    yield call("adoption.state")
    yield call("adoption.body", id="adopted", value=[{"role": "user", "content": marker}])
    yield call("adoption.finish", items={"theme": marker, "savedSessions": [{"id": "adopted", "name": marker}]})
    yield call("adoption.read", key="session_adopted")


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
