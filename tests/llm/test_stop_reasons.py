"""The words for why a model stopped."""

import pytest

from sidekeep.llm.stop_reasons import Stop, meaning_of


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        *(
            (word, Stop.END)
            for word in ("stop", "end_turn", "stop_sequence", "tool_use", "completed", "STOP", "", "new")
        ),
        *((word, Stop.CAPPED) for word in ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens")),
        *((word, Stop.OVERFLOW) for word in ("model_context_window_exceeded", "model_length")),
        *(
            (word, Stop.FILTERED)
            for word in ("content_filter", "refusal", "SAFETY", "RECITATION", "PROHIBITED_CONTENT")
        ),
        *((word, Stop.BROKEN) for word in ("error", "insufficient_system_resource", "abort")),
        ("FINISH_REASON_MAX_TOKENS", Stop.CAPPED),
    ],
)
def test_every_api_has_its_own_words(word: str, stop: Stop) -> None:
    assert meaning_of(word) is stop
