"""OpenAI's Responses API: input items, instructions, nothing stored."""

from tests.support.requests import PNG, answers, asks, body, calls, returns, says

KIND = "openai-responses"


def test_a_question_becomes_a_streaming_request_that_is_not_stored() -> None:
    assert body(KIND, asks("Why?"), model="gpt-4o", system="Be brief.", temperature=0.2, max_tokens=512) == {
        "model": "gpt-4o",
        "temperature": 0.2,
        "max_output_tokens": 512,
        "store": False,
        "stream": True,
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "Why?"}],
    }


def test_models_that_reason_take_no_temperature() -> None:
    assert "temperature" not in body(KIND, asks("Why?"), model="gpt-5-mini", temperature=0.2)


def test_without_a_system_text_there_are_no_instructions() -> None:
    assert "instructions" not in body(KIND, asks("Why?"))


def test_every_entry_is_an_item_and_pictures_are_input_of_the_persons() -> None:
    shown = body(KIND, says("system", "Old."), asks("this?", PNG), answers("A cat.", PNG))["input"]
    image = {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,iVBORw=="}
    assert shown == [
        {"role": "developer", "content": "Old."},
        {"role": "user", "content": [{"type": "input_text", "text": "this?"}, image]},
        {"role": "assistant", "content": "A cat."},
        {"role": "user", "content": [image]},
    ]


def test_calls_of_tools_and_their_results_are_items_too() -> None:
    assert body(KIND, calls("c1", "read", "{}"), returns("c1", "done"))["input"] == [
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "done"},
    ]
