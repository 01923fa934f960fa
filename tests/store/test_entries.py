"""Entries: questions about them hold for every id that an extension or an import may give a chat."""

from pathlib import Path

import pytest
from tests.support.stores import OWN, open_services, say

from sidekeep.store import entries


@pytest.mark.parametrize("chat_id", ["plain", "a\0b", "chat:", "%_"])
def test_the_chat_of_an_attachment_is_found_whatever_its_id_is(tmp_path: Path, chat_id: str) -> None:
    with open_services(tmp_path) as services:
        services.area.set(OWN, {f"session_{chat_id}": [say("a page", attachId="A"), say("a question")]})
        with services.database.reading() as tx:
            found = entries.chats_with_attachment(tx, OWN.namespace, "A")
            assert entries.chats_with_attachment(tx, OWN.namespace, "B") == []
    assert [chat.id for chat in found] == [chat_id]
