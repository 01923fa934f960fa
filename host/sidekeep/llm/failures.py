"""What went wrong at a model's server, as `errors.ProviderFailed`: a plain sentence, a verdict, the server's own words.

The sentence never quotes the server: its words may echo the conversation. They go into `provider_message`, for the
person who asked, and whole into `body`, for the overflow classifier. The key is taken out of both.
"""

import json
import re
from typing import Any
from urllib.parse import quote

from sidekeep.errors import ProviderFailed
from sidekeep.llm.retry_after import retry_delay_s
from sidekeep.llm.stop_reasons import Stop
from sidekeep.llm.types import Endpoint
from sidekeep.llm.urls import origin

MAX_MESSAGE_CHARS = 64 * 1024
MAX_BODY_BYTES = 1024 * 1024
REDACTED = "[API key]"

_MIN_SECRET_CHARS = 4  # below that it is no secret, and taking it out would leave no text

_SENTENCES = {
    "auth": "{server} refused the API key ({status}). Check the key in the provider's settings.",
    "no_key": "{server} wants an API key ({status}). Add it in the provider's settings.",
    "quota": "{server} says that the account has no credit left ({status}). Top it up or choose another provider.",
    "payload_bytes": "{server} refused the request because it is too large ({status}).",
    "rate_limit": "{server} takes no more requests for the moment ({status}). Wait a little, then send again.",
    "server": "{server} failed with an error of its own ({status}). Send again; if it stays, choose another model.",
    "not_found": (
        "{server} knows no model “{model}” or no such address ({status}). Check the model's name and the base URL{hint}."
    ),
    "alternate": (
        "{server} wants questions and answers to take turns ({status}). Switch on “Join messages” in the provider's settings."
    ),
    "other": "{server} refused the request ({status}).",
}
_STOPPED = {
    Stop.OVERFLOW: "stopped because the model's context window is full.",
    Stop.FILTERED: "stopped the answer: its content filter objects. Ask in other words, or choose another model.",
    Stop.BROKEN: "broke off with an error of its own.",
    Stop.CAPPED: "stopped before the first word: there is no room for an answer. Shorten the conversation, or raise its limit.",
    Stop.END: "answered with nothing. Send again.",
}
_ALL_REASONING = "thought and did not answer. Send again, or allow a longer answer in the provider's settings."
_STOP_VERDICTS = {Stop.OVERFLOW: "overflow", Stop.FILTERED: "content_filter", Stop.BROKEN: "other"}
# The chat templates of Mistral, Gemma, Llama 2 and others, as vLLM, llama.cpp and LM Studio pass their refusal on; Perplexity;
# DeepSeek.
_ALTERNATE = re.compile(
    r"roles (must alternate|should be alternating)|alternate between (user|'user')|successive user or assistant messages",
    re.IGNORECASE,
)
# Errors inside a 200 or a stream name what an HTTP status would have said (Anthropic's types, OpenAI's codes).
_STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_VERDICTS = {401: "auth", 402: "quota", 403: "auth", 413: "payload_bytes", 429: "rate_limit"}


def verdict_of(status: int) -> str:
    """The verdict that an HTTP status alone allows; the overflow classifier may know better from the body."""
    return _VERDICTS.get(status, "server" if status >= 500 else "other")


class Failures:
    """Makes the failures of one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._key = (endpoint.api_key or "").strip()
        self.server = "The offline model" if endpoint.kind == "offline" else origin(endpoint.base_url)

    def http_error(self, status: int, body: bytes, *, retry_after_s: float | None = None) -> ProviderFailed:
        """An answer with a status that is not 200; `retry_after_s` is what its headers say."""
        failure = self._failed(self._sentence(status, body), verdict_of(status), "http-error", status, body)
        failure.retry_after_s = retry_delay_s(_error_in(body)) if retry_after_s is None else retry_after_s
        return failure

    def error_object(self, value: Any, body: bytes, *, delivered: str) -> ProviderFailed:
        """An error the server put into a 200, as an event of the stream ("stream-error") or instead of it ("in-200")."""
        status = _embedded_status(value)
        if status is None:
            return self._failed(f"{self.server} {_STOPPED[Stop.BROKEN]}", "other", delivered, 200, body)
        failure = self._failed(self._sentence(status, body), verdict_of(status), delivered, status, body)
        failure.retry_after_s = retry_delay_s(value)
        return failure

    def stopped(self, stop: Stop, word: str, *, thought: bool) -> ProviderFailed:
        """An answer that a stop reason ended too early, or that holds no word. `word` is the server's own for why."""
        what = _ALL_REASONING if thought and stop in (Stop.END, Stop.CAPPED) else _STOPPED[stop]
        verdict = _STOP_VERDICTS.get(stop, "bad_response")
        delivered = "in-200" if stop is Stop.END else "stop-reason"
        body = json.dumps({"finish_reason": word}) if word else ""
        failure = self._failed(f"{self.server} {what}", verdict, delivered, 200, body.encode())
        failure.stop_reason = redact(word, self._key)
        return failure

    def redirect(self, status: int, location: str) -> ProviderFailed:
        """A redirect is never followed: the request carries the key and the conversation."""
        try:
            target = origin(location)
        except ProviderFailed:
            target = "another address of its own" if location.startswith("/") else "an address that cannot be read"
        advice = "Nothing was sent there. If that is the right place, put it into the base URL."
        message = f"{self.server} redirects to {target} ({status}). {advice}"
        return self._failed(message, "other", "http-error", status, b"")

    def bad_response(self, what: str, body: bytes = b"", *, delivered: str = "stream-error") -> ProviderFailed:
        """An answer that cannot be read, or that broke off; `what` goes on the sentence that begins with the server."""
        return self._failed(f"{self.server} {what}", "bad_response", delivered, 200, body)

    def unreachable(self, what: str) -> ProviderFailed:
        """No answer at all; `what` goes on the sentence that begins with the server."""
        if self._endpoint.kind == "offline":
            what = "has stopped. Send again to start it anew."
        return self._failed(f"{self.server} {what}", "unreachable", "none", None, b"")

    def unusable_key(self) -> ProviderFailed:
        """A key that no HTTP header can carry; sending it would put it into an exception's text."""
        message = f"The API key for {self.server} holds a space or a character that keys never have. Enter it again."
        return self._failed(message, "auth", "none", None, b"")

    def _sentence(self, status: int, body: bytes) -> str:
        name = "not_found" if status == 404 else verdict_of(status)
        if name in ("other", "server") and _ALTERNATE.search(body.decode("utf-8", "replace")):
            name = "alternate"
        if name == "auth" and not self._key:
            name = "no_key"
        hint = ", which often ends in /v1" if self._endpoint.kind.startswith("openai") else ""
        return _SENTENCES[name].format(server=self.server, status=status, model=self._endpoint.model, hint=hint)

    def _failed(self, message: str, verdict: str, delivered: str, status: int | None, body: bytes) -> ProviderFailed:
        whole = redact(body[:MAX_BODY_BYTES].decode("utf-8", "replace"), self._key)
        return ProviderFailed(
            redact(message, self._key),
            verdict=verdict,
            status=status,
            provider_message=redact(words_of(whole), self._key)[:MAX_MESSAGE_CHARS],
            body=whole.encode(),
            delivered=delivered,
        )


def redact(text: str, key: str) -> str:
    """`text` without `key`, in its plain, JSON-escaped and percent-encoded form, in capitals or not (a host's name has none)."""
    if len(key) < _MIN_SECRET_CHARS:
        return text
    forms = dict.fromkeys((key, json.dumps(key)[1:-1], key.replace("/", "\\/"), quote(key, safe="")))
    return re.sub("|".join(map(re.escape, forms)), lambda _: REDACTED, text, flags=re.IGNORECASE)


def words_of(body: str) -> str:
    """The message inside an error answer, else the answer itself.

    Known places: `error.message`, `error` or `detail` as text (LM Studio, TGI, FastAPI), `message` on top
    (SiliconFlow), a list around it all (Gemini), and OpenRouter's `error.metadata.raw`, the upstream provider's words.
    """
    try:
        words = _words(json.loads(body))
    except (ValueError, RecursionError):
        return body.strip()
    # json.loads lets a lone surrogate through, and nothing behind this could be encoded with one.
    return words.encode("utf-8", "replace").decode() if words else body.strip()


def _words(value: Any) -> str:
    if isinstance(value, list) and value:
        return _words(value[0])
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    for name in ("error", "detail", "message", "error_message", "msg"):
        if found := _words(value.get(name)):
            raw = (value.get("metadata") or {}).get("raw") if isinstance(value.get("metadata"), dict) else None
            return f"{found}: {raw}" if isinstance(raw, str) and raw else found
    return ""


def _embedded_status(value: Any) -> int | None:
    """An HTTP status that the error object names as its `code` or `status` (OpenRouter, llama.cpp, vLLM)."""
    if isinstance(value, dict):
        for name in ("code", "status", "status_code"):
            code = value.get(name)
            code = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
            if isinstance(code, int) and not isinstance(code, bool) and 400 <= code <= 599:
                return code
        for name in ("type", "code"):
            if isinstance(value.get(name), str) and value[name] in _STATUS_OF:
                return _STATUS_OF[value[name]]
    return None


def _error_in(body: bytes) -> Any:
    """The error object of an error answer, Gemini's list around it taken off; None where there is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    value = value[0] if isinstance(value, list) and value else value
    return value.get("error") if isinstance(value, dict) else None
