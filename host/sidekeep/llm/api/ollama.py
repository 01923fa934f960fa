"""Ollama's own API: one JSON document a line, the last with `done` and the counts."""

from typing import Any

from sidekeep.llm import urls
from sidekeep.llm.api.api import Api
from sidekeep.llm.json_members import count_of, object_of, text_of
from sidekeep.llm.model_list import parse_model_list
from sidekeep.llm.piece import Piece, error_of
from sidekeep.llm.types import UsageReport


class OllamaReader:
    """Reads the lines of /api/chat."""

    lines = True
    think_tags = True  # models whose template Ollama does not know to think

    def read(self, value: dict[str, Any]) -> Piece:
        """See piece.Reader."""
        message = object_of(value.get("message"))
        done = value.get("done") is True
        return Piece(
            text=text_of(message.get("content")),
            reasoning=text_of(message.get("thinking")),
            usage=_usage(value) if done else None,
            stop=(text_of(value.get("done_reason")) or "stop") if done else "",
            error=error_of(value),
            last=done,
        )

    def whole(self, value: dict[str, Any]) -> Piece | None:
        """See piece.Reader."""
        return self.read(value) if "message" in value else None


def _usage(value: dict[str, Any]) -> UsageReport | None:
    """None where the prompt's count is missing: older versions leave it out for a prompt they had in memory."""
    prompt = count_of(value.get("prompt_eval_count"))
    if prompt is None:
        return None
    cached = count_of(value.get("prompt_eval_cached_count"))
    return UsageReport(prompt, count_of(value.get("eval_count")) or 0, cached)


API = Api(
    reader=OllamaReader,
    answer_url=lambda endpoint: urls.ollama(endpoint.base_url, "/api/chat"),
    models_url=lambda endpoint: urls.ollama(endpoint.base_url, "/api/tags"),
    models=parse_model_list,
)
