"""A request that was refused for its size, made strictly smaller in what was refused. Once a turn; then it is sent again.

Aimed by the numbers in the error, else at 60 % of what was sent. Large attachments give way first, the newest included: where
a number is known, the newest keep what there is room for; the others, and all where none is known, become stubs that keep
their header. Their pictures go. What is then still too much goes the way of every request (fit.py): the oldest turns first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sidekeep.domain import attachment
from sidekeep.request import limits
from sidekeep.request.attempt import Attempt
from sidekeep.request.build import Conversation, Turn
from sidekeep.request.cut import cut_entry, marker
from sidekeep.request.fit import Measure
from sidekeep.request.measure import measure_for
from sidekeep.request.overflow import Verdict
from sidekeep.request.view import Entry, Image, Text
from sidekeep.request.windows import Window

# From here on an attachment is worth shortening; and the least of one that is worth sending.
LARGE_CHARACTERS = 8_000
LEAST_CHARACTERS = 1_000

# How much of a request is sent again where the error states no number.
BLIND_PERCENT = 60
_LEAST_ANSWER_TOKENS = 256
# How far apart a server's count and an estimate may lie; beyond that they do not count the same thing.
_LEAST_SCALE, _MOST_SCALE = 0.75, 4.0


@dataclass(frozen=True, slots=True)
class Rescued:
    """The smaller request: a continuation is made from it, never from the original.

    `shortened` has the attachments that became shorter, by attachId, as they go out: what storage may keep of them once the
    request was answered.
    """

    attempt: Attempt
    shortened: Mapping[str, Entry] = field(default_factory=lambda: MappingProxyType({}))


def rescue(refused: Attempt, verdict: Verdict) -> Rescued | None:
    """The request that `verdict` refused, made to pass; None where nothing makes it smaller in what was refused.

    Raises RequestRefused where not even the newest question fits.
    """
    match verdict.kind:
        case "overflow" | "overflow_completion":
            allowance = _allowance(refused, verdict)
            if allowance is not None:
                return Rescued(refused.again(provider=refused.provider._replace(max_tokens=allowance)))
            return _with_fewer_tokens(refused, verdict)
        case "payload_bytes":
            most = refused.report.bytes * BLIND_PERCENT // 100
            return Rescued(refused.again(turn=replace(refused.turn, max_bytes=most)))
        case "images":
            return _with_fewer_pictures(refused)
    return None


def _allowance(refused: Attempt, verdict: Verdict) -> int | None:
    """Tokens to allow for the answer, where allowing fewer is all it takes; None where the prompt is too large itself.

    Where the error gives no numbers, and yet says that it is the answer's allowance, half of what was allowed.
    """
    asked = verdict.completion_tokens or refused.request.max_tokens or 0
    if verdict.limit_tokens is None:
        return max(asked // 2, 1) if verdict.kind == "overflow_completion" and asked > 1 else None
    if not asked or (verdict.prompt_tokens is None and verdict.kind != "overflow_completion"):
        return None
    prompt = verdict.prompt_tokens if verdict.prompt_tokens is not None else refused.report.estimated_tokens
    left = verdict.limit_tokens - prompt - verdict.limit_tokens // 100
    return min(left, asked - 1) if left >= min(_LEAST_ANSWER_TOKENS, asked - 1) > 0 else None


def _with_fewer_tokens(refused: Attempt, verdict: Verdict) -> Rescued:
    target = _target_tokens(refused, verdict)
    turn = _with_window(refused, verdict)
    turn = replace(turn, max_input_tokens=min(target, turn.max_input_tokens or target))
    entries = refused.conversation.entries
    shorter = {index: _stub(entry) for index, entry in enumerate(entries) if _is_large(entry)}
    if shorter and verdict.limit_tokens is not None:
        stubs_alone = refused.again(conversation=_with(refused.conversation, shorter), turn=turn)
        measure = measure_for(refused.provider, turn.calibration, (), turn.max_bytes)
        shorter = _filling(entries, shorter, measure, target - stubs_alone.report.estimated_tokens)
    shortened = {entry.attach_id: entry for entry in shorter.values() if entry.attach_id is not None}
    smaller = refused.again(conversation=_with(refused.conversation, shorter), turn=turn)
    return Rescued(smaller, shortened)


def _with_window(refused: Attempt, verdict: Verdict) -> Turn:
    """The turn with the window that the error states, where that is smaller than what was known."""
    if verdict.limit_tokens is None or verdict.limit_tokens >= refused.report.window_tokens:
        return refused.turn
    return replace(refused.turn, window=Window(verdict.limit_tokens, "learned"))


def _target_tokens(refused: Attempt, verdict: Verdict) -> int:
    """How many tokens, by our estimate, may go out: fewer than went. The error's two numbers tell how far the estimate is off."""
    estimated = refused.report.estimated_tokens
    blind = estimated * BLIND_PERCENT // 100
    limit = verdict.limit_tokens
    if limit is None:
        return blind
    room = limits.room(limit, refused.provider.max_tokens, limits.reserve_tokens(limit))
    counted = verdict.prompt_tokens or (verdict.requested_tokens or 0) - (verdict.completion_tokens or 0)
    if counted <= 0:
        return min(room, blind) if estimated <= limit else room
    scale = min(max(counted / max(estimated, 1), _LEAST_SCALE), _MOST_SCALE)
    return min(int(room / scale), estimated - 1)


def _is_large(entry: Entry) -> bool:
    return entry.is_attachment and entry.characters >= LARGE_CHARACTERS


def _stub(entry: Entry) -> Entry:
    """An attachment's header, and how much stood below it."""
    header, body = attachment.split(entry.text)
    return replace(entry, parts=(Text(header + marker(len(body))),), tokens=None, kept=len(header))


def _filling(entries: Sequence[Entry], stubs: Mapping[int, Entry], measure: Measure, spare: int) -> dict[int, Entry]:
    """The large attachments with as much of them as goes into `spare` tokens, the newest first; the rest are stubs."""
    shorter = dict(stubs)
    for index in sorted(stubs, reverse=True):
        whole = _without_pictures(entries[index])
        cost = measure(whole).tokens - measure(stubs[index]).tokens
        if 0 <= cost <= spare:
            spare -= cost
            shorter[index] = whole
        elif (length := whole.characters * max(spare, 0) // max(cost, 1)) >= LEAST_CHARACTERS:
            spare = 0
            shorter[index] = cut_entry(whole, length, "head")
    return {index: entry for index, entry in shorter.items() if entry != entries[index]}


def _without_pictures(entry: Entry) -> Entry:
    texts = tuple(part for part in entry.parts if isinstance(part, Text))
    return entry if len(texts) == len(entry.parts) else replace(entry, parts=texts, kept=entry.own_characters)


def _with(conversation: Conversation, shorter: Mapping[int, Entry]) -> Conversation:
    entries = tuple(shorter.get(index, entry) for index, entry in enumerate(conversation.entries))
    return replace(conversation, entries=entries)


def _with_fewer_pictures(refused: Attempt) -> Rescued | None:
    """All pictures as thumbnails, where there are any, and half as many of them; a single one that has none goes."""
    sent = refused.report.images_sent
    if not sent:
        return None
    before = refused.conversation.entries
    entries = tuple(replace(entry, parts=tuple(map(_thumbnail, entry.parts))) for entry in before)
    turn = replace(refused.turn, max_images=max(sent // 2, 1 if entries != before else 0))
    return Rescued(refused.again(conversation=replace(refused.conversation, entries=entries), turn=turn))


def _thumbnail(part: Text | Image) -> Text | Image:
    return replace(part, thumbnail=True) if isinstance(part, Image) and part.thumbnail_size else part
