"""An import far past the limits: of every format the limit's chats stay, the rest is in the archive, and nothing is lost."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from tests.support import exports
from tests.support.pictures import picture
from tests.support.stores import OWN, archived, chat_ids, chat_texts, open_services, plain, prune, rows

from sidekeep.service.export_view import Order
from sidekeep.service.services import Services
from sidekeep.store import health
from sidekeep.store.archived import Wanted

COUNT, LIMIT = 12, 3
OWN_KIND = "sidekeep"
# These know no times: all of their chats are as old, and which of them stay is the fingerprints' matter.
TIMELESS = ("openwebui legacy", "pageassist single")


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(tmp_path / "home") as opened:
        _limit(opened, LIMIT)
        yield opened


def _limit(services: Services, chats: int) -> None:
    services.settings.attach(services.database)
    services.settings.set({"limits.chats": chats})


def _laid(folder: Path, kind: str, *, newest_first: bool = False) -> Path:
    """So many conversations as that format has them."""
    folder.mkdir()
    if kind != OWN_KIND:
        return exports.lay(folder, kind, COUNT, newest_first=newest_first)
    with open_services(folder / "elsewhere") as elsewhere:
        _limit(elsewhere, 0)
        elsewhere.imports.run(OWN, [exports.lay(folder, "claude", COUNT, newest_first=newest_first)])
        return elsewhere.exports.make(OWN, Order(target=folder / "own.json")).file


def _said(services: Services) -> list[list[str]]:
    """What is said in every chat."""
    return [chat_texts(services, chat_id) for chat_id in chat_ids(services)]


def _complaints(services: Services) -> list[str]:
    prune(services)
    with services.database.transaction() as tx:
        return [complaint.text for complaint in health.complaints(tx)]


@pytest.mark.parametrize("newest_first", [False, True], ids=["oldest first", "newest first"])
@pytest.mark.parametrize("kind", [*exports.KINDS, *exports.SINGLES, OWN_KIND])
def test_the_limit_stays_and_the_rest_is_in_the_archive_word_for_word(
    services: Services, tmp_path: Path, kind: str, newest_first: bool
) -> None:
    made = _laid(tmp_path / "made", kind, newest_first=newest_first)
    report = services.imports.run(OWN, [made])
    assert report.failed == []
    assert +report.counts == {"added": LIMIT, "archived": COUNT - LIMIT}
    chats, gone = _said(services), [texts for _, texts in archived(services)]
    assert (len(chats), len(gone)) == (LIMIT, COUNT - LIMIT)
    everything = [[exports.question(number), exports.answer(number)] for number in range(COUNT)]
    assert sorted(chats + gone) == sorted(everything)
    if kind not in TIMELESS:
        assert sorted(chats) == sorted(everything[-LIMIT:]), "the newest"
    assert services.chats.page(OWN, limit=1, offset=0).evicted.chats == COUNT - LIMIT
    assert _complaints(services) == []
    assert +services.imports.run(OWN, [made]).counts == {"unchanged": COUNT}


def test_a_conversation_that_went_to_the_archive_is_found_there_and_given_back(
    services: Services, tmp_path: Path
) -> None:
    services.imports.run(OWN, [_laid(tmp_path / "made", "claude", newest_first=True)])
    (found,), total = services.archives.page(OWN, Wanted(), limit=1, offset=0, query=exports.question(1))
    assert total == 1
    chat, _ = services.archives.restore(OWN, found.id)
    assert chat_texts(services, chat.id) == [exports.question(1), exports.answer(1)]
    assert _complaints(services) == []


def test_pictures_of_a_conversation_that_goes_to_the_archive_are_kept_and_purged_with_it(
    services: Services, tmp_path: Path
) -> None:
    asset = "file-AbCdEf0123456789"
    seen = exports.chatgpt(0)
    seen["mapping"]["u"]["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "image_asset_pointer", "asset_pointer": f"file-service://{asset}"}],
    }
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as out:
        newest_first = [*(exports.chatgpt(number) for number in range(LIMIT, 0, -1)), seen]
        out.writestr("conversations.json", orjson.dumps(newest_first))
        out.writestr(f"{asset}-knot.png", picture(3, 3))
    services.imports.run(OWN, [packed])
    (archive,), _ = services.archives.page(OWN, Wanted(), limit=9, offset=0)
    _, messages = services.archives.get(OWN, archive.id, "full")
    assert plain(messages)[0]["content"][0]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert rows(services, "blobs") == 1
    services.archives.purge(OWN, [archive.id], None)
    prune(services)
    assert rows(services, "blobs") == 0
