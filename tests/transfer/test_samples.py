"""Every sample of another program's export gives what ../shared/research/panels.md, section 3, says of it."""

from typing import Any

import pytest
from tests.support.exports import SHARED_SAMPLES
from tests.transfer.conftest import Read, told

from sidekeep.transfer.conversation import Conversation


def _read(name: str) -> dict[str, Conversation]:
    return {each.title or each.id: each for each in Read(SHARED_SAMPLES / name).conversations}


SOURCES = {
    "chatgpt-conversations.json": ("chatgpt", 1),
    "chatgpt-conversations-000.json": ("chatgpt", 2),
    "chatgptbox-conversations.json": ("chatgptbox", 2),
    "chatgptbox-data.json": ("chatgptbox", 1),
    "claude-conversations.json": ("claude", 2),
    "librechat-flat.json": ("librechat", 1),
    "openwebui-chats.json": ("openwebui", 2),
    "openwebui-legacy.json": ("openwebui", 6),
    "pageassist-export.json": ("pageassist", 3),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_sample_is_recognised_and_its_conversations_that_hold_something_come(name: str) -> None:
    read = Read(SHARED_SAMPLES / name)
    assert (read.sources, len(read.conversations)) == ([SOURCES[name][0]], SOURCES[name][1])


# File, conversation, the current path.
PATHS: list[tuple[str, str, list[tuple[str, str]]]] = [
    (
        "chatgpt-conversations.json",
        "Knots for a dinghy",
        [
            ("user", "[Image not in the export: knot.png] Which knot is in this photo?"),
            ("assistant", "A bowline 【1†source】, seen from the back."),
        ],
    ),
    (
        "chatgpt-conversations-000.json",
        "22222222-2222-4222-8222-222222222222",
        [
            ("user", "Tides?\n\nSecond part of the same message."),
            ("assistant", "[Image not in the export: file-AbCdEf0123456789]"),
            ("assistant", "Here is the harbour. [Audio not in the export: file_0000000055556666]"),
        ],
    ),
    ("chatgpt-conversations-000.json", "No current node", [("user", "hello")]),
    (
        "claude-conversations.json",
        "aaaaaaaa-0000-4000-8000-000000000002",
        [("user", "How long is the ferry?"), ("assistant", "About 40 m.")],
    ),
    (
        "librechat-flat.json",
        "Two day sail",
        [
            ("user", "Plan a two day sail [Image not in the export: chart.png]"),
            ("assistant", "Day 1: east. Day 2: back."),
            ("user", "Check the weather"),
            ("assistant", "Looking it up.\n\nTwelve knots from the west."),
            ("user", "And day 2?"),
            ("assistant", ""),
        ],
    ),
    (
        "openwebui-chats.json",
        "Orange square",
        [
            (
                "user",
                "What is in this picture? [data:image/png;base64] "
                "[Image not in the export: 0f0f0f0f-0000-4000-8000-00000000file]",
            ),
            ("assistant", "An orange square."),
            ("user", "Compare with the page. [File not in the export: page.txt]"),
            ("assistant", ""),
        ],
    ),
    (
        "openwebui-chats.json",
        "Broken links",
        [
            ("user", "child not listed by its parent"),
            ("assistant", "reply whose parent has empty childrenIds"),
            ("assistant", "no parentId at all"),
        ],
    ),
    (
        "openwebui-legacy.json",
        "Assistant without parentId",
        [
            ("user", "first question"),
            ("assistant", "first answer, parentId missing"),
            ("user", "second question"),
            ("assistant", "second answer"),
        ],
    ),
    ("openwebui-legacy.json", "Only a linear list", [("user", "one"), ("assistant", "two")]),
    ("openwebui-legacy.json", "Null byte and lone surrogate", [("user", "ab"), ("assistant", "bad:\ufffd end")]),
    ("openwebui-legacy.json", "Content as parts", [("user", "look [data:image/png;base64]"), ("assistant", "ok")]),
    (
        "pageassist-export.json",
        "日本語の検索テスト",
        [("user", "東京の天気を検索して"), ("assistant", "東京は晴れ、18度です。")],
    ),
    (
        "chatgptbox-conversations.json",
        "00000000-0000-4000-8000-000000000002",
        [("user", "Summary"), ("assistant", "The page lists ferry times.")],
    ),
]


@pytest.mark.parametrize(("name", "title", "path"), PATHS, ids=[f"{name} {title}" for name, title, _ in PATHS])
def test_the_path_to_the_current_leaf_is_the_chat(name: str, title: str, path: list[tuple[str, str]]) -> None:
    assert [told(message) for message in _read(name)[title].messages] == path


BRANCHES: list[tuple[str, str, list[tuple[str, list[str]]]]] = [
    ("chatgpt-conversations.json", "Knots for a dinghy", [("", ["n-u1", "n-a1"]), ("n-u1b", ["n-u1b", "n-a2"])]),
    ("claude-conversations.json", "aaaaaaaa-0000-4000-8000-000000000002", [("m-5", ["m-5", "m-6"])]),
    ("librechat-flat.json", "Two day sail", [("l-1", ["l-1", "l-3"])]),
    ("openwebui-chats.json", "Orange square", [("u1", ["u1", "a1"])]),
]


@pytest.mark.parametrize(("name", "title", "branches"), BRANCHES, ids=[name for name, _, _ in BRANCHES])
def test_other_branches_are_ways_of_their_own_and_say_where_they_leave(
    name: str, title: str, branches: list[tuple[str, list[str]]]
) -> None:
    found = _read(name)[title].branches
    assert [(each.forked_at, [message.id for message in each.messages]) for each in found] == branches


EXTRAS: list[tuple[str, str, str, dict[str, Any]]] = [
    (
        "openwebui-chats.json",
        "Orange square",
        "a1b",
        {
            "reasoning": "Colour is 200,80,20 & the shape has 4 sides.",
            "usage": {"promptTokens": 210, "completionTokens": 31},
        },
    ),
    ("pageassist-export.json", "Tide tables for a small harbour", "pa_bbbc-0000-000-0010", {"model": "qwen3:8b"}),
    ("librechat-flat.json", "Two day sail", "l-2", {"reasoning": "Two days means one anchorage."}),
    ("librechat-flat.json", "Two day sail", "l-7", {"error": "context length exceeded", "interrupted": True}),
    ("claude-conversations.json", "Sail repair notes", "m-2", {"reasoning": "The note is short."}),
    (
        "chatgpt-conversations.json",
        "Knots for a dinghy",
        "n-a2b",
        {"model": "o3-mini", "reasoning": "Looking at the loop\n\nThe rabbit goes round the tree."},
    ),
]


@pytest.mark.parametrize(
    ("name", "title", "message_id", "extra"), EXTRAS, ids=[f"{name} {id}" for name, _, id, _ in EXTRAS]
)
def test_reasoning_model_usage_and_errors_stand_beside_the_answer(
    name: str, title: str, message_id: str, extra: dict[str, Any]
) -> None:
    conversation = _read(name)[title]
    message = next(message for message in conversation.messages if message.id == message_id)
    assert {key: message.extra.get(key) for key in extra} == extra


def test_an_attached_text_that_lies_in_the_export_stands_before_its_question() -> None:
    attached, question = _read("claude-conversations.json")["Sail repair notes"].messages[:2]
    assert attached.extra["attachId"]
    assert attached.text.splitlines()[2] == "Title: note.txt"
    assert attached.text.endswith("Use 120 gsm cloth and a zigzag stitch.")
    assert told(question) == ("user", "Summarise the attached note. [Image not in the export: sail.png]")


def test_records_that_are_no_part_of_a_chat_are_kept_as_they_were() -> None:
    kept = _read("claude-conversations.json")["aaaaaaaa-0000-4000-8000-000000000002"].kept
    assert kept[0]["content"][1] == {"type": "some_future_type", "payload": {"x": 1}}
    hidden = _read("chatgpt-conversations.json")["Knots for a dinghy"].kept
    assert {"content_type": "code", "language": "python", "text": "print(2+2)"} in [
        each.get("content") for each in hidden
    ]
    assert [each["role"] for each in _read("pageassist-export.json")["日本語の検索テスト"].kept] == [
        "assistant",
        "tool",
    ]


def test_pins_titles_and_times_are_taken() -> None:
    found = _read("openwebui-chats.json")["Orange square"]
    assert (found.pinned, found.created_at_ms, found.updated_at_ms) == (True, 1_767_258_000_000, 1_767_258_031_000)
    knots = _read("chatgpt-conversations.json")["Knots for a dinghy"]
    assert (knots.pinned, knots.created_at_ms, knots.updated_at_ms) == (True, 1_767_258_000_250, 1_767_258_300_250)


def test_pairs_without_times_are_spread_over_the_time_of_their_conversation() -> None:
    found = _read("chatgptbox-conversations.json")["00000000-0000-4000-8000-000000000003"]
    assert [message.created_at_ms for message in found.messages] == [
        1_767_430_800_000,
        1_767_430_900_000,
        1_767_431_000_000,
        1_767_431_100_000,
    ]


KEYS = {
    "chatgptbox-conversations.json": [("[1].apiMode.apiKey", "demo")],
    "chatgptbox-data.json": [("apiKey", "chatgptbox"), ("kimiMoonShotRefreshToken", "kimiMoonShot")],
    "pageassist-export.json": [("oaiConfigs[0].apiKey", "Demo gateway")],
    "claude-conversations.json": [],
}


@pytest.mark.parametrize("name", KEYS)
def test_keys_are_named_with_their_place_and_never_taken(name: str) -> None:
    read = Read(SHARED_SAMPLES / name)
    assert [(key.where, key.provider) for key in read.keys] == [(f"{name}: {where}", who) for where, who in KEYS[name]]
    assert "EXAMPLE-NOT-A" not in repr(read.conversations) + repr(read.failures) + repr(read.keys)


def test_a_conversation_that_is_a_cycle_fails_with_its_place_and_the_others_arrive() -> None:
    failures = Read(SHARED_SAMPLES / "openwebui-legacy.json").failures
    assert [(each.where, "cycle" in each.reason) for each in failures] == [("openwebui-legacy.json: [3]", True)]
