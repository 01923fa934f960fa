"""Folders: chats are filed under them, and outlive them."""

import pytest
from tests.service.test_limits import chat
from tests.support.stores import OWN, STRANGER, rows

from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service.services import Services
from sidekeep.store.archived import Wanted


def test_a_folder_counts_the_chats_in_it(services: Services) -> None:
    folder = services.folders.create(OWN, "  Work \n things ")
    first, second = chat(services, "first"), chat(services, "second")
    services.chats.move(OWN, first, folder.id)
    services.chats.move(OWN, second, folder.id)
    services.chats.move(OWN, second, None)
    (found,) = services.folders.all(OWN)
    assert found == (folder.id, "Work things", False, 1)
    assert [row.id for row, _ in services.chats.page(OWN, folder=folder.id, limit=9, offset=0).chats] == [first]


def test_deleting_a_folder_keeps_its_chats(services: Services) -> None:
    folder = services.folders.create(OWN, "Work")
    chat_id = chat(services, "first")
    services.chats.move(OWN, chat_id, folder.id)
    services.folders.delete(OWN, folder.id)
    ((found, size),) = services.chats.page(OWN, limit=9, offset=0).chats
    assert (found.id, found.folder, size.messages) == (chat_id, None, 1)
    assert services.folders.all(OWN) == []


@pytest.mark.parametrize("name", ["", "   ", "\n\t", "\u2003", "\u200b"])
def test_a_name_of_blanks_is_refused(services: Services, name: str) -> None:
    with pytest.raises(InvalidParams):
        services.folders.create(OWN, name)
    folder = services.folders.create(OWN, "Work")
    with pytest.raises(InvalidParams):
        services.folders.rename(OWN, folder.id, name)
    assert [found.name for found in services.folders.all(OWN)] == ["Work"]


def test_an_archived_chat_outlives_its_folder(services: Services) -> None:
    folder, other = services.folders.create(OWN, "Work"), services.folders.create(OWN, "Home")
    chats = [chat(services, "first"), chat(services, "second")]
    for chat_id, where in zip(chats, (folder, other), strict=True):
        services.chats.move(OWN, chat_id, where.id)
    services.chats.delete(OWN, list(chats))
    services.folders.delete(OWN, folder.id)
    assert rows(services, "archives") == 2
    for archive in services.archives.page(OWN, Wanted(), limit=9, offset=0)[0]:
        services.archives.restore(OWN, archive.id)
    found = {row.name: row.folder for row, _ in services.chats.page(OWN, limit=9, offset=0).chats}
    assert found == {"first": None, "second": other.id}


def test_a_folder_that_is_not_there_is_said_so(services: Services) -> None:
    chat_id = chat(services, "first")
    mine = services.folders.create(STRANGER, "Theirs").id
    for folder_id in ("nowhere", mine):
        with pytest.raises(NotFound):
            services.chats.move(OWN, chat_id, folder_id)
        with pytest.raises(NotFound):
            services.folders.rename(OWN, folder_id, "x")
        with pytest.raises(NotFound):
            services.folders.delete(OWN, folder_id)
    assert [found.name for found in services.folders.all(STRANGER)] == ["Theirs"]


def test_a_folder_is_kept_from_other_programs(services: Services) -> None:
    folder = services.folders.create(OWN, "Diary")
    services.folders.exclude(OWN, folder.id, excluded=True)
    assert services.folders.all(OWN)[0].excluded is True
    services.folders.exclude(OWN, folder.id, excluded=False)
    assert services.folders.all(OWN)[0].excluded is False
