"""What is no export, or only half of one, is refused in words; what is one is read whatever its name."""

import json
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support import exports
from tests.support.pictures import picture, url_of
from tests.transfer.conftest import Read, told

from sidekeep.errors import UnknownFormat, Unreadable
from sidekeep.transfer.conversation import Conversation, Image
from sidekeep.transfer.documents import documents
from sidekeep.transfer.reading import conversations, surveyed


def _nested(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


WRONG: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "empty"),
    "blanks": (b"  \n ", "empty"),
    "a number": (b"3", "no export"),
    "an empty array": (b"[]", "no export that Sidekeep knows"),
    "an object of something else": (b'{"a":[{"b":1}]}', "no export that Sidekeep knows"),
    "text": (b"Dear diary", "no valid JSON"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", "no valid JSON"),
    "two values": (b"[] []", "no valid JSON"),
    "a number of 5,000 digits": (b"[" + b"9" * 5_000 + b"]", "no export that Sidekeep knows"),
    "an exponent of 20 digits": (b"[1, 1e99999999999999999999, 2]", "no valid JSON"),
    "a number of 200,000 digits": (b"[" + b" " * 50_000 + b"9" * 200_000 + b"]", "too many digits"),
    "text in Latin-1": ('[{"uuid":"é"}]'.encode("latin-1"), "no valid JSON"),
    "100 levels of arrays": (orjson.dumps(_nested(100)), "no export that Sidekeep knows"),
    "100,000 open brackets": (b"[" * 100_000, "more than 10,000 levels"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_no_export_is_refused_in_words(file: Path, name: str) -> None:
    data, reason = WRONG[name]
    file.write_bytes(data)
    with pytest.raises(Unreadable, match=reason):
        Read(file)


@pytest.mark.parametrize("kind", exports.KINDS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_that_was_cut_short_is_refused_before_anything_is_taken(file: Path, kind: str, share: float) -> None:
    data = exports.write(file, kind, 20).read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(Unreadable, match="cut short"):
        Read(file)


def test_what_a_damaged_file_holds_is_not_quoted(file: Path) -> None:
    file.write_bytes(b'[{"mapping": {"secret words" "more"')
    with pytest.raises(Unreadable) as caught:
        Read(file)
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("kind", exports.KINDS)
def test_ten_thousand_conversations_of_each_format_are_read(file: Path, kind: str) -> None:
    read = Read(exports.write(file, kind, 10_000))
    assert read.failures == []
    assert len({each.fingerprint for each in read.conversations}) == 10_000
    assert [told(message) for message in read.conversations[-1].messages] == [
        ("user", exports.question(9_999)),
        ("assistant", exports.answer(9_999)),
    ]
    assert read.conversations[-1].title in ("Chat 9999", "")


@pytest.mark.parametrize("kind", exports.ARRAYS)
def test_one_bad_conversation_is_named_by_its_place_and_the_others_arrive(file: Path, kind: str) -> None:
    made: list[Any] = [exports.ARRAYS[kind](number) for number in range(4)]
    made[1] = 7
    made[2] = {**made[2], "more": _nested(100)}
    if kind != "librechat":
        made[2] |= {"chat": {"history": {"messages": _nested(100)}}}
    file.write_bytes(orjson.dumps(made))
    read = Read(file)
    assert [told(each.messages[0])[1] for each in read.conversations] == [exports.question(0), exports.question(3)]
    assert [(each.where, each.reason) for each in read.failures] == [
        ("x.json: [1]", "It is no object."),
        ("x.json: [2]", "It is nested more than 64 levels deep."),
    ]


def test_a_tree_of_librechat_is_as_deep_as_its_conversation_is_long(file: Path) -> None:
    tree: list[Any] = []
    for number in reversed(range(300)):
        tree = [{"messageId": f"m{number}", "text": f"{number}", "isCreatedByUser": number % 2 == 0, "children": tree}]
    file.write_bytes(_unlimited_json({"conversationId": "deep", "recursive": True, "messagesTree": tree}))
    assert [message.text for message in Read(file).only.messages] == [str(number) for number in range(300)]


def _unlimited_json(value: Any) -> bytes:
    """orjson refuses what is deeper than 254 levels."""
    return json.dumps(value).encode()


def test_branches_of_a_tree_of_librechat_are_ways_of_their_own(file: Path) -> None:
    leaves = [
        {"messageId": name, "text": name, "createdAt": f"2026-01-0{day}"} for day, name in enumerate("ab", start=1)
    ]
    tree = [{"messageId": "q", "text": "q", "isCreatedByUser": True, "createdAt": "2026-01-01", "children": leaves}]
    file.write_bytes(orjson.dumps({"conversationId": "c", "messages": tree}))
    found = Read(file).only
    assert [message.id for message in found.messages] == ["q", "b"]
    assert [[message.id for message in branch.messages] for branch in found.branches] == [["q", "a"]]


def test_one_chat_of_page_assist_has_its_rows_for_messages(file: Path) -> None:
    rows = [
        {"isBot": False, "name": "You", "message": "Why?", "images": [url_of(picture(4, 4))], "sources": []},
        {"isBot": True, "name": "m", "message": "", "messageKind": "assistant_tool_calls", "toolCalls": [{"id": "1"}]},
        {"isBot": True, "name": "m", "message": "<think>Well.</think>Because.", "sources": []},
    ]
    file.write_bytes(orjson.dumps(rows))
    found = Read(file).only
    assert [told(message) for message in found.messages] == [
        ("user", "Why? [data:image/png;base64]"),
        ("assistant", "Because."),
    ]
    assert found.messages[1].extra == {"model": "m", "reasoning": "Well."}
    assert found.kept == (rows[1],)
    assert Read(file).only.fingerprint == found.fingerprint


CHATGPT_PICTURE = "file-AbCdEf0123456789"


@pytest.mark.parametrize("place", ["", "dalle-generations/", "user-abc/"])
def test_pictures_beside_the_conversations_in_a_zip_come_along(tmp_path: Path, place: str) -> None:

    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as out:
        out.write(exports.SHARED_SAMPLES / "chatgpt-conversations-000.json", "conversations-000.json")
        out.writestr("user.json", b'{"id":"u"}')
        out.writestr(f"{place}{CHATGPT_PICTURE}-harbour.png", picture(3, 3))
        out.writestr(f"{CHATGPT_PICTURE}0.png", picture(9, 9))

    with documents(packed) as found:
        document = next(each for each in found if each.name.endswith("000.json"))
        first = next(iter(conversations(surveyed(document))))
    assert isinstance(first, Conversation)
    (image,) = first.messages[1].content
    assert isinstance(image, Image)
    assert image.url == url_of(picture(3, 3))


def test_a_byte_order_mark_does_no_harm(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + orjson.dumps([exports.claude(1)]))
    assert Read(file).only.title == "Chat 1"


def test_two_halves_of_a_split_export_are_one_folder(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"conversations-00{number}.json").write_bytes(orjson.dumps([exports.chatgpt(number)]))
    assert [each.id for each in Read(tmp_path).conversations] == ["c0", "c1"]


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_bytes(orjson.dumps([exports.claude(1)]))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "conversations.json").symlink_to(elsewhere)
    assert Read(folder).conversations == []


def test_reading_holds_one_conversation_at_a_time(file: Path) -> None:
    text = "x" * 100_000
    file.write_bytes(orjson.dumps([{**exports.claude(number), "name": text} for number in range(200)]))

    tracemalloc.start()
    with documents(file) as found:
        assert sum(1 for _ in conversations(surveyed(next(found)))) == 200
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000, "a file of 20 MB was held"


def test_a_large_section_before_the_chats_hides_nothing(file: Path) -> None:
    noise = {f"key {number}": {"deep": {"er": number}} for number in range(6_000)}
    document = {"storageLocal": noise, "vector": [noise], "chat": [exports.pageassist(1)]}
    file.write_bytes(orjson.dumps(document))
    assert Read(file).only.title == "Chat 1"
    dump = {**noise, "session_c1": exports.browsa_body(1), "zz": 1}
    file.write_bytes(orjson.dumps(dump))
    assert Read(file).only.fingerprint == "browsa:c1"


def test_a_key_that_lies_behind_the_first_records_is_named_by_its_place_and_not_taken(file: Path) -> None:
    made = [exports.chatgpt(number) for number in range(70)]
    made[65]["plugin"] = {"name": "weather", "apiKey": "EXAMPLE"}
    file.write_bytes(orjson.dumps(made))
    found = Read(file)
    assert [(key.where, key.provider) for key in found.keys] == [(f"{file.name}: [65].plugin.apiKey", "weather")]
    assert len(found.conversations) == 70


def test_a_file_that_is_cut_short_behind_its_first_records_is_refused_whole(file: Path) -> None:
    file.write_bytes(orjson.dumps([exports.chatgpt(number) for number in range(70)])[:-40])
    with documents(file) as found, pytest.raises(Unreadable, match="cut short"):
        surveyed(next(found))


def test_an_array_of_records_that_nobody_knows_is_refused_at_its_beginning(file: Path) -> None:
    read: list[int] = []
    file.write_bytes(orjson.dumps([{"name": "x" * 10_000}] * 200))
    with documents(file) as found, pytest.raises(UnknownFormat):
        surveyed(replace(next(found), on_read=read.append))
    assert sum(read) < file.stat().st_size
