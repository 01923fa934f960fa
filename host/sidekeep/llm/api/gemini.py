"""Google's Gemini API. A stream is one GenerateContentResponse an event and ends with the body."""

from typing import Any
from urllib.parse import quote

from sidekeep.llm import urls
from sidekeep.llm.api.api import Api
from sidekeep.llm.json_members import count_of, object_of, objects_of, text_of
from sidekeep.llm.model_list import parse_gemini_models
from sidekeep.llm.piece import Piece, error_of
from sidekeep.llm.types import Endpoint, UsageReport


class GenerateContentReader:
    """Reads GenerateContentResponse, in a stream and alone."""

    lines = False
    think_tags = False

    def read(self, value: dict[str, Any]) -> Piece:
        """See piece.Reader."""
        candidates = objects_of(value.get("candidates"))
        candidate = candidates[0] if candidates else {}
        parts = objects_of(object_of(candidate.get("content")).get("parts"))
        return Piece(
            text="".join(text_of(part.get("text")) for part in parts if part.get("thought") is not True),
            reasoning="".join(text_of(part.get("text")) for part in parts if part.get("thought") is True),
            usage=_usage(value.get("usageMetadata")),
            stop=text_of(candidate.get("finishReason"))
            or text_of(object_of(value.get("promptFeedback")).get("blockReason")),
            error=error_of(value),
        )

    def whole(self, value: dict[str, Any]) -> Piece | None:
        """See piece.Reader."""
        return self.read(value) if "candidates" in value or "promptFeedback" in value else None


def _usage(value: Any) -> UsageReport | None:
    """`candidatesTokenCount` does not have the thoughts in it; `promptTokenCount` has the cached part."""
    usage = object_of(value)
    prompt = count_of(usage.get("promptTokenCount"))
    if prompt is None:
        return None
    thoughts = count_of(usage.get("thoughtsTokenCount"))
    answer = (count_of(usage.get("candidatesTokenCount")) or 0) + (thoughts or 0)
    return UsageReport(prompt, answer, count_of(usage.get("cachedContentTokenCount")), thoughts)


def _answer_url(endpoint: Endpoint) -> str:
    model = quote(endpoint.model.removeprefix("models/"), safe="/:@")
    return urls.versioned(endpoint.base_url, "/v1beta", f"/models/{model}:streamGenerateContent?alt=sse")


API = Api(
    reader=GenerateContentReader,
    answer_url=_answer_url,
    models_url=lambda endpoint: urls.versioned(endpoint.base_url, "/v1beta", "/models?pageSize=1000"),
    models=parse_gemini_models,
    key_header="x-goog-api-key",
    key_prefix="",
)
