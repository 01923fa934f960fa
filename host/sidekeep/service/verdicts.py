"""What a failure at a model's server means for its turn: here the server's words, which llm/ received, meet request/'s rules."""

from sidekeep.errors import ProviderFailed
from sidekeep.request.overflow import Verdict, classify

# What came over an error channel. What could not be read, or reached, has no words to judge.
_WITH_WORDS = frozenset(("http-error", "stream-error", "in-200", "stop-reason"))
_WORDLESS = frozenset(("bad_response", "unreachable"))

_SENTENCES = {
    "overflow": (
        "The request is too large for {model}{limit}. Shorten the question, start a new chat, or choose a model with a larger "
        "window."
    ),
    "overflow_completion": (
        "{model} has no room for an answer as long as is asked for{limit}. Lower the answer's limit in the provider's settings."
    ),
}


def judged(failure: ProviderFailed, model: str) -> Verdict:
    """The verdict on a failure, which carries it from now on, with the numbers of an overflow."""
    if failure.delivered not in _WITH_WORDS or failure.verdict in _WORDLESS:
        return Verdict("other")
    said = failure.stop_reason if failure.delivered == "stop-reason" else failure.body
    verdict = classify(failure.status, said, failure.delivered)
    if verdict.kind != "other":
        sentence = _SENTENCES.get(verdict.kind)
        limit = f" ({verdict.limit_tokens:,} tokens)" if verdict.limit_tokens else ""
        failure.judge(
            verdict.kind,
            sentence.format(model=model or "this model", limit=limit) if sentence else None,
            limit_tokens=verdict.limit_tokens,
            requested_tokens=verdict.requested_tokens,
        )
    return verdict
