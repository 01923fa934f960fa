"""A turn's two writes: the question before anything is asked, the answer after; and what the request is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from sidekeep.domain import pixels
from sidekeep.domain.chat import Chat, ChatId, Live, SessionId
from sidekeep.domain.message import MessageId, text_of
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.request.build import RequestSettings
from sidekeep.request.fit import WHOLE, Cut
from sidekeep.request.view import Entry, Image
from sidekeep.service import bodies, live, messages, retention, said
from sidekeep.service.clock import Clock
from sidekeep.service.key_values import session_key
from sidekeep.service.limits import NO_LIMITS, Limits
from sidekeep.service.shortening import shorten, shorten_live
from sidekeep.service.showing import show, showing
from sidekeep.service.writing import Writes
from sidekeep.store import archived, blobs, entries, message_rows, partial_answers, transcripts
from sidekeep.store.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class Question:
    """What a person sends. `images` are data URLs; `replaces` names the message it takes the place of."""

    text: str | None
    images: tuple[str, ...] | None
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A committed question: where it stands, how it is shown, and the conversation up to and with it.

    `question_pk` is the question's row. `cut` is what the last request left out of it.
    """

    session_id: SessionId
    chat_id: ChatId
    shown: orjson.Fragment
    conversation: tuple[Entry, ...]
    settings: RequestSettings
    question_id: MessageId
    question_pk: int
    replaced: SessionId | None = None
    cut: Cut = WHOLE

    @property
    def place(self) -> "Place":
        """Where its answer is to stand."""
        return self.session_id, self.chat_id


@dataclass(frozen=True, slots=True)
class Left:
    """What a turn leaves to its conversation: where its request was cut, for the next one (None: nothing was answered), and by
    attachId what storage keeps of attachments that a rescue made fit.
    """

    cut: Cut | None
    shortened: Mapping[str, str]


# The live transcript, and the chat it belongs to ("" for none).
Place = tuple[SessionId, ChatId]


class TurnStore:
    """The turn's side of one store."""

    def __init__(self, database: Database, clock: Clock, limits: Limits = NO_LIMITS) -> None:
        self._database = database
        self._clock = clock
        self._writes = Writes(database, clock, limits)

    def place(self, scope: Scope) -> Place:
        """Where the next turn will stand."""
        with self._writes.begin(scope) as write:
            return _place(live.ensure(write))

    def ask(self, scope: Scope, question: Question, place: Place) -> Asked | None:
        """Commit a question at that place; None where the live conversation is another one by now.

        With `replaces` the old one and what followed it go to the archive in the same transaction. Raises InvalidParams for an
        empty question, NotFound for one that is not there to be replaced.
        """
        with self._database.reading() as tx:
            replaced = _replaced_content(tx, scope, question.replaces) if question.replaces is not None else ""
        prepared = messages.prepare(_user_message(question, replaced), self._clock())
        with self._writes.begin(scope) as write:
            if _place(live.ensure(write)) != place:
                return None
            replaced = None
            if question.replaces is not None:
                replaced = live.remove(write, _position(write.tx, scope, question.replaces), None).session_id
            messages.store_pictures(write.tx, prepared)
            own = live.append(write, prepared.message)
            conversation = transcripts.messages(write.tx, own.session_id)
            asked = Asked(
                own.session_id,
                own.chat_id,
                messages.render(write.tx, conversation[-1:], "thumbnail")[0],
                said.entries(write.tx, own.session_id, conversation),
                said.settings(write.tx, scope, write.limits.request_bytes),
                prepared.message.message_id,
                conversation[-1].message_pk,
                replaced,
                said.cut(write.tx, own.session_id),
            )
        rows: dict[str, int] = {message.message_id: message.message_pk for message in conversation}
        return replace(asked, conversation=said.estimated(self._database, asked.conversation, rows))

    def take_back(self, scope: Scope, asked: Asked) -> None:
        """Undo a question: it goes to the archive, and what it replaced comes back.

        Where the conversation has gone on meanwhile, or what was replaced is in the archive no longer, it stays as it is.
        """
        with self._writes.begin(scope) as write:
            archive = archived.of_session(write.tx, asked.replaced) if asked.replaced is not None else None
            chat = self._elsewhere(write.tx, scope, asked.place)
            where = chat.session_id if chat is not None else asked.session_id
            seq = transcripts.position(write.tx, where, asked.question_id)
            is_last = seq is not None and seq == transcripts.last_seq(write.tx, where)
            if seq is None or not is_last or (asked.replaced is not None and archive is None):
                return
            old = archived.give_back(write.tx, archive.id, write.now_ms) if archive is not None else None
            rows = transcripts.references(write.tx, old) if old is not None else []
            if chat is not None:
                shown = showing(write, chat)
                show(write, shown, bodies.replace_tail(write, chat, seq, rows))
            else:
                live.replace_tail(write, seq, rows)
                live.settle(write)
            if old is not None:
                transcripts.delete(write.tx, old, write.now_ms)

    def answer(self, scope: Scope, place: Place, message: dict[str, Any], left: Left) -> orjson.Fragment:
        """Write an answer into the conversation it was asked in, wherever the person is by now. Returns it as shown.

        What the turn left goes into the same transaction, so that the conversation is never without either; and what was noted
        of the answer while it came goes.
        """
        prepared = messages.prepare(message, self._clock())
        with self._writes.begin(scope) as write:
            partial_answers.drop(write.tx, prepared.message.message_id)
            chat = self._elsewhere(write.tx, scope, place)
            if chat is not None:
                where = chat.session_id
                write.touch(session_key(chat.id))
                shown = showing(write, chat)
                given_up = shorten(write, where, left.shortened, "rescued")
                row = transcripts.append(write.tx, where, prepared.message)
                chat = bodies.changed(write, chat, appended=None if given_up else (row,))
                show(write, shown, chat)
                message_rows.give_up(write.tx, given_up, write.now_ms)
                retention.trim_chat(write, chat)
            else:
                shorten_live(write, left.shortened, "rescued")
                where = live.append(write, prepared.message).session_id
            if left.cut is not None:
                said.keep_cut(write.tx, where, left.cut)
            return messages.render(write.tx, transcripts.messages(write.tx, where)[-1:], "thumbnail")[0]

    def _elsewhere(self, tx: Transaction, scope: Scope, place: Place) -> Chat | None:
        """The chat that a question was asked in, where the person has another conversation open by now."""
        session_id, chat_id = place
        own = entries.live(tx, scope)
        if own is not None and own.session_id == session_id:
            return None
        chat = entries.chat(tx, scope.namespace, chat_id)
        return chat if chat is not None and chat.session_id else None

    def data_urls(self, wanted: frozenset[Image]) -> dict[Image, bytes]:
        """The pictures a request sends, as data URLs; of one that goes out as its thumbnail the thumbnail, where there is one."""
        if not wanted:
            return {}
        with self._database.reading() as tx:
            found = {image: _file(tx, image) for image in wanted}
        return {image: pixels.data_url(data) for image, data in found.items() if data is not None}


def _file(tx: Transaction, image: Image) -> bytes | None:
    thumbnail = blobs.thumbnail(tx, image.sha256) if image.thumbnail else None
    if thumbnail is not None:
        return thumbnail
    found = blobs.original(tx, image.sha256)
    return None if found is None else found[1]


def _position(tx: Transaction, scope: Scope, message_id: str) -> int:
    own = entries.live(tx, scope)
    seq = transcripts.position(tx, own.session_id, message_id) if own is not None else None
    if seq is None:
        raise NotFound("The message to replace is not in the conversation (any more).", what="message", id=message_id)
    return seq


def _replaced_content(tx: Transaction, scope: Scope, message_id: str) -> Any:
    """The content of the message that is to be replaced, pictures included."""
    _position(tx, scope, message_id)
    own = entries.live(tx, scope)
    rows = transcripts.messages(tx, own.session_id) if own is not None else []
    stored = [message for message in rows if message.message_id == message_id]
    return orjson.loads(messages.verbatim(tx, stored))[0].get("content")


def _user_message(question: Question, replaced: Any) -> dict[str, Any]:
    """The question as a message. What is absent is taken from the content that it replaces."""
    text = question.text if question.text is not None else text_of(replaced)
    if question.images is not None:
        images = [{"type": "image_url", "image_url": {"url": url}} for url in question.images]
    else:
        images = [part for part in replaced if part.get("type") == "image_url"] if isinstance(replaced, list) else []
    if not text.strip() and not images:
        raise InvalidParams(
            "There is nothing to send: write a question first.", errors=[{"loc": "text", "msg": "is empty"}]
        )
    return {"role": "user", "content": [{"type": "text", "text": text}, *images] if images else text}


def _place(own: Live) -> Place:
    return own.session_id, own.chat_id
