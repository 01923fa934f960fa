"""Attachments: pages that become entries of the live conversation."""

import uuid
from dataclasses import dataclass
from typing import Any

import orjson

from sidekeep.domain import attachment
from sidekeep.domain.message import StoredMessage, text_of
from sidekeep.domain.scope import Scope
from sidekeep.domain.shortened import is_shortened, original_content, restored
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service import live, messages
from sidekeep.service.clock import Clock
from sidekeep.service.limits import NO_LIMITS, Limits
from sidekeep.service.writing import Writes
from sidekeep.store import entries, transcripts
from sidekeep.store.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class PageToAttach:
    """What was read from a page. `images` are data URLs."""

    url: str
    title: str
    mode: str
    text: str
    header_block: str = ""
    images: tuple[str, ...] = ()
    video_src: str | None = None


@dataclass(frozen=True, slots=True)
class Attached:
    attach_id: str
    title: str
    chars: int
    images: int


@dataclass(frozen=True, slots=True)
class Original:
    """An attachment as it was attached; `summary` is what the model is shown in its place, `images` are refs."""

    text: str
    summary: str | None
    images: tuple[str, ...]


class Attachments:
    """One store's attachments."""

    def __init__(self, database: Database, clock: Clock, limits: Limits = NO_LIMITS) -> None:
        self._database = database
        self._clock = clock
        self._writes = Writes(database, clock, limits)

    def add(self, scope: Scope, page: PageToAttach) -> Attached:
        """Append a page to the live conversation. Raises InvalidParams where there is nothing on it."""
        if not page.text.strip() and not page.images:
            raise InvalidParams(
                "The page has no readable text, so there is nothing to attach.",
                errors=[{"loc": "page.text", "msg": "is empty"}],
            )
        attach_id = str(uuid.uuid4())
        prepared = messages.prepare(_entry(page, attach_id), self._clock())
        with self._writes.begin(scope) as write:
            messages.store_pictures(write.tx, prepared)
            live.append(write, prepared.message)
        title = " ".join(page.title.split())
        return Attached(attach_id, title, len(page.text), len(prepared.pictures))

    def get(self, scope: Scope, attach_id: str) -> Original:
        """What was attached, also where storage keeps less of it by now. Raises NotFound."""
        with self._database.reading() as tx:
            stored = _found(tx, scope, attach_id)
        message = orjson.loads(stored.body)
        return Original(
            text=text_of(original_content(message)),
            summary=text_of(message["content"]) if message.get("summarized") is True else None,
            images=tuple(dict.fromkeys(cut.sha256.hex() for cut in stored.cuts)),
        )

    def restore(self, scope: Scope, attach_id: str) -> None:
        """Put the original back in the place of a summary, or of what a rescue left. Raises NotFound."""
        with self._writes.begin(scope) as write:
            stored = _found(write.tx, scope, attach_id)
            if is_shortened(orjson.loads(stored.body)):
                live.replace(write, stored, messages.changed(write.tx, stored, restored))

    def remove(self, scope: Scope, attach_id: str) -> None:
        """Take an attachment out of the conversation; it goes to the archive. Raises NotFound."""
        with self._writes.begin(scope) as write:
            stored = _found(write.tx, scope, attach_id)
            own = live.ensure(write)
            seq = transcripts.position(write.tx, own.session_id, stored.message_id)
            if seq is not None:
                live.remove(write, seq, seq)
                live.settle(write)


def _entry(page: PageToAttach, attach_id: str) -> dict[str, Any]:
    text = attachment.render(
        url=page.url, title=page.title, mode=page.mode, text=page.text, header_block=page.header_block
    )
    content: str | list[dict[str, Any]] = text
    if page.images:
        pictures = [{"type": "image_url", "image_url": {"url": url}} for url in page.images]
        content = [{"type": "text", "text": text}, *pictures]
    entry: dict[str, Any] = {"role": "user", "content": content, "attachId": attach_id}
    if page.video_src:
        entry["videoSrc"] = page.video_src
    return entry


def _found(tx: Transaction, scope: Scope, attach_id: str) -> StoredMessage:
    own = entries.live(tx, scope)
    stored = transcripts.by_attachment(tx, own.session_id, attach_id) if own is not None else None
    if stored is None:
        raise NotFound("That attachment is not in the conversation (any more).", what="attachment", id=attach_id)
    return stored
