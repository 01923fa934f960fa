"""The members of an OpenAI-compatible chunk, read without trust: whatever has the wrong type counts as absent."""

import json
from typing import Any

from sidekeep.llm.types import UsageReport


class SurrogateJoiner:
    """Puts together a character whose two UTF-16 halves came in two deltas; a half that stays alone becomes U+FFFD."""

    def __init__(self) -> None:
        self._half = ""

    def join(self, text: str) -> str:
        """`text` with what was held back before it, without a first half at its end."""
        if not text:
            return ""
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        if text.isascii():
            return text
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def rest(self) -> str:
        """What is left of a character whose second half never came."""
        half, self._half = self._half, ""
        return "\ufffd" if half else ""


def parse_json(text: str) -> Any:
    """JSON of any server: orjson, and the standard library where that refuses lone surrogates. Raises ValueError."""
    import orjson

    try:
        return orjson.loads(text)
    except ValueError:
        pass
    try:
        return json.loads(text)
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc


def error_of(value: Any) -> Any:
    """The error that a 200 or an event carries: an object, or LM Studio's bare string. None where there is none."""
    if not isinstance(value, dict):
        return None
    if value.get("error"):
        return value["error"]
    return value if value.get("error_message") or value.get("object") == "error" else None


def choice_of(value: dict[str, Any]) -> dict[str, Any]:
    """The first choice; nobody asks for more than one. Empty where there is none (pings, the chunk with the usage)."""
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) and choice.get("index") in (0, None) else {}


def text_and_reasoning(choice: dict[str, Any]) -> tuple[str, str]:
    """What a choice adds to the answer and to the reasoning: `delta` in a stream, `message` in a document.

    `content` is a string, or Mistral's list of parts of type text and thinking. Some servers (OpenRouter, vLLM) send
    the same reasoning under two names.
    """
    delta = choice.get("delta") if isinstance(choice.get("delta"), dict) else choice.get("message")
    if not isinstance(delta, dict):
        return "", ""
    parts = _parts(delta.get("content"))
    thought = "".join(_text(inner.get("text")) for part in parts for inner in _parts(part.get("thinking")))
    thought = thought or _text(delta.get("reasoning_content")) or _text(delta.get("reasoning"))
    text = _text(delta.get("content")) or "".join(_text(part.get("text")) for part in parts)
    return text or _text(delta.get("refusal")), thought


def _parts(value: Any) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def usage_of(value: Any) -> UsageReport | None:
    """A chunk's `usage`, None where there is none; DeepSeek has its own name for the cached tokens."""
    if not isinstance(value, dict):
        return None
    details = value.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else value.get("prompt_cache_hit_tokens")
    prompt, completion = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    return None if prompt is None else UsageReport(prompt, completion or 0, _count(cached))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
