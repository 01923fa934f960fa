"""What tells an overflow from everything that sounds like one: codes, exclusions, families of wordings.

Patterns meet text as `unwrap` leaves it: lower case, single spaces, plain numbers. A pattern is a rule (a noun of the
window near a verb of too much), not a provider's sentence, and every gap in it is bounded, so that no text makes one slow.
"""

import re
from dataclasses import dataclass

from sidekeep.request.overflow.verdict import Kind


@dataclass(frozen=True, slots=True)
class Signal:
    """A text in which `pattern` is found, and `unless` is not, is of `kind`."""

    kind: Kind
    name: str
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None

    def found_in(self, text: str) -> bool:
        return self.pattern.search(text) is not None and (self.unless is None or self.unless.search(text) is None)


def _signal(kind: Kind, name: str, *patterns: str, unless: str = "") -> Signal:
    return Signal(kind, name, re.compile("|".join(patterns)), re.compile(unless) if unless else None)


_EXCEED = (
    r"(?:exceed\w{0,4}|overflow\w{0,4}|surpass\w{0,4}|over the|above the|beyond|"
    r"(?<!must be )(?<!should be )(?:larger|longer|greater|bigger|more) than|(?:less|smaller) than|"
    r"too (?:long|large|big|many)|reached|(?:is|was|been) full|(?:ran?|runs|running) out of|not enough|(?:not|n't) fit)"
)
_WINDOW = (
    r"(?:context[ _-]?(?:window|length|size|limit|budget)|max(?:imum)? (?:model|prompt|input|sequence) (?:length|len)|"
    r"max_(?:seq|model|input|context|position)_?(?:len|length|embeddings)|max(?:imum)? message tokens|"
    r"\b(?:n_ctx|ctx_size|num_ctx)\b|(?:prompt|input|sequence) length limit|\bmodel(?:'s)? (?:max(?:imum)? )?length)"
)
# Not where it names a member of an object that could not be parsed, one message, or what kind of error it is.
_INPUT = (
    r"(?<!invalid )(?<!bad )\b(?:prompt|inputs?|messages?|conversation|request|query|context|history|chat|"
    r"sequence(?= length))\b(?!['\"] ?[:=]|\[|\.\w)"
)
_TOKENS = r"\b(?:tokens|token (?:count|limit|length|number|size|usage)|max(?:imum)? token)\b"
_LIMIT = r"(?:limit|context|max(?:imum)?|allowed|supports?|window|capacity)"
_ANSWER_TOKENS = (
    r"(?:max_(?:completion_|output_|new_)?tokens|max_?output_?tokens|(?:output|completion) tokens|"
    r"max(?:imum)? (?:number of )?(?:output|completion|new|generated) tokens|maximum tokens (?:you requested|value))"
)
# Gateways translate what they pass on: the words' stems, with a maximum or a verb of too much.
_CONTEXT_ABROAD = r"(?:contexto|contesto|contexte|kontext|контекст|コンテキスト|컨텍스트)"
_EXCEED_ABROAD = r"(?:m[áa]xim|massim|maximal|exced|super|d[ée]pass|[üu]berschr|превы|最大|超え|超過|초과)"
_IMAGE = r"\b(?:image|picture|media|pixel|video|audio|pdf|pages)(?:s|\(s\))?(?!\w)"

# A code decides alone: none of these was ever seen on anything else. Shared ones (invalid_request_error, 2013, 413) say
# nothing and are not here.
CODES = (
    _signal(
        "overflow",
        "code",
        r"\bcontext_(?:length|window|size|limit)_?exceed(?:s|ed|ed_?error)?\b",
        r"\bexceed(?:s|ed)?_context_(?:length|size|window|limit)(?:_error)?\b",
        r"\bcontext_?overflow(?:_?error)?\b",
        r"\bcontext_?window_?exceeded_?error\b",
        r"\bmodel_context_window_exceeded\b",
        r"\bmodel_max_prompt_tokens_exceeded\b",
        r"\btokens_limit_reached\b",
        r"\bcontent_length_exceeds_threshold\b",
        r"\boutofcontexterror\b",
        r"\bmaximum_context_length_(?:failed|exceeded|error)\b",
        r"\b(?:prompt|input|context)_(?:is_)?too_(?:long|large)\b",
        r"\bmax_(?:input_tokens|context_length|context_tokens|prompt_tokens)_exceeded\b|\bcontext_limit_reached\b",
    ),
    _signal("overflow", "code 1261", r"\bcode['\"]? ?[:=] ?['\"]?1261\b"),
)
STOP_REASONS = (_signal("overflow", "stop reason", r"\b(?:model_length|context_length|context_window|max_context)\b"),)

# Said of nothing but the window, so it wins over the words that exclude: clients add guesses of their own to the text.
PLAIN = (
    _signal(
        "overflow",
        "maximum context length",
        r"\bmax(?:imum)? (?:supported |allowed )?(?:context|prompt|sequence) length (?:is|of|has been)\b",
    ),
    _signal("overflow", "context overflow", rf"\bcontext overflow|\b(?:reached|hit)\b.{{0,20}}{_WINDOW}"),
    _signal("overflow", "prompt is too long", r"\bprompt is too long\b"),
    _signal(
        "overflow",
        "beyond the window",
        rf"{_WINDOW}.{{0,80}}{_EXCEED}",
        rf"{_EXCEED}.{{0,60}}{_WINDOW}",
        unless=rf"{_ANSWER_TOKENS}`? (?:must|should|cannot|is too)",
    ),
)

# A rate or money under any status; the status of both (429, 402) vetoes what is said of sizes. Rate limits point at
# billing pages, and money is refused with a rate limit's code, so each has its sure words first.
RATE_AND_MONEY = (
    _signal(
        "quota",
        "money",
        r"\bcredits?\b|\bafford\b|extra usage|subscription|entitle|insufficient[ _](?:quota|balance|funds|credit)",
        r"key with a higher|key limit|prompt tokens limit exceeded|\b(?:monthly|weekly)\b|余额|欠费",
    ),
    _signal(
        "rate_limit",
        "a rate",
        r"\bper[ -](?:min(?:ute)?|day|hour|sec(?:ond)?|month)\b",
        r"\b[tr]p[mdhs]\b|tokens?/(?:min|day|hour)|rate[ _-]?limit|throttl|too many requests|resource_exhausted",
        r"wait before|try again in \d|retry after|\b(?:daily|hourly)\b|(?:request|message) limit|too many messages",
        r"速率|频率|限流|每分钟|请求过多",
    ),
    _signal("quota", "a quota", r"quota|billing|payment|paid account|spending|usage (?:limit|cap)|额度"),
)
EXCLUSIONS = (
    *RATE_AND_MONEY,
    _signal(
        "content_filter",
        "content filter",
        r"content[ _-]?(?:management|filter|policy|moderation)|\bfiltered\b|safety (?:system|policy|filter)",
        r"responsible ai|inappropriate|data_inspection|flagged|敏感|违规|不安全",
    ),
    _signal(
        "auth",
        "auth",
        r"authentication|unauthori[sz]ed|permission|forbidden|access denied|api[ _-]?key",
        r"(?:invalid|incorrect|missing|expired|wrong) (?:key|token|credential)",
    ),
    _signal(
        "payload_bytes",
        "a request's bytes",
        r"(?:entity|payload|request|body)_too_large|(?:entity|payload) too large",
        r"\brequest(?: body| payload| size){0,2} (?:is )?(?:too large|exceeds)",
        r"(?:body|payload)[ _](?:size|length|limit)|request[ _](?:size|length)",
        unless=r"\btokens?\b|\bcontext\b",
    ),
    _signal(
        "images",
        "images",
        rf"{_IMAGE}[^.;]{{0,80}}(?:{_EXCEED}|max|at most|limit|only)",
        rf"(?:{_EXCEED}|max(?:imum)?|at most|limit)[^.;]{{0,60}}{_IMAGE}",
        unless=r"tokens of image",
    ),
    _signal(
        "payload_bytes",
        "bytes",
        rf"\d ?(?:bytes|kb|mb|kib|mib)\b|\bbytes\b.{{0,40}}(?:{_EXCEED}|>)",
        unless=r"\d tokens",
    ),
    _signal("other", "memory", r"\d ?gi?b\b|\bmemory\b|vram"),
    _signal("other", "a time-out", r"context (?:deadline|cancel)|deadline exceeded|max retries|\btimed out\b"),
    _signal("other", "template", r"jinja|template"),
    _signal("other", "a parser", r"scanner|unexpected token|token too long"),
    _signal("other", "cut already", r"\b(?:been|was|were) truncated"),
    _signal("other", "batch", r"batch[ _]size|n_u?batch|embedding"),
    _signal(
        "other",
        "one field",
        r"(?:string|array|list)(?:_| is |_is_| )(?:too long|above)|string_above|maxlength|logprobs",
        r"maximum length \d{1,12}.{0,40}string|\d characters",
    ),
    _signal(
        "other",
        "the answer's allowance",
        rf"{_ANSWER_TOKENS}.{{0,80}}(?:{_EXCEED}|must be|should be|must not|(?:not |in)valid|[<>≤]|at most|at least|above)",
        rf"(?:{_EXCEED}|range of|at most).{{0,40}}{_ANSWER_TOKENS}",
        rf"\b(?:completion|output|response) (?:tokens? (?:limit )?)?(?:is |are )?{_EXCEED}",
        unless=rf"{_INPUT}`? ?(?:length|tokens?|size)?`? ?(?:\+|and|plus)|\+ ?`?max",
    ),
)

# What is left is an overflow where the input, or tokens, are beyond something.
FAMILIES = (
    _signal(
        "overflow",
        "the input is too long",
        rf"{_INPUT}[^.;]{{0,40}}\btoo (?:long|large|big)\b",
        r"\btoo (?:long|large|big) for (?:the |this |that )?(?:requested |selected |current )?model\b",
    ),
    _signal(
        "overflow",
        "the input beyond a limit",
        rf"{_INPUT}.{{0,60}}{_EXCEED}.{{0,30}}{_LIMIT}",
        rf"{_INPUT}.{{0,60}}only (?:supports?|accepts?|allows?|takes?)",
    ),
    _signal(
        "overflow",
        "tokens beyond a limit",
        rf"{_TOKENS}.{{0,60}}{_EXCEED}",
        rf"{_EXCEED}.{{0,40}}{_TOKENS}",
        r"max(?:imum)? size: ?\d{1,12} tokens|tokens? limit|token_limit_|tokens_exceeded",
        r"(?:at most|no more than|max(?:imum)?(?: of)?) \d{1,12} (?:input |prompt |context )?tokens",
    ),
    _signal("overflow", "range of the input", r"range of (?:input|prompt|context) length"),
    _signal("overflow", "length and limit", r"\blength is \d{1,12} while limit is \d"),
    _signal("overflow", "advice to shorten", rf"(?:reduce the length of|shorten|truncate) (?:the |your )?{_INPUT}"),
    _signal(
        "overflow",
        "inputs and new tokens",
        r"inputs?`? tokens ?\+ ?`?max_new_tokens",
        rf"{_INPUT}.{{0,20}}(?:and|\+|plus) `?(?:max|completion).{{0,40}}(?:must|should|cannot|{_EXCEED})",
    ),
    _signal("overflow", "a window of so much", r"supports? only \d{1,12} ?[km]?(?: tokens?)? (?:of )?context"),
    _signal(
        "overflow",
        "Chinese",
        r"(?:输入|提示词?|上下文|内容|请求|对话|消息|文本|prompt|token).{0,16}?(?:过长|超长|太长|超出|超过|超限|溢出)",
        r"(?:超出|超过).{0,16}?(?:上下文|最大长度|token)",
    ),
    _signal(
        "overflow",
        "other languages",
        rf"{_CONTEXT_ABROAD}.{{0,60}}{_EXCEED_ABROAD}",
        rf"{_EXCEED_ABROAD}.{{0,60}}{_CONTEXT_ABROAD}",
    ),
)

# Where no wording is known, two numbers are enough: a text about tokens in which more was asked than a limit allows.
TWO_NUMBERS = _signal("overflow", "two numbers", r"token|\bcontext\b")
