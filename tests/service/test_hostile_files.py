"""Files that are damaged, mistaken or made to do harm: each is told in words, and the store stays as it was."""

import copy
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import exports
from tests.support.formats import FILES, TRANSCRIPT, content_of, own_export, zipped
from tests.support.imports import imported, refused
from tests.support.stores import OWN, chat_ids, open_services, say

from sidekeep.service.export_view import Order
from sidekeep.service.services import Services
from sidekeep.store import health
from sidekeep.store.archived import Wanted


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def services(home: Path) -> Iterator[Services]:
    """A store with something in it that no file may change."""
    with open_services(home / "home") as opened:
        opened.conversation.append(OWN, say("mine"))
        yield opened


@pytest.fixture(params=list(FILES))
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> bytes:
    """A file of each format that is as it should be."""
    return content_of(request.param, tmp_path).rstrip(b"\n")


def test_a_file_that_is_cut_short_anywhere_is_refused(services: Services, whole: bytes, tmp_path: Path) -> None:
    offsets = {0, 1, 2, 3, 4, 5, len(whole) - 1, *(len(whole) * part // 24 for part in range(1, 24))}
    line_ends = {at for at in offsets if whole.startswith(TRANSCRIPT[:40]) and whole[:at].endswith((b"}", b"}\n"))}
    for at in sorted(offsets - line_ends):
        refused(services, tmp_path / "cut", whole[:at])


def test_a_packed_transcript_that_is_cut_behind_a_line_is_refused_too(services: Services, tmp_path: Path) -> None:
    packer = zstandard.ZstdCompressor().compressobj()
    cut = packer.compress(TRANSCRIPT) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    assert "cut short" in refused(services, tmp_path / "s.jsonl.zst", cut)
    assert imported(services, tmp_path / "s.jsonl.zst", cut + packer.flush()).failed == []


MISTAKEN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "text in UTF-16": ('[{"uuid":"u","chat_messages":[]}]'.encode("utf-16"), "UTF-8"),
    "text in UTF-16 without a mark": ('[{"uuid":"u"}]'.encode("utf-16-le"), "UTF-8"),
    "a page": (b"\xef\xbb\xbf\n<!DOCTYPE html><title>chat.html</title>", "web page"),
    "gzip": (b"\x1f\x8b\x08\0\0", "Unpack it"),
    "bytes": (bytes(range(256)), "no valid JSON"),
    "other JSON": (b'{"a":{"b":[1]}}', "own export made"),
    "a text in quotes": (b'"hello"', "own export made"),
    "too many levels": (b"[" * 10_001 + b"]" * 10_001, "10,000 levels"),
}


@pytest.mark.parametrize("name", MISTAKEN)
def test_what_is_no_export_is_refused_and_says_what_to_choose(services: Services, tmp_path: Path, name: str) -> None:
    data, words = MISTAKEN[name]
    assert words in refused(services, tmp_path / "mistaken.json", data)


@pytest.mark.parametrize("name", ["an empty ZIP", "a ZIP in a ZIP", "an empty folder"])
def test_where_there_is_nothing_to_import_it_says_so(services: Services, tmp_path: Path, name: str) -> None:
    place = tmp_path / "place"
    if name == "an empty folder":
        place.mkdir()
    else:
        with zipfile.ZipFile(place, "w") as out:
            if name == "a ZIP in a ZIP":
                out.writestr("inner.zip", zipped(conversations=b"[]"))
    report = services.imports.run(OWN, [place])
    assert [(each.where, "no JSON file in it" in each.reason) for each in report.failed] == [("place", True)]


def test_a_byte_order_mark_before_any_format_does_no_harm(tmp_path: Path, whole: bytes) -> None:
    if whole.startswith((b"PK", b"\x28\xb5")):
        return
    found = []
    for number, data in enumerate((whole, b"\xef\xbb\xbf" + whole)):
        with open_services(tmp_path / f"home {number}") as services:
            found.append(imported(services, tmp_path / "file", data).counts)
    assert found[0] == found[1]
    assert found[0]["added"]


def _nested(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


def _deep_files(levels: int) -> dict[str, bytes]:
    deep = _nested(levels)
    message = b'{"role":"user","content":"q","more":%s}' % deep
    return {
        "chatgpt": b'[{"id":"c","mapping":{"a":{"message":{"author":{"role":"user"},"metadata":%s}}}}]' % deep,
        "claude": b'[{"uuid":"c","chat_messages":[{"sender":"human","text":"t","files":%s}]}]' % deep,
        "page assist": b'{"chat":[{"history":{"id":"c"},"messages":[%s]}]}' % message,
        "page assist, one chat": b'[{"isBot":false,"message":"q","sources":%s}]' % deep,
        "chatgptbox": b'[{"sessionId":"c","conversationRecords":[{"question":"q","answer":%s}]}]' % deep,
        "openwebui": b'[{"id":"c","chat":{"history":{"messages":{"a":%s}}}}]' % message,
        "openwebui, legacy": b'[{"title":"c","messages":[%s]}]' % message,
        "librechat": b'{"conversationId":"c","messages":[{"text":"q","files":%s}]}' % deep,
        "librechat, recursive": b'{"conversationId":"c","messagesTree":[{"text":"q","files":%s}]}' % deep,
        "browsa": b'{"savedSessions":[{"id":"c"}],"session_c":[%s]}' % message,
        "browsa, legacy": b'{"savedSessions":[{"id":"c","history":[%s]}]}' % message,
        "transcript": b'{"type":"session","id":"s"}\n{"type":"message","id":"1","message":%s}\n' % message,
        "own": b'{"format":"sidekeep","version":1,"chats":[{"entry":%s,"transcripts":{}}]}' % deep,
    }


@pytest.mark.parametrize("levels", [100, 9_900])
@pytest.mark.parametrize("name", _deep_files(1))
def test_what_is_nested_too_deeply_is_refused(services: Services, tmp_path: Path, name: str, levels: int) -> None:
    reason = refused(services, tmp_path / "deep.json", _deep_files(levels)[name])
    assert "levels deep" in reason or (name, levels) == ("own", 100), "its messages may be as deep as 254 levels"


def test_a_message_of_our_own_comes_back_as_deep_as_it_was_kept(services: Services, tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(250):
        deep = [deep]
    with open_services(tmp_path / "source") as source:
        source.conversation.append(OWN, say("deep", more=deep))
        file = source.exports.make(OWN, Order(target=tmp_path / "deep.json")).file
    with open_services(tmp_path / "other") as other:
        assert other.imports.run(OWN, [file]).failed == []
        assert len(chat_ids(other)) == 1


def test_an_answer_that_claims_more_tokens_and_money_than_can_be_counted_is_taken(tmp_path: Path) -> None:
    usage = {"promptTokens": 2**64 - 1, "cost": {"amount": 1.7e308, "currency": "USD"}}
    said = [{"role": "assistant", "content": f"{number}", "usage": usage} for number in range(3)]
    with open_services(tmp_path / "home") as services:
        report = imported(
            services, tmp_path / "x.json", orjson.dumps({"savedSessions": [{"id": "c", "history": said}]})
        )
        assert (report.counts["added"], report.failed) == (1, [])
        ((chat, _),) = services.chats.page(OWN, limit=9, offset=0).chats
        assert (chat.usage.prompt_tokens, chat.usage.costs) == (2**53, {"USD": 1.7e308})


def _linked(kind: str, links: dict[str, str]) -> bytes:
    """A conversation whose messages name these parents, in a format with trees; a whole one stands beside it."""
    if kind == "chatgpt":
        nodes = {
            name: {"parent": parent, "children": [], "message": exports.chatgpt(1)["mapping"]["u"]["message"]}
            for name, parent in links.items()
        }
        return orjson.dumps([{"id": "loop", "mapping": nodes, "current_node": "a"}, exports.chatgpt(7)])
    if kind == "claude":
        said = [{"uuid": n, "parent_message_uuid": p, "sender": "human", "text": n} for n, p in links.items()]
        return orjson.dumps([{"uuid": "loop", "chat_messages": said}, exports.claude(7)])
    if kind == "openwebui":
        tree = {n: {"id": n, "parentId": p, "role": "user", "content": n} for n, p in links.items()}
        chat = {"title": "loop", "history": {"currentId": "a", "messages": tree}}
        return orjson.dumps([{"id": "loop", "chat": chat}, exports.openwebui(7)])
    if kind == "librechat":
        rows = [{"messageId": n, "parentMessageId": p, "text": n} for n, p in links.items()]
        return orjson.dumps([{"conversationId": "loop", "messages": rows}, exports.librechat(7)])
    message = {"role": "user", "content": "q"}
    lines = [{"type": "message", "id": n, "parentId": p, "message": message} for n, p in links.items()]
    return b"\n".join(orjson.dumps(line) for line in ({"type": "session", "id": "loop"}, *lines))


LOOPS = {"itself": {"a": "a"}, "two": {"a": "b", "b": "a"}, "long": {str(n): str((n + 1) % 500) for n in range(500)}}
TREES = ("chatgpt", "claude", "openwebui", "librechat", "transcript")


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", TREES)
def test_messages_that_answer_each_other_in_a_circle_are_refused_and_the_conversation_beside_arrives(
    tmp_path: Path, kind: str, loop: str
) -> None:
    with open_services(tmp_path / "home") as services:
        report = imported(services, tmp_path / "loop.json", _linked(kind, LOOPS[loop]))
        assert report.counts["added"] == (kind != "transcript")
        (failure,) = report.failed
        assert failure.where == ("loop.json" if kind == "transcript" else "loop.json: [0]")
        assert "form a cycle" in failure.reason


def test_a_message_without_a_name_is_refused_and_not_looked_for_without_end(services: Services, tmp_path: Path) -> None:
    nodes = {"": {"id": "", "parentId": None, "role": "user", "content": "q"}}
    nameless = {"id": "c", "chat": {"history": {"currentId": "", "messages": nodes}}}
    assert "empty id" in refused(services, tmp_path / "nameless.json", orjson.dumps([nameless]))


ODD: tuple[Any, ...] = (
    *(None, True, 0, -1.5, 2**53, 2**63, 2**64 - 1, 10**400, 1e308, "", "x", "\0", "\ud800", "9999-99-99"),
    *([], [None], [[]], {}, {"": None}, {"promptTokens": 2**64 - 1, "cost": {"amount": 1e308, "currency": "USD"}}),
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key below a value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


def _mutate(document: Any, data: st.DataObject) -> None:
    """Change, take out, repeat or exchange one member."""
    places = _places(document)
    if not places:
        return
    container, key = data.draw(st.sampled_from(places))
    other, other_key = data.draw(st.sampled_from(places))
    way = data.draw(st.sampled_from(("change", "take out", "repeat", "exchange")))
    if way == "take out":
        del container[key]
    elif way == "repeat" and isinstance(container, list):
        container.insert(key, copy.deepcopy(container[key]))
    elif way == "exchange":
        container[key] = copy.deepcopy(other[other_key])
    else:
        container[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))


def test_a_file_that_was_tampered_with_anywhere_never_ends_the_import(tmp_path: Path) -> None:
    texts = [
        data for name, data in FILES.items() if isinstance(data, bytes) and data[:1] in b"[{" and data != TRANSCRIPT
    ]
    documents: list[Any] = [json.loads(text) for text in (*texts, *[own_export(tmp_path)] * 4)]
    file = tmp_path / "tampered.json"
    with open_services(tmp_path / "home") as services:

        @settings(max_examples=150)
        @given(st.data())
        def tampered(data: st.DataObject) -> None:
            document = copy.deepcopy(data.draw(st.sampled_from(documents)))
            for _ in range(data.draw(st.integers(1, 3))):
                _mutate(document, data)
            report = imported(services, file, json.dumps(document).encode())
            assert all(each.where and each.reason for each in report.failed)

        tampered()
        with services.database.reading() as tx:
            assert list(health.complaints(tx)) == []


def test_a_damaged_picture_of_our_own_is_told_and_its_message_arrives_without_it(tmp_path: Path) -> None:
    document = json.loads(own_export(tmp_path))
    hurt = sorted(document["pictures"])[0]
    document["pictures"][hurt] = "AAAA" + document["pictures"][hurt][4:]
    with open_services(tmp_path / "home") as services:
        report = imported(services, tmp_path / "own.json", orjson.dumps(document))
        assert [(each.where, "damaged" in each.reason) for each in report.failed] == [("own.json: pictures", True)]
        assert len(chat_ids(services)) == len([chat for chat in document["chats"] if chat["entry"]["listed"]])
        assert len(services.archives.page(OWN, Wanted(), limit=9, offset=0)[0]) == len(document["archives"])
