"""Google's Gemini API: what differs from the others."""

from tests.support.requests import PNG, answers, asks, body

from sidekeep.request.view import Image


def test_a_question_becomes_a_request_without_the_model_which_is_in_the_address() -> None:
    assert body("gemini", asks("Why?"), system="Be brief.", temperature=0.2, max_tokens=512) == {
        "generationConfig": {"temperature": 0.2, "maxOutputTokens": 512},
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Why?"}]}],
    }


def test_what_the_server_decides_is_left_out() -> None:
    assert list(body("gemini", asks("Why?"))) == ["contents"]


def test_answers_are_the_models_and_sides_take_turns() -> None:
    shown = body("gemini", asks("page"), asks("this?", PNG), answers("A cat."), asks("Sure?"))["contents"]
    assert shown == [
        {
            "role": "user",
            "parts": [
                {"text": "page"},
                {"text": "\n\nthis?"},
                {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}},
            ],
        },
        {"role": "model", "parts": [{"text": "A cat."}]},
        {"role": "user", "parts": [{"text": "Sure?"}]},
    ]


def test_a_picture_it_cannot_take_is_told() -> None:
    parts = body("gemini", asks(Image(url="https://e.org/a.png"), Image(url="data:image/gif;base64,QQ==")))["contents"]
    assert parts[0]["parts"] == [
        {"text": "[a picture at https://e.org/a.png]"},
        {"text": "[a picture of a kind that this model cannot read]"},
    ]
