"""What holds for every request, whatever was said and however little room there is."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.request_runs import SERVER, entries_of, pairs_are_whole

from sidekeep.domain.providers import Provider
from sidekeep.errors import RequestRefused
from sidekeep.request.build import Conversation, Report, Request, RequestSettings, Turn, build
from sidekeep.request.calibration import Calibration
from sidekeep.request.dialect.table import WRITERS
from sidekeep.request.limits import reserve_tokens, room
from sidekeep.request.measure import measure_for
from sidekeep.request.view import Entry, Image, Text

HEADER = "[Page context attached by sidekeep]\nURL: https://e.org/p\nTitle: T\nMode: full\n---\n\n"
PNG = "data:image/png;base64,iVBORw=="

words = st.sampled_from(
    ["yes", "why? ", "слово ", "中文", "👨‍👩‍👧", "e\u0301", "{}\n", "a longer sentence with words. "]
)
texts = st.builds(lambda word, times: word * times, words, st.integers(1, 400))
pictures = st.lists(st.just({"type": "image_url", "image_url": {"url": PNG}}), min_size=1, max_size=3)


def _said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def _with_pictures(text: str, images: list[Any], seen: bool) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}, *images], "imagesSeen": seen}


def _page(text: str) -> dict[str, Any]:
    return {"role": "user", "content": HEADER + text * 20, "attachId": "a"}


def _call(name: str) -> dict[str, Any]:
    call = {"id": name, "type": "function", "function": {"name": "read", "arguments": '{"x":1}'}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def _result(name: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": text}


names = st.sampled_from(["c1", "c2"])
messages = st.one_of(
    st.builds(_said, st.sampled_from(["user", "assistant", "assistant", "system", "developer", "oddity"]), texts),
    st.builds(_with_pictures, texts, pictures, st.booleans()),
    st.builds(_page, texts),
    st.builds(_call, names),
    st.builds(_result, names, texts),
)
questions = st.one_of(
    st.builds(_said, st.just("user"), texts), st.builds(_with_pictures, texts, pictures, st.just(False))
)
conversations = st.builds(lambda said, asked: [*said, asked], st.lists(messages, max_size=14), questions)
windows = st.integers(60, 6_000)
turns = st.builds(Turn, max_bytes=st.integers(2_000, 60_000), max_images=st.none() | st.integers(0, 3))


def _build(history: list[dict[str, Any]], tokens: int, turn: Turn, **chosen: Any) -> tuple[Request, Report] | None:
    """None: refused."""
    conversation = Conversation(entries_of(history))
    before = repr(conversation)
    try:
        return build(conversation, turn, _provider(tokens), RequestSettings("Be brief.", **chosen))
    except RequestRefused:
        return None
    finally:
        assert repr(conversation) == before


def _provider(window: int) -> Provider:
    return SERVER._replace(window=window)


def _order(entries: tuple[Entry, ...]) -> list[int]:
    """Where the messages stood; a tool's result stands where its call does."""
    return [int(e.message_id[1:]) for e in entries if e.message_id and e.role != "tool"]


@settings(max_examples=150)
@given(history=conversations, window=windows, turn=turns)
def test_a_request_is_within_every_limit(history: list[dict[str, Any]], window: int, turn: Turn) -> None:
    made = _build(history, window, turn)
    if made is None:
        return
    request, report = made
    measure = measure_for(_provider(window), Calibration(), request.entries, 0)
    tokens = sum(measure(entry).tokens for entry in request.entries if entry.message_id)
    assert tokens <= report.estimated_tokens <= room(window, None, reserve_tokens(window))
    assert report.images_sent == sum(entry.images for entry in request.entries)
    assert turn.max_images is None or report.images_sent <= turn.max_images
    urls = {part: PNG.encode() for entry in request.entries for part in entry.parts if isinstance(part, Image)}
    assert len(WRITERS["openai-chat"](request, urls)) <= turn.max_bytes


@settings(max_examples=150)
@given(history=conversations, window=windows, turn=turns)
def test_order_instructions_and_the_newest_question_are_kept(
    history: list[dict[str, Any]], window: int, turn: Turn
) -> None:
    made = _build(history, window, turn)
    if made is None:
        return
    entries, given_entries = made[0].entries, entries_of(history)
    assert _order(entries) == sorted(set(_order(entries)))
    assert pairs_are_whole(entries)
    assert next(entry for entry in entries if entry.role != "system").role == "user"
    assert next(part for part in entries[-1].parts if isinstance(part, Text)) == given_entries[-1].parts[0]
    instructions = [entry.parts for entry in given_entries if entry.role in ("system", "developer")]
    assert [entry.parts for entry in entries if entry.role == "system"] == instructions
    assert made[0].system == "Be brief."


@settings(max_examples=100)
@given(history=conversations, window=windows, turn=turns, mode=st.sampled_from(["full", "tail"]))
def test_counts_add_up(history: list[dict[str, Any]], window: int, turn: Turn, mode: str) -> None:
    made = _build(history, window, turn, window=mode, tail_characters=500)
    if made is None:
        return
    request, report = made
    sent = [entry for entry in request.entries if entry.message_id]
    said = [entry for entry in entries_of(history) if entry.parts or entry.tool_calls]
    assert len(sent) + report.messages_dropped == len(said)
    own = sum(entry.own_characters for entry in sent)
    assert own + report.chars_dropped == sum(entry.characters for entry in said)
    assert report.chars_dropped >= 0
    assert (report.chars_dropped == 0) <= (own == sum(entry.characters for entry in said))


@settings(max_examples=100)
@given(history=conversations, window=windows, turn=turns)
def test_the_same_rows_and_settings_give_the_same_request_and_its_cut_holds(
    history: list[dict[str, Any]], window: int, turn: Turn
) -> None:
    made = _build(history, window, turn)
    assert made == _build(history, window, turn)
    if made is not None:
        again = Conversation(entries_of(history), made[1].cut)
        assert build(again, turn, _provider(window), RequestSettings("Be brief."))[0] == made[0]
