"""Whatever is done in whatever order, nothing is lost, nothing is left over, and the index tells what the rows tell."""

import random
import tempfile
import uuid
from pathlib import Path
from typing import Any
from unittest.mock import patch

import orjson
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.support.pictures import picture, url_of
from tests.support.stores import OTHER_PROFILE, OWN, chat_ids, live_messages, open_services, prune

from sidekeep.domain.chat import Measure
from sidekeep.domain.message import MessageId
from sidekeep.errors import Conflict, InvalidParams
from sidekeep.service import session_index
from sidekeep.service.services import Services
from sidekeep.store import entries, search_index, transcripts
from sidekeep.store.archived import Wanted

PICTURES = [url_of(picture(8 + number, 8)) for number in range(3)]
SCOPES = st.sampled_from([OWN, OTHER_PROFILE])
PICK = st.integers(0, 10)


class Conversations(RuleBasedStateMachine):
    """Two profiles that do what people do, under limits that are soon reached."""

    services: Services

    @initialize()
    def open(self) -> None:
        # The same steps must meet the same ids again, or what was found cannot be made smaller.
        ids = random.Random(1)
        self._ids = patch.object(uuid, "uuid4", lambda: uuid.UUID(int=ids.getrandbits(128), version=4))
        self._ids.start()
        self._opened = open_services(Path(tempfile.mkdtemp()), in_memory=True)
        self.services = self._opened.__enter__()
        self.services.settings.attach(self.services.database)
        self.services.settings.set({"limits.chats": 4, "limits.messages": 7})
        self.said: set[str] = set()

    def teardown(self) -> None:
        if hasattr(self, "_opened"):
            with self.services.database.reading() as tx:
                assert list(search_index.complaints(tx)) == []
            self._opened.__exit__(None, None, None)
            self._ids.stop()

    @rule(scope=SCOPES, kind=st.sampled_from(["question", "answer", "page", "picture"]))
    def append(self, scope: Any, kind: str) -> None:
        text = f"message {len(self.said)}"
        message: dict[str, Any] = {"role": "assistant" if kind == "answer" else "user", "content": text, "id": text}
        if kind == "page":
            message["attachId"] = text
        if kind == "picture":
            url = PICTURES[len(self.said) % len(PICTURES)]
            message["content"] = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
        self.services.conversation.append(scope, message)
        self.said.add(text)

    @rule(scope=SCOPES, pick=PICK, inclusive=st.booleans())
    def edit(self, scope: Any, pick: int, *, inclusive: bool) -> None:
        there = live_messages(self.services, scope)
        if there:
            self.services.conversation.truncate(scope, there[pick % len(there)]["id"], inclusive=inclusive)

    @rule(scope=SCOPES, pick=PICK)
    def remove(self, scope: Any, pick: int) -> None:
        there = live_messages(self.services, scope)
        if there:
            self.services.conversation.remove(scope, there[pick % len(there)]["id"])

    @rule(scope=SCOPES)
    def new_chat(self, scope: Any) -> None:
        self.services.conversation.clear(scope)

    @rule(scope=SCOPES)
    def save(self, scope: Any) -> None:
        if live_messages(self.services, scope):
            self.services.chats.save(scope, None)

    def _chat(self, pick: int) -> str:
        ids = sorted(chat_ids(self.services))
        return ids[pick % len(ids)]

    def _has_chats(self) -> bool:
        return bool(chat_ids(self.services))

    @precondition(_has_chats)
    @rule(scope=SCOPES, pick=PICK)
    def load(self, scope: Any, pick: int) -> None:
        self.services.chats.load(scope, self._chat(pick))

    @precondition(_has_chats)
    @rule(pick=PICK)
    def pin(self, pick: int) -> None:
        self.services.chats.pin(OWN, self._chat(pick), pinned=True)

    @precondition(_has_chats)
    @rule(pick=PICK)
    def delete(self, pick: int) -> None:
        self.services.chats.delete(OWN, [self._chat(pick)])

    @precondition(_has_chats)
    @rule(pick=PICK, kept=PICK)
    def compact(self, pick: int, kept: int) -> None:
        chat_id = self._chat(pick)
        there = orjson.loads(orjson.dumps(self.services.chats.get(OWN, chat_id, "none")[2]))
        if not there:
            return
        try:
            first_kept = MessageId(there[kept % len(there)]["id"])
            self.services.checkpoints.compact(OWN, chat_id, "Short.", first_kept=first_kept)
        except (Conflict, InvalidParams):
            pass  # there is nothing to summarise, or less than the summary says

    @precondition(_has_chats)
    @rule(pick=PICK)
    def return_to_a_checkpoint(self, pick: int) -> None:
        chat_id = self._chat(pick)
        found = self.services.checkpoints.all(OWN, chat_id)
        if found:
            self.services.checkpoints.restore(OWN, chat_id, found[pick % len(found)][0].id)

    @precondition(_has_chats)
    @rule(pick=PICK)
    def delete_a_checkpoint(self, pick: int) -> None:
        chat_id = self._chat(pick)
        found = self.services.checkpoints.all(OWN, chat_id)
        if found:
            self.services.checkpoints.delete(OWN, chat_id, found[pick % len(found)][0].id)

    @rule(pick=PICK)
    def take_from_the_archive(self, pick: int) -> None:
        found, _ = self.services.archives.page(OWN, Wanted(), limit=99, offset=0)
        if found:
            self.services.archives.restore(OWN, found[pick % len(found)].id)

    @rule()
    def time_passes(self) -> None:
        prune(self.services)

    @invariant()
    def nothing_is_lost(self) -> None:
        if not hasattr(self, "services"):
            return
        with self.services.database.reading() as tx:
            there = {str(found) for (found,) in tx.execute("SELECT event_id FROM transcript_event_identities")}
        for archive in self.services.archives.page(OWN, Wanted(), limit=999, offset=0)[0]:
            messages = orjson.loads(orjson.dumps(self.services.archives.get(OWN, archive.id, "none")[1]))
            there |= {message["id"] for message in messages}
        assert self.said <= there

    @invariant()
    def nothing_is_left_over(self) -> None:
        if not hasattr(self, "services"):
            return
        nothing = {
            "a transcript that no entry names": "SELECT session_id FROM sessions EXCEPT SELECT session_id FROM entry_families",
            "an entry that names no transcript": "SELECT session_id FROM entry_families EXCEPT SELECT session_id FROM sessions",
            "an archived transcript that is named": "SELECT session_id FROM archives JOIN entry_families USING (session_id)",
            "a row that nothing refers to": "SELECT message_pk FROM messages EXCEPT SELECT message_pk FROM transcript_events "
            "EXCEPT SELECT message_pk FROM unreferenced_messages",
            "events without identities": "SELECT session_id, seq FROM transcript_events EXCEPT "
            "SELECT session_id, seq FROM transcript_event_identities",
            "a picture that nothing shows": "SELECT sha256 FROM blobs EXCEPT SELECT sha256 FROM message_pixels "
            "EXCEPT SELECT sha256 FROM archive_blobs",
            "a picture that is missing": "SELECT sha256 FROM message_pixels UNION SELECT sha256 FROM archive_blobs "
            "EXCEPT SELECT sha256 FROM blobs",
        }
        with self.services.database.reading() as tx:
            assert {what: rows for what, query in nothing.items() if (rows := tx.execute(query).fetchall())} == {}

    @invariant()
    def the_index_is_what_the_rows_are(self) -> None:
        if not hasattr(self, "services"):
            return
        index = orjson.loads(self.services.area.get(OWN, ["savedSessions"]).get("savedSessions", b"[]"))
        with self.services.database.reading() as tx:
            chats = {chat.id: chat for chat in entries.chats(tx, OWN.namespace)}
            assert [item["id"] for item in index] == list(chats)
            for item in index:
                chat = chats[item["id"]]
                stored = transcripts.messages(tx, chat.session_id)
                assert item["textDigest"] == session_index.digest_of(stored)
                assert chat.measure == session_index.grown(Measure(), stored)


Conversations.TestCase.settings = settings(
    max_examples=30, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestConversations = Conversations.TestCase
