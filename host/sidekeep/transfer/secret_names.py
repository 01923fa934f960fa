"""What the name of a member says of its value: a key, a token or a password; text that somebody wrote; or neither.

A name is read as words: `claudeApiKey`, `x-api-key` and `OPENAI_API_KEYS` are keys, `primary_key`, `max_tokens` and `tokenizer`
are none.
"""

import enum
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple


class Kind(enum.Enum):
    """`SECRET`: whatever the value is. `LIKELY`: where it looks like one. `TEXT` is what somebody wrote, also of keys; a
    `LABEL` is, too, unless it is nothing but a key."""

    SECRET = enum.auto()
    LIKELY = enum.auto()
    TEXT = enum.auto()
    LABEL = enum.auto()
    OTHER = enum.auto()


class _Name(NamedTuple):
    kind: Kind
    owner: str = ""
    is_many: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ALONE = _words(
    "apikey password passwd passphrase secret authorization bearer accesskey secretkey privatekey "
    "authtoken accesstoken refreshtoken apitoken sessiontoken bearertoken idtoken"
)
_ALONE_LIKELY = _words("cookie credential jwt")
_MANY = _words("apikeys passwords secrets credentials cookies authtokens accesstokens refreshtokens apitokens")
# What stands before "key" or "token" and makes it a secret, whatever its value.
_BEFORE_KEY = _words("api access secret private auth subscription account encryption signing")
_BEFORE_TOKEN = _words("access refresh bearer auth id session api")
# Whose key it is: `openaiKey`. A key of something else is the key of a table, a song or a keyboard.
_ISSUERS = _words(
    "openai openrouter anthropic claude gemini google azure groq mistral cohere deepseek perplexity together fireworks "
    "huggingface hf xai grok moonshot kimi chatglm zhipu ollama nvidia replicate github gitlab slack notion brave tavily serper "
    "serpapi exa firecrawl jina elevenlabs"
)
# Tokens that a tokenizer counts, or that lead to a next page.
_HARMLESS_TOKENS = _words(
    "eos bos pad unk sep cls mask stop start begin end first last next prev previous page continuation cursor sync special image "
    "audio max min per new prompt completion input output total cached reasoning control unknown think word sub"
)
_LABEL = _words("title name description error")
_TEXT = _words(
    "content text parts message question answer summary thinking thought thoughts reasoning reasoning_content "
    "extracted_content pageContent page_content document documents snippet quote prompt prompt_content "
    "original image_url videoSrc src href"
)
_NOTHING = _words("none null true false undefined include omit same-origin")


def kind_of(name: str) -> Kind:
    return _read(name).kind


def owner_of(name: str) -> str:
    """Whose secret it is, as far as the member's name tells: "claude" of `claudeApiKey`, "" of `apiKey`."""
    return _read(name).owner


def is_many(name: str) -> bool:
    """Whether what the name stands for holds secrets one by one: `credentials`, `OPENAI_API_KEYS`."""
    return _read(name).is_many


def is_secret(name: str, value: str) -> bool:
    """Whether a member of that name with that text is a key, a token or a password."""
    kind = kind_of(name)
    if kind is Kind.LIKELY:
        return looks_secret(value)
    return kind is Kind.SECRET and bool(value.strip()) and value.strip().lower() not in _NOTHING


def looks_secret(value: str) -> bool:
    """Whether a text may be a secret: no sentence, and no word. Cookies have blanks between them."""
    is_one = len(value) >= 8 and not any(map(str.isspace, value)) and not value.isalpha()
    return (is_one or ("=" in value and ";" in value)) and value.lower() not in _NOTHING


@lru_cache(maxsize=4096)
def _read(name: str) -> _Name:
    """Asked of every member of a file, whose names are always the same few."""
    if name in _TEXT:
        return _Name(Kind.TEXT)
    if name in _LABEL:
        return _Name(Kind.LABEL)
    found = list(_WORD.finditer(name[:200]))
    if not found:
        return _Name(Kind.OTHER)
    words = [match[0].lower() for match in found]
    kind, length = _judged(words[-1], words[-2] if len(words) > 1 else "")
    if kind is Kind.OTHER:
        return _Name(kind)
    owner = name[: found[-length].start()].rstrip("_-. ")
    return _Name(kind, owner, words[-1] in _MANY or words[-1] in ("keys", "tokens"))


def _judged(last: str, before: str) -> tuple[Kind, int]:
    """What the last words of a name say, and how many of them say it."""
    if last in _ALONE or last in _MANY:
        return Kind.SECRET, 1
    if last in _ALONE_LIKELY:
        return Kind.LIKELY, 1
    if last in ("key", "keys"):
        return _qualified(before, _BEFORE_KEY)
    if last in ("token", "tokens"):
        kind, length = _qualified(before, _BEFORE_TOKEN)
        is_bare = last == "token" and before not in _HARMLESS_TOKENS
        return (Kind.LIKELY, 1) if kind is Kind.OTHER and is_bare else (kind, length)
    return Kind.OTHER, 0


def _qualified(before: str, qualifiers: Iterable[str]) -> tuple[Kind, int]:
    if before in qualifiers:
        return Kind.SECRET, 2
    return (Kind.SECRET, 1) if before in _ISSUERS else (Kind.OTHER, 0)
