"""OpenAI's Responses API. A stream ends with `response.completed`, `.incomplete` or `.failed`, not with `[DONE]`."""

from typing import Any

from sidekeep.llm import urls
from sidekeep.llm.api.api import Api
from sidekeep.llm.json_members import count_of, object_of, objects_of, text_of
from sidekeep.llm.model_list import parse_model_list
from sidekeep.llm.piece import Piece, error_of
from sidekeep.llm.types import UsageReport

_TEXT = frozenset(("response.output_text.delta", "response.refusal.delta"))
_REASONING = frozenset(("response.reasoning_summary_text.delta", "response.reasoning_text.delta"))
_ENDS = frozenset(("response.completed", "response.incomplete", "response.failed", "response.cancelled"))


class ResponsesReader:
    """Reads events of type response.*; those about tools, items and parts say nothing that is shown."""

    lines = False
    think_tags = False

    def read(self, value: dict[str, Any]) -> Piece:
        """See piece.Reader."""
        kind = text_of(value.get("type"))
        if kind in _TEXT:
            return Piece(text=text_of(value.get("delta")))
        if kind in _REASONING:
            return Piece(reasoning=text_of(value.get("delta")))
        if kind == "response.reasoning_summary_part.added" and value.get("summary_index"):
            return Piece(reasoning="\n\n")
        if kind in _ENDS:
            return _end(object_of(value.get("response")))
        return Piece(error=error_of(value))

    def whole(self, value: dict[str, Any]) -> Piece | None:
        """See piece.Reader."""
        if not isinstance(value.get("output"), list):
            return None
        end = _end(value)
        return Piece(
            _said(value, "message", "content"), _said(value, "reasoning", "summary"), end.usage, end.stop, end.error
        )


def _end(response: dict[str, Any]) -> Piece:
    """The last event's own response: how it ended, and the usage."""
    status = text_of(response.get("status"))
    error = response.get("error")
    if status in ("failed", "cancelled") and not error:
        error = {"message": f"the response was {status}"}
    reason = text_of(object_of(response.get("incomplete_details")).get("reason"))
    return Piece(usage=_usage(response.get("usage")), stop=reason or status, error=error or None, last=True)


def _said(response: dict[str, Any], kind: str, member: str) -> str:
    """The texts of the output items of one type."""
    items = [item for item in objects_of(response.get("output")) if item.get("type") == kind]
    parts = [part for item in items for part in objects_of(item.get(member))]
    return "".join(text_of(part.get("text")) or text_of(part.get("refusal")) for part in parts)


def _usage(value: Any) -> UsageReport | None:
    usage = object_of(value)
    prompt = count_of(usage.get("input_tokens"))
    if prompt is None:
        return None
    cached = object_of(usage.get("input_tokens_details")).get("cached_tokens")
    reasoning = object_of(usage.get("output_tokens_details")).get("reasoning_tokens")
    return UsageReport(prompt, count_of(usage.get("output_tokens")) or 0, count_of(cached), count_of(reasoning))


API = Api(
    reader=ResponsesReader,
    answer_url=lambda endpoint: urls.below(endpoint.base_url, "/responses"),
    models_url=lambda endpoint: urls.below(endpoint.base_url, "/models"),
    models=parse_model_list,
)
