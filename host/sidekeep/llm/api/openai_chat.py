"""OpenAI's chat completions, as OpenAI, OpenRouter, LM Studio, llama.cpp, vLLM and most others speak them."""

from typing import Any

from sidekeep.llm import urls
from sidekeep.llm.api.api import Api
from sidekeep.llm.json_members import count_of, object_of, objects_of, text_of
from sidekeep.llm.model_list import parse_model_list
from sidekeep.llm.piece import Piece, error_of
from sidekeep.llm.types import UsageReport


class ChatReader:
    """Reads chunks; the stream's end is `[DONE]`, which the decoder knows."""

    lines = False
    think_tags = True

    def read(self, value: dict[str, Any]) -> Piece:
        """See piece.Reader."""
        choice = _choice(value)
        text, reasoning = _text_and_reasoning(choice)
        return Piece(text, reasoning, _usage(value.get("usage")), text_of(choice.get("finish_reason")), error_of(value))

    def whole(self, value: dict[str, Any]) -> Piece | None:
        """See piece.Reader."""
        return self.read(value) if isinstance(value.get("choices"), list) else None


def _choice(value: dict[str, Any]) -> dict[str, Any]:
    """The first choice; nobody asks for more than one. Empty where there is none (pings, the chunk with the usage)."""
    choices = value.get("choices")
    choice = object_of(choices[0]) if isinstance(choices, list) and choices else {}
    return choice if choice.get("index") in (0, None) else {}


def _text_and_reasoning(choice: dict[str, Any]) -> tuple[str, str]:
    """What a choice adds to the answer and to the reasoning: `delta` in a stream, `message` in a document.

    `content` is a string, or Mistral's list of parts of type text and thinking. Some servers (OpenRouter, vLLM) send
    the same reasoning under two names.
    """
    delta = object_of(choice.get("delta")) or object_of(choice.get("message"))
    parts = objects_of(delta.get("content"))
    reasoning = "".join(text_of(inner.get("text")) for part in parts for inner in objects_of(part.get("thinking")))
    reasoning = reasoning or text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning"))
    text = text_of(delta.get("content")) or "".join(text_of(part.get("text")) for part in parts)
    return text or text_of(delta.get("refusal")), reasoning


def _usage(value: Any) -> UsageReport | None:
    """A chunk's `usage`, None where there is none; DeepSeek has its own name for the cached tokens."""
    usage = object_of(value)
    prompt = count_of(usage.get("prompt_tokens"))
    if prompt is None:
        return None
    cached = object_of(usage.get("prompt_tokens_details")).get("cached_tokens", usage.get("prompt_cache_hit_tokens"))
    reasoning = object_of(usage.get("completion_tokens_details")).get("reasoning_tokens")
    return UsageReport(prompt, count_of(usage.get("completion_tokens")) or 0, count_of(cached), count_of(reasoning))


API = Api(
    reader=ChatReader,
    answer_url=lambda endpoint: urls.below(endpoint.base_url, "/chat/completions"),
    models_url=lambda endpoint: urls.below(endpoint.base_url, "/models"),
    models=parse_model_list,
)
