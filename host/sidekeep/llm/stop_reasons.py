"""Why a model stopped, in the words of every API (anthropic 2.14, openai 3.57, google-genai 3.6, Ollama 0.33, vendors' pages)."""

from enum import Enum


class Stop(Enum):
    """What a stop reason means for the answer."""

    END = "the answer is whole"
    CAPPED = "the answer's allowance of tokens is used up"
    OVERFLOW = "the context window is full"
    FILTERED = "the provider's filter stopped it"
    BROKEN = "the server failed"


_WORDS = {
    Stop.CAPPED: ("length", "max_tokens", "max_output_tokens", "max_new_tokens", "continuation"),
    Stop.OVERFLOW: (
        "model_context_window_exceeded",  # Anthropic, Z.ai
        "model_length",  # Mistral
        "context_length_exceeded",
        "context_window_exceeded",
    ),
    Stop.FILTERED: (
        "content_filter",
        "content_filtered",
        "refusal",  # Anthropic
        "sensitive",  # Z.ai
        # Gemini, of the answer and of the prompt
        *("safety", "recitation", "language", "blocklist", "prohibited_content", "spii", "escalation"),
        *("image_safety", "image_prohibited_content", "image_recitation", "model_armor", "jailbreak"),
        "pup_limited_disabled",
    ),
    Stop.BROKEN: (
        "error",
        "error_finish",
        "network_error",  # Z.ai
        "insufficient_system_resource",  # DeepSeek
        "abort",  # vLLM, SGLang
        "malformed_response",  # Gemini
    ),
}
_MEANINGS = {word: stop for stop, words in _WORDS.items() for word in words}


def meaning_of(word: str) -> Stop:
    """What the server's own word means; unknown words, and none, are an end like any other."""
    return _MEANINGS.get(word.lower().removeprefix("finish_reason_"), Stop.END)
