"""Whatever two profiles do, every message that was ever said is in a conversation, in a saved chat, or in the archive."""

import itertools
import tempfile
from contextlib import ExitStack
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    archived,
    chat_ids,
    chat_texts,
    live_messages,
    open_services,
    prune,
    say,
)

from sidekeep.domain.scope import Scope
from sidekeep.service.services import Services

scopes = st.sampled_from([OWN, OTHER_PROFILE])


class Conversations(RuleBasedStateMachine):
    """Two profiles over one store, beside a model of what each should see."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._numbers = itertools.count()
        self.said: set[str] = set()
        self.seen: dict[Scope, list[str]] = {OWN: [], OTHER_PROFILE: []}

    @initialize()
    def open(self) -> None:
        home = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self.services: Services = self._stack.enter_context(open_services(home, in_memory=True))

    def teardown(self) -> None:
        self._stack.close()

    @rule(scope=scopes, role=st.sampled_from(["user", "assistant"]))
    def append(self, scope: Scope, role: str) -> None:
        text = f"message {next(self._numbers)}"
        self.services.conversation.append(scope, say(text, role=role, id=text))
        self.said.add(text)
        self.seen[scope].append(text)

    @rule(scope=scopes, data=st.data())
    def remove(self, scope: Scope, data: st.DataObject) -> None:
        if self.seen[scope]:
            text = data.draw(st.sampled_from(self.seen[scope]))
            self.services.conversation.remove(scope, text)
            self.seen[scope].remove(text)

    @rule(scope=scopes, data=st.data(), inclusive=st.booleans())
    def truncate(self, scope: Scope, data: st.DataObject, inclusive: bool) -> None:
        if self.seen[scope]:
            text = data.draw(st.sampled_from(self.seen[scope]))
            self.services.conversation.truncate(scope, text, inclusive=inclusive)
            del self.seen[scope][self.seen[scope].index(text) + (0 if inclusive else 1) :]

    @rule(scope=scopes)
    def clear(self, scope: Scope) -> None:
        self.services.conversation.clear(scope)
        self.seen[scope] = []

    @rule(scope=scopes)
    def save(self, scope: Scope) -> None:
        if self.seen[scope]:
            self.services.chats.save(scope, None)

    @rule(scope=scopes, data=st.data())
    def load(self, scope: Scope, data: st.DataObject) -> None:
        ids = chat_ids(self.services)
        if ids:
            chat_id = data.draw(st.sampled_from(ids))
            self.services.chats.load(scope, chat_id)
            self.seen[scope] = chat_texts(self.services, chat_id)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        ids = chat_ids(self.services)
        if ids:
            self.services.chats.delete(OWN, [data.draw(st.sampled_from(ids))])

    @rule(scope=scopes)
    def set_through_the_area(self, scope: Scope) -> None:
        """The panel of another program writes `history` as it read it, with one message more."""
        text = f"message {next(self._numbers)}"
        history = [say(known, id=known) for known in self.seen[scope]] + [say(text, id=text)]
        self.services.area.set(scope, {"history": history})
        self.said.add(text)
        self.seen[scope].append(text)

    @invariant()
    def each_profile_sees_its_own_conversation(self) -> None:
        for scope, texts in self.seen.items():
            assert [message["content"] for message in live_messages(self.services, scope)] == texts

    @invariant()
    def everything_that_was_said_is_somewhere(self) -> None:
        there = {text for texts in self.seen.values() for text in texts}
        for chat_id in chat_ids(self.services):
            there.update(chat_texts(self.services, chat_id))
        for _, texts in archived(self.services):
            there.update(texts)
        assert there == self.said

    @invariant()
    def no_row_is_left_that_nothing_names(self) -> None:
        prune(self.services)
        with self.services.database.reading() as tx:
            assert tx.execute("PRAGMA foreign_key_check").fetchall() == []
            unreferenced = (
                "SELECT count(*) FROM messages WHERE message_pk NOT IN (SELECT message_pk FROM transcript_events)"
            )
            assert next(tx.execute(unreferenced))[0] == 0
            unnamed = (
                "SELECT count(*) FROM sessions WHERE session_id NOT IN "
                "(SELECT session_id FROM session_entries WHERE session_id IS NOT NULL)"
            )
            assert next(tx.execute(unnamed))[0] == 0


TestConversations = Conversations.TestCase
TestConversations.settings = settings(max_examples=60, stateful_step_count=30)
