"""Ollama's own API: the window is named, so that nothing is cut in silence."""

from tests.support.requests import PNG, answers, asks, body, calls, returns

from sidekeep.request.view import Image


def test_a_question_becomes_a_request_with_the_window_and_without_truncation() -> None:
    sent = body("ollama", asks("Why?"), system="Be brief.", temperature=0.2, max_tokens=512, window_tokens=16_384)
    assert sent == {
        "model": "tiny",
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {"num_ctx": 16_384, "temperature": 0.2, "num_predict": 512},
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
    }


def test_pictures_are_bare_base64_beside_the_text() -> None:
    assert body("ollama", asks("this?", PNG, "or that?"), answers("A cat."))["messages"] == [
        {"role": "user", "content": "this?or that?", "images": ["iVBORw=="]},
        {"role": "assistant", "content": "A cat."},
    ]


def test_a_picture_it_cannot_take_is_told() -> None:
    (message,) = body("ollama", asks("this?", Image(url="https://e.org/a.png")))["messages"]
    assert message == {"role": "user", "content": "this?\n\n[a picture at https://e.org/a.png]"}


def test_calls_of_tools_and_their_results_are_told_in_words() -> None:
    shown = body("ollama", asks("Do."), calls("c1", "read"), returns("c1", "done"))["messages"]
    assert [message["content"] for message in shown[1:]] == [
        "[Called the tool read with {}]",
        "[Result of the tool read]\n\ndone",
    ]
