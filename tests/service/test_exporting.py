"""Exports: everything comes back exactly as JSON; Markdown and HTML are for people; no key is ever in any of them."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from tests.support.dumps import every_row
from tests.support.filled import fill
from tests.support.stores import (
    OWN,
    STRANGER,
    chat_ids,
    chat_texts,
    open_services,
    plain,
    rows,
    say,
)

from sidekeep.errors import Cancelled, NotFound
from sidekeep.service.export_view import Format, Order
from sidekeep.service.services import Services
from sidekeep.store import imports
from sidekeep.store.archived import Wanted

KEY = "sk-NOT-A-KEY-9f8e7d"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(tmp_path / "home") as opened:
        yield opened


def test_an_export_goes_into_a_store_that_has_other_chats(services: Services, tmp_path: Path) -> None:
    fill(services)
    file = services.exports.make(OWN, Order()).file
    with open_services(tmp_path / "other") as other:
        other.conversation.append(OWN, say("Mine"))
        (mine,) = chat_ids(other)
        other.imports.run(OWN, [file])
        assert set(chat_ids(other)) == {mine, *chat_ids(services)}
        assert plain(other.conversation.get(OWN, "none")[0])[0]["content"] == "Mine"


def _continued(services: Services, chat_id: str, text: str) -> None:
    services.chats.load(OWN, chat_id)
    services.conversation.append(OWN, say(text))


def test_a_chat_that_both_stores_have_continued_is_there_twice(services: Services, tmp_path: Path) -> None:
    services.conversation.append(OWN, say("Both"))
    (chat_id,) = chat_ids(services)
    first = services.exports.make(OWN, Order()).file
    with open_services(tmp_path / "other") as other:
        other.imports.run(OWN, [first])
        _continued(services, chat_id, "One")
        assert other.imports.run(OWN, [services.exports.make(OWN, Order()).file]).counts["updated"] == 1
        _continued(services, chat_id, "Two")
        _continued(other, chat_id, "Three")
        second = services.exports.make(OWN, Order()).file
        for outcome in ("added", "unchanged"):
            assert other.imports.run(OWN, [second]).counts == {outcome: 1}
        texts = {
            tuple(message["content"] for message in plain(other.chats.get(OWN, each, "none")[2]))
            for each in chat_ids(other)
        }
    assert texts == {("Both", "One", "Two"), ("Both", "One", "Three")}


def test_another_extension_gets_copies_and_never_a_transcript_of_ours(services: Services) -> None:
    fill(services)
    file = services.exports.make(OWN, Order()).file
    before = every_row(services)
    document = orjson.loads(file.read_bytes())
    for chat in document["chats"]:
        for items in chat["transcripts"].values():
            items[:] = [{"id": "x", "createdAt": 1, "message": {"role": "user", "content": "theirs"}}] if items else []
    file.write_bytes(orjson.dumps(document))
    assert services.imports.run(STRANGER, [file]).failed == []
    theirs = {text for each in chat_ids(services, STRANGER) for text in chat_texts(services, each, STRANGER)}
    assert theirs == {"theirs"}
    after = every_row(services)
    for name in ("session_entries", "folders", "archives"):
        own = [row for row in after[name] if OWN.namespace in row]
        assert own == before[name], name


def test_an_entry_that_names_a_transcript_which_the_file_lacks_is_refused(services: Services) -> None:
    fill(services)
    file = services.exports.make(OWN, Order()).file
    document = orjson.loads(file.read_bytes())
    victim = document["chats"][0]["entry"]["sessionId"]
    chat = {"entry": {**document["chats"][0]["entry"], "id": "mine", "sessionId": victim}, "transcripts": {}}
    file.write_bytes(orjson.dumps({**document, "chats": [chat], "live": [], "archives": [], "imports": []}))
    report = services.imports.run(STRANGER, [file])
    assert ["not in the file" in each.reason for each in report.failed] == [True]
    assert chat_ids(services, STRANGER) == []


def test_what_is_wrong_with_one_record_of_an_export_leaves_its_neighbours(services: Services, tmp_path: Path) -> None:
    for text in ("One", "Two", "Three"):
        services.conversation.append(OWN, say(text))
        services.conversation.clear(OWN)
    for name in ("Water", "Air"):
        services.folders.create(OWN, name)
    document = orjson.loads(services.exports.make(OWN, Order()).file.read_bytes())
    document["chats"][1]["transcripts"] = {}
    document["archives"] = [{"id": "broken"}]
    file = tmp_path / "own.json"
    file.write_bytes(orjson.dumps(document))
    with open_services(tmp_path / "other") as other:
        other.settings.attach(other.database)
        other.settings.set({"limits.folders": 1})
        report = other.imports.run(OWN, [file])
        assert [each.where.partition(": ")[2] for each in report.failed] == ["chats[1]", "archives[0]", "folders[1]"]
        assert report.counts == {"added": 2}
        assert {tuple(chat_texts(other, each)) for each in chat_ids(other)} <= {("One",), ("Two",), ("Three",)}
        assert len(other.folders.all(OWN)) == 1


def test_one_chat_alone_is_exported_with_its_folder_and_nothing_else(services: Services) -> None:
    fill(services)
    tides = next(chat.id for chat, _ in services.chats.page(OWN, limit=50, offset=0).chats if chat.folder)
    found = orjson.loads(services.exports.make(OWN, Order(ids=[tides])).file.read_bytes())
    assert [chat["entry"]["id"] for chat in found["chats"]] == [tides]
    assert (found["live"], found["archives"]) == ([], [])
    assert [folder["name"] for folder in found["folders"]] == ["Water"]
    assert len(found["chats"][0]["transcripts"]) == 2


def test_a_chat_that_is_not_there_is_told(services: Services) -> None:
    fill(services)
    with pytest.raises(NotFound):
        services.exports.make(OWN, Order(ids=["gone"]))
    with pytest.raises(NotFound):
        services.exports.make(STRANGER, Order(ids=[chat_ids(services)[0]]))


@pytest.mark.parametrize("kind", ["json", "markdown", "html"])
def test_no_key_and_nobody_else_s_chat_is_in_an_export(services: Services, kind: Format) -> None:
    fill(services)
    services.area.set(OWN, {"providers": {"test": {"apiKey": KEY, "baseUrl": "http://127.0.0.1:9/v1"}}})
    services.area.set(OWN, {"session_leaky": [{"role": "user", "content": "x", "config": {"apiKey": KEY}}]})
    services.area.set(STRANGER, {"session_theirs": [{"role": "user", "content": "not yours"}]})
    made = services.exports.make(OWN, Order(format=kind))
    files = [made.file] if kind != "markdown" else list(made.file.parent.rglob("*.md"))
    text = b"".join(file.read_bytes() for file in files)
    assert KEY.encode() not in text
    assert b"not yours" not in text
    assert "Tides? 0 日本".encode() in text


def test_an_export_is_private_and_named_by_its_time(services: Services) -> None:
    fill(services)
    made = [services.exports.make(OWN, Order()) for _ in range(2)]
    assert made[0].file != made[1].file
    assert all(each.file.parent.name == "exports" and each.file.stat().st_mode & 0o077 == 0 for each in made)
    assert all(each.bytes == each.file.stat().st_size for each in made)


def test_markdown_has_a_file_for_each_chat_and_its_pictures_once(services: Services) -> None:
    fill(services)
    folder = services.exports.make(OWN, Order(format="markdown")).file.parent
    assert len(list(folder.glob("*.md"))) == len(chat_ids(services)) + 2  # the index, and the body without an entry
    assert len(list((folder / "pictures").iterdir())) == 2


def test_a_redacted_export_has_no_address_in_it(services: Services) -> None:
    services.conversation.append(OWN, say("see https://bank.example/account"))
    services.chats.rename(OWN, chat_ids(services)[0], "about https://bank.example/")
    for kind in ("json", "markdown", "html"):
        made = services.exports.make(OWN, Order(format=kind, redact=True))
        assert b"bank.example" not in made.file.read_bytes()


@pytest.mark.parametrize("kind", ["json", "markdown", "html"])
def test_an_export_tells_how_far_it_is_and_leaves_nothing_where_it_is_stopped(services: Services, kind: Format) -> None:
    fill(services)
    told: list[tuple[int, int, int]] = []
    services.exports.make(OWN, Order(format=kind), lambda *far: told.append(far))
    total = len(told) - 1
    chats = total if kind != "json" else len(told) - 3 - services.archives.page(OWN, Wanted(), limit=1, offset=0)[1]
    assert [(done, all_of_it) for done, all_of_it, _ in told] == [(done, total) for done in range(total + 1)]
    assert (told[0][2], told[-1][2]) == (0, chats)
    before = sorted((services.home / "exports").rglob("*"))

    def stop(done: int, *_: int) -> None:
        if done == 2:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        services.exports.make(OWN, Order(format=kind), stop)
    assert sorted((services.home / "exports").rglob("*")) == before


def test_what_was_kept_beside_an_imported_chat_goes_with_it(services: Services, tmp_path: Path) -> None:
    foreign = tmp_path / "claude.json"
    message = {"uuid": "m", "sender": "human", "content": [{"type": "text", "text": "t"}, {"type": "new", "x": 1}]}
    foreign.write_bytes(orjson.dumps([{"uuid": "c", "name": "n", "chat_messages": [message]}]))
    services.imports.run(OWN, [foreign])
    file = services.exports.make(OWN, Order()).file
    with open_services(tmp_path / "other") as other:
        other.imports.run(OWN, [file])
        with other.database.reading() as tx:
            assert imports.kept(tx, OWN.namespace, "claude:c")[0]["uuid"] == "m"
        assert other.imports.run(OWN, [foreign]).counts["unchanged"] == 1
        other.chats.delete_for_good(OWN, chat_ids(other))
        with other.database.reading() as tx:
            assert imports.kept(tx, OWN.namespace, "claude:c") == []


def test_a_newer_format_is_refused_and_a_damaged_record_told(services: Services, tmp_path: Path) -> None:
    services.conversation.append(OWN, say("one"))
    document = orjson.loads(services.exports.make(OWN, Order()).file.read_bytes())
    broken = tmp_path / "broken.json"
    broken.write_bytes(orjson.dumps({**document, "chats": [{"entry": {}}, *document["chats"]]}))
    with open_services(tmp_path / "other") as other:
        report = other.imports.run(OWN, [broken])
        assert [each.where for each in report.failed] == ["broken.json: chats[0]"]
        assert len(chat_ids(other)) == 1
        broken.write_bytes(orjson.dumps({**document, "version": 2}))
        assert "newer Sidekeep" in other.imports.run(OWN, [broken]).failed[0].reason
        assert rows(other, "session_entries") == 2
