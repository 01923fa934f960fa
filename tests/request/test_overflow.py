"""Which provider errors are overflows, and what their numbers say."""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidekeep.request.overflow import Verdict, classify

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "cases" / "overflow.json"
OWN: list[dict[str, Any]] = json.loads((ROOT / "tests" / "vectors" / "overflow.json").read_text())

KINDS = {
    "context-overflow-completion-dominated": "overflow_completion",
    "gateway-verdict": "overflow",
    "payload-bytes": "payload_bytes",
    "image-size": "images",
    "image-count": "images",
    "rate-limit-tpm": "rate_limit",
    "rate-limit-tpd": "rate_limit",
    "quota": "quota",
    "entitlement": "quota",
    "auth": "auth",
    "content-filter": "content_filter",
}
NUMBERS = ("limit_tokens", "requested_tokens", "prompt_tokens", "completion_tokens")

# How clients, proxies and relays wrap what a server said.
WRAPPINGS: dict[str, Callable[[str], str]] = {
    "a string": json.dumps,
    "error.message": lambda text: json.dumps({"error": {"message": text, "type": "invalid_request_error"}}),
    "indented": lambda text: json.dumps({"error": {"message": text}}, ensure_ascii=False, indent=2),
    "detail": lambda text: json.dumps({"detail": text}),
    "an array": lambda text: json.dumps([{"error": {"message": text, "status": "INVALID_ARGUMENT"}}]),
    "response.error": lambda text: json.dumps({"type": "response.failed", "response": {"error": {"message": text}}}),
    "metadata.raw": lambda text: json.dumps({"error": {"message": "Provider error", "metadata": {"raw": text}}}),
    "a Python repr": lambda text: "Error code: 400 - " + repr({"error": {"message": text, "param": None}}),
    "a Python repr of bytes": lambda text: repr(text.encode()),
    "an event": lambda text: "event: error\ndata: " + json.dumps({"error": text}) + "\n\n",
    "broken lines": lambda text: text.replace(" ", "\n    "),
    "HTML": lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;"),
    "a class name before it": lambda text: "litellm.BadRequestError: OpenAIException - " + text,
}


def _corpus() -> list[dict[str, Any]]:
    """The shared corpus, without what a text cannot decide."""
    if not CORPUS.exists():
        pytest.skip("the corpus is not beside this checkout")
    entries: list[dict[str, Any]] = json.loads(CORPUS.read_text())
    return [entry for entry in entries if entry.get("decidable_from_text", True) and "silent" not in entry["kind"]]


def _judge(entry: dict[str, Any]) -> Verdict:
    return classify(entry["http_status"], entry["body"], entry["delivered"])


def _meaning(verdict: Verdict) -> tuple[Any, ...]:
    return (verdict.kind, *(getattr(verdict, name) for name in NUMBERS))


def _kind(entry: dict[str, Any]) -> str:
    return KINDS.get(entry["kind"], "overflow" if entry["is_overflow"] else "other")


def test_the_corpus_is_judged_as_it_was_labelled() -> None:
    overflows = [entry for entry in _corpus() if entry["is_overflow"]]
    missed = [entry["id"] for entry in overflows if not _judge(entry).is_overflow]
    wrong = [entry["id"] for entry in _corpus() if not entry["is_overflow"] and _judge(entry).is_overflow]
    assert len(overflows) > 100
    assert (missed, wrong) == ([], [])


def test_kinds_and_numbers_of_the_corpus_are_read() -> None:
    other_kind = [entry["id"] for entry in _corpus() if _judge(entry).kind != _kind(entry)]
    other_numbers = [
        entry["id"] for entry in _corpus() if _meaning(_judge(entry))[1:] != tuple(entry.get(name) for name in NUMBERS)
    ]
    assert other_kind == ["ov-moonshot-kimi-02"], (
        "its text is cut before the number that makes it one of the completion"
    )
    assert other_numbers == ["ov-vllm-04"], "a line of a log, `2048/2560`"


@pytest.mark.parametrize("case", OWN, ids=[f"{index}: {case['body'][:50]}" for index, case in enumerate(OWN)])
def test_answers_that_the_corpus_does_not_have(case: dict[str, Any]) -> None:
    assert _meaning(classify(case["status"], case["body"])) == (case["kind"], *case.get("tokens", [None] * 4))


@pytest.mark.parametrize("name", WRAPPINGS)
def test_no_wrapping_changes_a_verdict(name: str) -> None:
    wrap = WRAPPINGS[name]
    for case in OWN:
        if "choices" in case["body"] or '"input":' in case["body"]:
            continue  # what a model wrote, or a request sent back, is known by the member it stands in
        bare = _meaning(classify(case["status"], case["body"]))
        assert _meaning(classify(case["status"], wrap(case["body"]))) == bare
        assert _meaning(classify(case["status"], wrap(case["body"]).encode())) == bare


@given(seed=st.integers(0, 2**32), depth=st.integers(2, 4))
def test_wrappings_of_wrappings_change_no_verdict_of_the_corpus(seed: int, depth: int) -> None:
    chance = random.Random(seed)
    entry = chance.choice(_corpus())
    wrapped = {**entry}
    for name in chance.choices([name for name in WRAPPINGS if name != "HTML"], k=depth):
        wrapped["body"] = WRAPPINGS[name](wrapped["body"])
    assert _meaning(_judge(wrapped)) == _meaning(_judge(entry))


@pytest.mark.parametrize(
    "number", ["131072", "131,072", "131_072", "131’072", "131.072", "131\u202f072", "131\u00a0072"]
)
def test_separators_in_numbers_are_read(number: str) -> None:
    verdict = classify(400, f"prompt is too long: 200000 tokens > {number} tokens maximum")
    assert (verdict.limit_tokens, verdict.prompt_tokens) == (131072, 200000)


@given(status=st.none() | st.integers(), body=st.binary() | st.text(), delivered=st.text(max_size=12))
@example(status=400, body=b'{"error":' * 3000, delivered="http-error")
@example(status=400, body=b'{"n_ctx": ' + b"9" * 5000 + b"}", delivered="stop-reason")
@example(status=400, body='{"code": "\ud800"}', delivered="")
def test_nothing_makes_it_raise(status: int | None, body: str | bytes, delivered: str) -> None:
    verdict = classify(status, body, delivered)
    assert verdict.is_overflow or _meaning(verdict)[1:] == (None, None, None, None)


@pytest.mark.parametrize(
    "piece",
    ["a", " ", "[", "{", '"', "\\", "\\u", "\\\\x", "1", "1,234,", "1.234.", "12 > ", "&amp;", "context length ", "exceed",
     "exceeds tokens ", "input tokens or ", "maximum number of ", "image ", "request body ", '{"a":1} ', '["input"],', "输入"],
)  # fmt: skip
def test_a_long_body_costs_no_more_than_its_length(piece: str) -> None:
    started = time.process_time()
    classify(400, piece * (2**20 // len(piece)))
    assert time.process_time() - started < 5, "some 0.3 s at most; a pattern that backtracks takes minutes"


@pytest.mark.parametrize(
    "body",
    [
        {
            "choices": [
                {"message": {"content": "This model's maximum context length is 4097 tokens, you requested 5000."}}
            ]
        },
        {"detail": [{"msg": "Field required", "input": {"messages": "prompt is too long: 5 tokens > 4 maximum"}}]},
        {"error": {"message": "No such model", "metadata": {"previous_errors": [{"message": "prompt is too long"}]}}},
    ],
    ids=["a model's own prose", "a request sent back", "an earlier error"],
)
def test_words_that_are_not_the_errors_are_not_read(body: Any) -> None:
    assert classify(400, json.dumps(body)).kind == "other"


def test_a_stop_reason_is_read_only_where_one_was_delivered() -> None:
    assert classify(200, "model_length", "stop-reason").kind == "overflow"
    assert classify(200, "finish_reason='model_length'", "finish_reason").kind == "overflow"
    assert classify(200, "model_length", "http-error").kind == "other"
    assert classify(200, "length", "stop-reason").kind == "other"


@pytest.mark.parametrize(
    "piece",
    [
        {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "model_context_window_exceeded"}]},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "model_context_window_exceeded"},
            "usage": {"output_tokens": 1},
        },
        {"choices": [{"delta": {"content": "Hm"}, "error": {"message": "prompt is too long", "code": 400}}]},
    ],
    ids=["a chunk's stop reason", "an event's stop reason", "an error beside an answer"],
)
def test_why_an_answer_stopped_is_read_inside_of_it(piece: Any) -> None:
    assert classify(200, json.dumps(piece), "stop-reason").kind == "overflow"


def test_members_that_hold_numbers_are_read_where_the_text_has_none() -> None:
    error = {"message": "the request exceeds the available context size", "n_prompt_tokens": 1407, "n_ctx": 256}
    assert _meaning(classify(400, json.dumps({"error": error}))) == ("overflow", 256, 1407, 1407, None)


def test_the_evidence_holds_nothing_of_the_answer() -> None:
    for case in OWN:
        assert not any(
            len(word) > 12 and word in case["body"] for word in classify(None, case["body"]).evidence.split()
        )
