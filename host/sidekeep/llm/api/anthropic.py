"""Anthropic's Messages API, and the servers that copy it (DeepSeek, Z.ai, Moonshot, LiteLLM)."""

from typing import Any

from sidekeep.llm import urls
from sidekeep.llm.api.api import Api
from sidekeep.llm.json_members import count_of, object_of, objects_of, text_of
from sidekeep.llm.model_list import parse_model_list
from sidekeep.llm.piece import Piece, error_of
from sidekeep.llm.types import UsageReport

_VERSION = "2023-06-01"  # the only one there is


class MessagesReader:
    """Reads message_start … message_stop. Counts of the prompt come with the first event, of the answer with the last."""

    lines = False
    think_tags = False

    def __init__(self) -> None:
        self._counts: dict[str, Any] = {}

    def read(self, value: dict[str, Any]) -> Piece:
        """See piece.Reader."""
        match value.get("type"):
            case "message_start":
                self._count(object_of(value.get("message")).get("usage"))
                return Piece()
            case "content_block_start":
                return _block(object_of(value.get("content_block")))
            case "content_block_delta":
                return _block(object_of(value.get("delta")))
            case "message_delta":
                self._count(value.get("usage"))
                return Piece(usage=self._usage(), stop=text_of(object_of(value.get("delta")).get("stop_reason")))
            case "message_stop":
                return Piece(last=True)
        return Piece(error=error_of(value))

    def whole(self, value: dict[str, Any]) -> Piece | None:
        """See piece.Reader."""
        if not isinstance(value.get("content"), list):
            return None
        self._count(value.get("usage"))
        blocks = [_block(block) for block in objects_of(value["content"])]
        text, reasoning = "".join(block.text for block in blocks), "".join(block.reasoning for block in blocks)
        return Piece(text, reasoning, self._usage(), text_of(value.get("stop_reason")))

    def _count(self, usage: Any) -> None:
        """Later events repeat some counts and leave out others."""
        self._counts |= {name: count for name, count in object_of(usage).items() if count is not None}

    def _usage(self) -> UsageReport | None:
        """The whole prompt: what was read from the cache and written to it is counted apart from `input_tokens`."""
        fresh = count_of(self._counts.get("input_tokens"))
        if fresh is None:
            return None
        cached = count_of(self._counts.get("cache_read_input_tokens"))
        prompt = fresh + (cached or 0) + (count_of(self._counts.get("cache_creation_input_tokens")) or 0)
        thinking = object_of(self._counts.get("output_tokens_details")).get("thinking_tokens")
        return UsageReport(prompt, count_of(self._counts.get("output_tokens")) or 0, cached, count_of(thinking))


def _block(block: dict[str, Any]) -> Piece:
    """A content block or a part of one: text, text_delta, thinking, thinking_delta; others have neither member."""
    return Piece(text_of(block.get("text")), text_of(block.get("thinking")))


API = Api(
    reader=MessagesReader,
    answer_url=lambda endpoint: urls.versioned(endpoint.base_url, "/v1", "/messages"),
    models_url=lambda endpoint: urls.versioned(endpoint.base_url, "/v1", "/models?limit=1000"),
    models=parse_model_list,
    key_header="x-api-key",
    key_prefix="",
    headers={"anthropic-version": _VERSION},
)
