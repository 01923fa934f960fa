"""Finds out which of an error's numbers is the limit, what was requested, and how much of that was the prompt.

A number gets its meaning from the nearest words: those right behind it ("3703 in the messages"), else the last ones
before it ("maximum context length is 4097"). Some forms carry it in signs: `A + B > L`, `A > L`, `[1, L]`.
"""

import re
from dataclasses import dataclass

# MiniMax ends its sentences with a status in brackets, such as 2013: no size, though it looks like one.
_NUMBER = re.compile(r"(?<![\w.\-])(?!(?!1024|2048)[12]0\d\d\)(?! ?\w))\d{1,12}(?!\w|\.\d)")
_SUM = re.compile(r"(?<![\w.\-])(\d{1,12})(?: \+)? (\d{1,12}) ?(?:>|exceeds?) ?(\d{1,12})\b")
_RANGE = re.compile(r"\[[01], ?(\d{1,12})\]")
_HTTP_STATUS = re.compile(r"(?:40\d|413|422|424|429|499|50[0-4]|52\d)(?!\d| tokens)")
_PLACE = re.compile(r" ?(?:tokens? )?(?:in|from|for|of)\b")
_GAP_CHARS = 70
_MIN_TOKENS = 64  # a smaller number counts only where the words right behind it say what it is

_COMPLETION_WORDS = r"(?:completion|output|response|answer|generation|generated)"
_PROMPT_WORDS = r"(?:(?:input )?messages?|prompt|inputs?|(?:text|tool|image|audio) inputs?|functions?|tools?|history)"
_AFTER = (
    ("completion", rf"^ ?(?:tokens? )?(?:in|from|for|of) (?:the |your )?{_COMPLETION_WORDS}"),
    ("completion", r"^ ?`?(?:output|completion|new|generated|max_new_tokens)\b"),
    ("prompt", rf"^ ?(?:tokens? )?(?:in|from|for|of) (?:the |your )?{_PROMPT_WORDS}"),
    ("prompt", r"^ ?`?(?:input|inputs|prompt|message|text)`? tokens?"),
    ("limit", r"^ ?(?:tokens? )?max(?:imum)?\b"),
    ("requested", r"^ ?tokens? (?:were|was|are) (?:sent|given|requested|used|provided)"),
    ("", r"^ ?(?:characters?|chars?|bytes?|[km]?i?b\b|pixels?|images?|draft|seconds?|s\b|ms\b|times?|attempts?)"),
)
# The last of these before a number is what the number is.
_BEFORE = re.compile(
    r"(?P<none>\bby|upper bound for|batch size|code|status|\b[gp]?id)(?=[ '\"(:=]*$)"
    r"|(?P<completion>max_(?:new_|completion_|output_)?tokens|completion|output)"
    r"|(?P<requested>max_total_tokens|\bn(?:um)?_tokens|re ?quested(?: about| a total of| tokens?| token count)*|"
    r"received|provided|\b(?:got|sent)\b|actual|total|current length|need\w*|required|实际|当前|请求)"
    r"|(?P<limit>max\w*(?: (?:allowed|supported|input|prompt|context|model|message|sequence|total|number|of|length|"
    r"tokens?|size|window|is)\b)*|limit\w*|exceed\w*|(?:longer|greater|larger|more|less|smaller) than|up to|at most|only|above|"
    r"can (?:take|handle|hold)|fits? in(?:to)?|supports?|accepts?|allow\w*|[<>≤]=?|限制|上限|最大|最多)"
    r"|(?P<window>window|n_ctx|context (?:length|size))"
    r"|(?P<prompt>prompt|inputs?|\b(?:messages?|request)\b(?!['\"] ?:)|contains|resulted in|given|"
    r"too long|token count|n_keep|keep the first|"
    r"\bhas\b|输入|提示)"
)
_FIELDS = {
    "limit": ("n_ctx", "max_context_length", "context_length", "context_window", "max_model_len", "max_input_tokens"),
    "prompt": ("n_prompt_tokens", "prompt_tokens", "prompt_token_count", "input_tokens"),
}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Tokens, None where the error does not say."""

    limit: int | None = None
    requested: int | None = None
    prompt: int | None = None
    completion: int | None = None


def read_numbers(text: str, fields: dict[str, int]) -> Numbers:
    """The numbers of an overflow's text, and of members that hold them apart (llama.cpp's `n_ctx`)."""
    found = _from_signs(text) or _from_words(text)
    for role, names in _FIELDS.items():
        found.setdefault(role, next((fields[name] for name in names if name in fields), 0))
    prompt, completion = found.get("prompt") or None, found.get("completion")
    requested = found.get("requested") or None
    if requested is None and prompt is not None:
        requested = prompt + (completion or 0)
    return Numbers(found.get("limit") or found.get("window") or None, requested, prompt, completion)


def _from_signs(text: str) -> dict[str, int]:
    if match := _SUM.search(text):
        return {"prompt": int(match[1]), "completion": int(match[2]), "limit": int(match[3])}
    if match := _RANGE.search(text):
        return {"limit": int(match[1])}
    return {}


def _from_words(text: str) -> dict[str, int]:
    """The first number of each role. Prompt parts that are listed apart (messages, functions, tools) add up."""
    found: dict[str, int] = {}
    parts: set[str] = set()
    end = 0
    for match in _NUMBER.finditer(text):
        number, after = int(match[0]), text[match.end() :][:_GAP_CHARS]
        role, words = _role_by_words_behind(after)
        if _HTTP_STATUS.match(text, match.start()) and not _PLACE.match(after):
            role = ""
        if role == "prompt" and parts and words not in parts:
            found["prompt"] += number
        elif role is None and number >= _MIN_TOKENS:
            role = _role_by_words_before(text[end : match.start()][-_GAP_CHARS:], after)
        if role:
            found.setdefault(role, number)
        if role == "prompt" and words:
            parts.add(words)
        end = match.end()
    return found


def _role_by_words_behind(after: str) -> tuple[str | None, str]:
    """A role with the words that give it: "" for a number of something else, None where nothing is said."""
    for role, pattern in _AFTER:
        if match := re.search(pattern, after):
            return role, match[0].strip()
    return None, ""


def _role_by_words_before(before: str, after: str) -> str:
    """The nearest word's role. A number with `>` behind it is no limit, whatever stands before it."""
    is_compared = re.match(r"\)?(?: tokens?)? ?>", after) is not None
    roles = [match.lastgroup or "" for match in _BEFORE.finditer(before)]
    if is_compared:
        roles = [role for role in roles if role not in ("limit", "window")] or ["requested"]
    return roles[-1] if roles and roles[-1] != "none" else ""
