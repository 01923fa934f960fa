"""What a failure at a model's server means for its turn: here the server's words, which llm/ received, meet request/'s rules."""

from sidekeep.errors import ProviderFailed
from sidekeep.request.overflow import Kind, Verdict, classify

# What came over an error channel. What could not be read, or reached, has no words to judge.
_WITH_WORDS = frozenset(("http-error", "stream-error", "in-200", "stop-reason"))
_WORDLESS = frozenset(("bad_response", "unreachable"))

# For verdicts that the status did not give away: what llm/ said then is of another matter.
_SENTENCES: dict[Kind, str] = {
    "overflow": (
        "The request is too large for {model}{limit}. Shorten the question, start a new chat, or choose a model with a larger "
        "window."
    ),
    "overflow_completion": (
        "{model} has no room for an answer as long as is asked for{limit}. Lower the answer's limit in the provider's settings."
    ),
    "payload_bytes": "The request has too many bytes for the server of {model}. Take out pictures or attachments.",
    "images": "{model} does not take these pictures: one is too large, or there are too many. Send fewer or smaller ones.",
    "rate_limit": "The server of {model} takes no more requests for the moment. Wait a little, then send again.",
    "quota": "The account with the server of {model} has no credit left. Top it up or choose another provider.",
    "auth": "The server of {model} refused the API key. Check the key in the provider's settings.",
    "content_filter": "The provider's filter objects to the request. Ask in other words, or choose another model.",
}


def judged(failure: ProviderFailed, model: str) -> Verdict:
    """The verdict on a failure, which carries it from now on, with the numbers of an overflow."""
    if failure.delivered not in _WITH_WORDS or failure.verdict in _WORDLESS:
        return Verdict("other")
    said = failure.stop_reason if failure.delivered == "stop-reason" else failure.body
    verdict = classify(failure.status, said, failure.delivered)
    if verdict.kind != "other":
        failure.judge(
            verdict.kind,
            None if verdict.kind == failure.verdict and not verdict.is_overflow else _sentence(verdict, model),
            limit_tokens=verdict.limit_tokens,
            requested_tokens=verdict.requested_tokens,
        )
    return verdict


def _sentence(verdict: Verdict, model: str) -> str:
    limit = f" ({verdict.limit_tokens:,} tokens)" if verdict.limit_tokens else ""
    sentence = _SENTENCES[verdict.kind].format(model=model or "this model", limit=limit)
    return sentence[0].upper() + sentence[1:] if not model else sentence
