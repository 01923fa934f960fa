"""What a model's own counts teach: measured on chats whose true counts real encodings give."""

import json
import random
import statistics
from pathlib import Path
from typing import Any

import pytest
import quicktok  # type: ignore[import-untyped]  # it has no annotations
from hypothesis import given
from hypothesis import strategies as st
from tests.support.request_cases import cases

from sidekeep.request.calibration import FIXED, Answer, Calibration, Counted
from sidekeep.request.tokens import MESSAGE_FRAME, estimate

KINDS: dict[str, str] = json.loads((Path(__file__).parents[1] / "vectors" / "text_kinds.json").read_text("utf-8"))
CHATS = {
    "English and code": ["English prose", "English chat", "English instructions", "Python", "JavaScript", "Markdown"],
    "Chinese": ["Chinese", "Chinese technical", "Chinese traditional"],
    "Russian": ["Russian", "Ukrainian"],
    "everything": list(KINDS),
}
ENCODINGS = ("o200k_base", "cl100k_base", "qwen3")
SYSTEM = "You are a helpful assistant."


def _errors(encoding: Any, kinds: list[str], hidden: int, seed: int, *, turns: int = 6) -> list[float]:
    """How far each request of a chat was off before it was sent. The last one is cut to its newest four messages."""
    made = random.Random(seed)
    calibration, messages, errors = Calibration(), list[tuple[str, str]](), []

    def said() -> str:
        return " ".join(KINDS[made.choice(kinds)] for _ in range(made.choice([1, 1, 2, 6])))

    for turn in range(turns):
        messages.append((f"question {turn}", said()))
        shown = messages[-4:] if turn == turns - 1 else messages
        parts = {FIXED: estimate(SYSTEM), **{name: estimate(text) + MESSAGE_FRAME for name, text in shown}}
        truth = hidden + encoding.count(SYSTEM) + sum(encoding.count(text) + MESSAGE_FRAME for _, text in shown)
        errors.append(abs(calibration.predict(parts) / truth - 1))
        answer = said()
        messages.append((f"answer {turn}", answer))
        counted = Counted(estimate(answer) + MESSAGE_FRAME, encoding.count(answer) + MESSAGE_FRAME)
        calibration = calibration.learn(parts, truth, window=128_000, answer=Answer(f"answer {turn}", counted))
    return errors


@pytest.mark.parametrize("chat", CHATS)
def test_one_answer_is_enough_and_a_cut_forgets_nothing(chat: str) -> None:
    errors = [
        _errors(quicktok.get_encoding(encoding), CHATS[chat], hidden, seed)
        for encoding in ENCODINGS
        for hidden in (0, 300, 2500)
        for seed in range(6)
    ]
    before, after_one, _, after_three, _, after_a_cut = (statistics.median(turn) for turn in zip(*errors, strict=True))
    assert after_one < 0.05 < before
    assert after_three < 0.02
    assert after_a_cut < 0.05


@pytest.mark.parametrize("case", cases("learn"))
def test_the_next_estimate_is_what_the_shared_case_says(case: dict[str, Any]) -> None:
    """An event is a request of one message; each model has a calibration of its own."""
    calibrations: dict[str, Calibration] = {}
    predicted = 0
    for event in case["params"]["events"]:
        known = calibrations.get(event.get("model", ""), Calibration())
        parts = {FIXED: 0, "message": event["estimate"]}
        predicted = known.predict(parts)
        calibrations[event.get("model", "")] = known.learn(parts, _prompt_tokens(event), window=event.get("window"))
    assert case["expect"]["predict_min"] <= predicted <= case["expect"]["predict_max"]


def _prompt_tokens(event: dict[str, Any]) -> int | None:
    """As the readers of llm/api/ have it: Anthropic's parts added up, OpenAI's cached part inside the count."""
    if "input_tokens" in event:
        cached = event["cache_read_input_tokens"] + event["cache_creation_input_tokens"]
        return int(event["input_tokens"]) + int(cached)
    return event.get("usage")


def test_what_was_counted_is_not_estimated_again() -> None:
    known = Calibration().learn({FIXED: 10, "a": 100, "b": 900}, 1111)
    assert known.predict({FIXED: 10, "a": 100, "b": 900}) == 1111
    grown = known.learn({FIXED: 10, "a": 100, "b": 900, "c": 1000}, 1111 + 2000)
    assert grown.tokens("c", 1000) == pytest.approx(2000)
    assert grown.tokens("a", 100) == known.tokens("a", 100)
    assert grown.predict({FIXED: 10, "b": 900, "c": 1000}) == 3111 - round(known.tokens("a", 100))


def test_a_message_that_is_shown_another_way_is_estimated_anew() -> None:
    """A picture became a label, a page a stub: their counts were another text's."""
    known = Calibration().learn({FIXED: 10, "a": 1000}, 1212)
    assert known.tokens("a", 20) == pytest.approx(20 * (known.factor or 0))
    assert known.learn({FIXED: 10, "a": 20, "b": 80}, 130).counted["a"].estimate == 20


def test_what_a_server_adds_is_not_taken_for_text() -> None:
    """2,500 tokens of a server's own beside a question of 50: the next page of 2,000 is 2,000, not 100,000."""
    answer = Answer("a", Counted(200, 200))
    known = Calibration().learn({FIXED: 10, "q": 50}, 2560, answer=answer)
    assert known.predict({FIXED: 10, "q": 50, "a": 200, "page": 2000}) == pytest.approx(2560 + 200 + 2000, rel=0.01)


def test_without_an_answer_to_compare_with_a_large_first_count_is_mostly_the_servers_own() -> None:
    known = Calibration().learn({FIXED: 10, "q": 50}, 2560)
    assert 2560 + 2000 < known.predict({FIXED: 10, "q": 50, "page": 2000}) < 2560 + 2600


def test_a_changed_system_text_leaves_what_the_server_adds() -> None:
    known = Calibration().learn({FIXED: 10, "q": 500}, 1510, answer=Answer("a", Counted(100, 100)))
    assert known.predict({FIXED: 60, "q": 500}) - known.predict({FIXED: 10, "q": 500}) == pytest.approx(50, rel=0.15)


@pytest.mark.parametrize(
    ("prompt_tokens", "window"),
    [(None, None), (0, None), (-5, None), (2_500, 2_000), (8_000, None), (400, None)],
    ids=["none", "zero", "negative", "over the window", "a sum over many calls", "a prompt that was cut"],
)
def test_a_count_that_cannot_be_one_prompts_teaches_nothing(prompt_tokens: int | None, window: int | None) -> None:
    before = Calibration().learn({FIXED: 10, "q": 990}, 1100)
    assert before.learn({FIXED: 10, "q": 990}, prompt_tokens, window=window) == before


@pytest.mark.parametrize("tokens", [0, 20, 5000])
def test_an_answers_count_that_is_not_its_texts_is_left_out(tokens: int) -> None:
    """Thoughts that a server counts and does not tell of."""
    known = Calibration().learn({FIXED: 10, "q": 990}, 1000, answer=Answer("a", Counted(1000, tokens)))
    assert "a" not in known.counted
    assert known.tokens("a", 1000) == pytest.approx(1000, rel=0.01)


def test_a_greeting_overturns_nothing() -> None:
    known = Calibration().learn({FIXED: 10, "q": 5000}, 6000)
    after = known.learn({FIXED: 10, "hi": 5}, 30)
    assert after.factor == pytest.approx(known.factor, rel=0.02)


steps = st.lists(
    st.tuples(st.dictionaries(st.sampled_from([FIXED, *"abcdef"]), st.integers(0, 5000)), st.integers(-1, 20_000)),
    max_size=6,
)


@given(steps=steps)
def test_whatever_was_counted_no_part_costs_less_than_nothing(steps: list[tuple[dict[str, int], int]]) -> None:
    calibration = Calibration()
    for parts, prompt_tokens in steps:
        calibration = calibration.learn(parts, prompt_tokens)
    assert calibration.factor is None or 0.5 <= calibration.factor <= 3
    assert all(calibration.tokens(part, size) >= 0 for part in [FIXED, *"abcdefg"] for size in (0, 1, 999))


@given(sizes=st.lists(st.integers(1, 3000), min_size=1, max_size=8), ratio=st.floats(0.6, 2.4))
def test_the_same_request_again_costs_what_it_did(sizes: list[int], ratio: float) -> None:
    parts = {FIXED: 20, **{str(place): size for place, size in enumerate(sizes)}}
    counted = round(sum(parts.values()) * ratio)
    assert Calibration().learn(parts, counted).predict(parts) == pytest.approx(counted, abs=1)
