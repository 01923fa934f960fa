"""Keys inside a text that is no message: known by how they begin, by the header, the variable or the address they stand in.

A file may be hostile, so no pattern looks far ahead from every place: what a key may be made of is taken whole, and judged then.
"""

import re
from functools import lru_cache
from urllib.parse import unquote_plus

from sidekeep.transfer.secret_names import is_secret, looks_secret

REMOVED = "[key]"

_BY_VALUE = re.compile(
    # A letter before it is another word, and base64 has any letters.
    r"(?<![A-Za-z0-9+/])(?:"
    r"sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{16,}|AIza[\w-]{20,}|gsk_[A-Za-z0-9]{16,}|xai-[A-Za-z0-9]{16,}"
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{16,}|A[KS]IA[0-9A-Z]{16}(?![0-9A-Za-z])"
    r"|xox[abeprs]-[\w-]{10,}|pplx-[A-Za-z0-9]{16,}|nvapi-[\w-]{16,}|r8_[A-Za-z0-9]{16,}|tvly-[\w-]{16,}|npm_[A-Za-z0-9]{20,}"
    r"|ya29\.[\w-]{16,}|SG\.[\w.-]{34,}|eyJ[\w.-]{30,}"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
    r")"
)
_BEARER = re.compile(r"\b(Bearer\s{1,20})(?!realm=)([\w.~+/=-]{16,})", re.IGNORECASE)
# A header in a text, also on a command line; but for these two its name has a hyphen.
_HEADER = re.compile(
    r"(?:^|(?<=[\"'`\r\n]))([ \t]{0,20}((?:proxy-)?authorization|(?:set-)?cookie|[A-Za-z]+(?:-[A-Za-z]+)+)"
    r"[ \t]{0,20}:[ \t]{0,20})([^\"'`\r\n]+)",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"(?<![\w?&;-])([\"']?([A-Z][A-Z0-9_]*|--?[a-z][a-z-]*)[\"']?=[\"']?)([^\s\"'&]+)")
_OPTION = re.compile(r"(?<!\S)(--?([a-z][a-z-]*) )([^\s\"']+)")
# A member of JSON that is cut short, or of something like it; what escapes its quotes stays.
_MEMBER = re.compile(r"(?<![\w-])(([A-Za-z][\w-]*)\\{0,8}[\"']?\s{0,20}:\s{0,20}\\{0,8}[\"'])([^\"'\\\n]+)")
_QUERY = re.compile(r"([?&;#]([\w.%-]{1,60})=)([^&;#\s\"'<>]+)")
_USER_IN_URL = re.compile(r"(://[^/\s:@\"']{0,200}:)([^/\s@\"']{1,200})(?=@)")
# A picture's bytes.
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_LONGEST_KEY_CHARS = 1_000
_OFTEN_CHARS = 64
# A name, a sign and a secret of one letter.
_SHORTEST_CHARS = 8
# A bare `key` is the key of a door or of a page, if it is short.
_MIN_KEY_CHARS = 16


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# A quick look that saves parsing: a text, or a JSON text, that has none of these holds no secret. An escape may hide letters.
_STEMS = _words(
    "key secret token passw passphrase authorization bearer credential cookie jwt sk- sk_ rk_ aiza gsk_ xai- ghp_ gho_ ghu_ ghs_ "
    "ghr_ github_pat_ glpat- hf_ akia asia xox pplx- nvapi- r8_ tvly- npm_ ya29. sg. eyj \\u00"
)
_STEMS_IN_BYTES = tuple(stem.encode() for stem in _STEMS)


def may_hold(text: str) -> bool:
    """Whether a closer look at a text is worth it."""
    if len(text) > _OFTEN_CHARS:
        return _may_hold(text)
    return len(text) >= _SHORTEST_CHARS and _short_may_hold(text)


def _may_hold(text: str) -> bool:
    lower = text.lower()
    may = any(stem in lower for stem in _STEMS) or ("://" in text and "@" in text)
    return may and not (len(text) > _LONGEST_KEY_CHARS and _BASE64.fullmatch(text))


# Roles, types and names come again with every message.
_short_may_hold = lru_cache(maxsize=8192)(_may_hold)


def json_may_hold(data: bytes) -> bool:
    """The same of JSON as it stands in a file."""
    lower = data.lower()
    return any(stem in lower for stem in _STEMS_IN_BYTES) or (b"://" in data and b"@" in data)


@lru_cache(maxsize=4096)
def name_without_keys(name: str) -> str:
    """The same for the name of a member: a map may have keys as names."""
    return without_keys(name)


def without_keys(text: str) -> str:
    """The text, each key in it replaced; the very same where there is none."""
    if not may_hold(text):
        return text
    text = _BEARER.sub(_unless_words, text)
    text = _BY_VALUE.sub(_unless_words, text)
    for pattern in (_HEADER, _VARIABLE, _OPTION, _MEMBER):
        text = pattern.sub(_unless_harmless, text)
    text = _QUERY.sub(_in_query, text)
    return _USER_IN_URL.sub(rf"\1{REMOVED}", text) if "://" in text else text


def is_key(text: str) -> bool:
    """Whether a text is nothing but a key."""
    return without_keys(text).strip().lower().removeprefix("bearer ") == REMOVED


def _unless_words(match: re.Match[str]) -> str:
    """No key is made of small letters alone; class names and identifiers are. A web token has three parts."""
    before, key = match.groups() if match.re is _BEARER else ("", match[0])
    is_word = not any(char.isupper() or char.isdigit() for char in key)
    is_file_name = key.startswith("eyJ") and [len(part) >= 8 for part in key.split(".")] != [True] * 3
    return match[0] if is_word or is_file_name else f"{before}{REMOVED}"


def _unless_harmless(match: re.Match[str]) -> str:
    return f"{match[1]}{REMOVED}" if _is_left(match) and is_secret(match[2], match[3].strip()) else match[0]


def _in_query(match: re.Match[str]) -> str:
    name, value = unquote_plus(match[2]), unquote_plus(match[3])
    is_key = name.lower() == "key" and len(value) >= _MIN_KEY_CHARS and looks_secret(value)
    return f"{match[1]}{REMOVED}" if _is_left(match) and (is_key or is_secret(name, value)) else match[0]


def _is_left(match: re.Match[str]) -> bool:
    return match[3].strip().lower().removeprefix("bearer ") != REMOVED
