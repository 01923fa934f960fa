"""Building a request: a conversation and settings in; what goes out, and a report of what does not.

The steps, in order: calls of tools with their results, cold attachments as lines (age.py), the frugal window where it is chosen
(window.py), pictures as pixels or labels (pictures.py), and what is then still too large is made to fit (fit.py).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sidekeep.domain.providers import OFFLINE, Provider
from sidekeep.request import limits
from sidekeep.request.age import COLD_CHARACTERS, COLD_ENTRIES, aged
from sidekeep.request.agent import unseen
from sidekeep.request.calibration import FIXED, Calibration
from sidekeep.request.fit import WHOLE, Cut, Fitted, fit_sticky
from sidekeep.request.limits import MAX_BODY_BYTES, Size
from sidekeep.request.measure import estimated, measure_for
from sidekeep.request.pairs import paired
from sidekeep.request.pictures import WAITING_BYTES, PictureLimits, pictured
from sidekeep.request.tokens import MESSAGE_FRAME, REPLY_FRAME, estimate
from sidekeep.request.view import Entry, Image, Text
from sidekeep.request.window import CHARACTERS, MESSAGES, tail
from sidekeep.request.windows import DEFAULT_WINDOW_TOKENS, Source, Window, window_of

_UNTAUGHT = Calibration()
# Around everything in a body.
_WRAPPING_BYTES = 1_000


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """What of the person's settings shapes a request. `window`: everything, made to fit, or the frugal last messages."""

    system_prompt: str = ""
    reply_language: str = ""
    window: Literal["full", "tail"] = "full"
    tail_messages: int = MESSAGES
    tail_characters: int = CHARACTERS
    waiting_bytes: int = WAITING_BYTES
    cold_entries: int = COLD_ENTRIES
    cold_characters: int = COLD_CHARACTERS
    max_bytes: int = MAX_BODY_BYTES


@dataclass(frozen=True, slots=True)
class Conversation:
    """What has been said, and what the last request left out of it."""

    entries: tuple[Entry, ...]
    cut: Cut = WHOLE


@dataclass(frozen=True, slots=True)
class Turn:
    """What this turn adds: the question, where it is not in the conversation yet, and what is known of the model.

    `window` None: what the person and the list of models say. `max_input_tokens` is for models whose input has a limit of its
    own. `max_images` None: nobody said. `calibration`: what the model's own counts taught.
    """

    question: Entry | None = None
    window: Window | None = None
    max_input_tokens: int | None = None
    max_bytes: int = MAX_BODY_BYTES
    max_images: int | None = None
    calibration: Calibration = _UNTAUGHT


@dataclass(frozen=True, slots=True)
class Report:
    """What a request left out (docs/protocol.md, REPORT): of all messages that say something, and of all their characters.

    `bytes` is 0 until a body is written. `cut` is for the next request: the caller keeps it with the conversation.
    """

    images_labelled: int = 0
    images_sent: int = 0
    attachments_aged: int = 0
    attachments_trimmed: int = 0
    messages_dropped: int = 0
    chars_dropped: int = 0
    estimated_tokens: int = 0
    cut: Cut = WHOLE
    window_tokens: int = DEFAULT_WINDOW_TOKENS
    window_source: Source = "default"
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What one request says, before a dialect writes it.

    Roles of `entries` are system, user, assistant or tool; every tool entry follows the assistant's that has its call, and the
    first that is not system is the user's. Neighbours may have the same role: an attachment and its question.
    `pictures` are those whose bytes the dialect needs. `window_tokens` is for a server that must be told (Ollama's num_ctx).
    `alternate`: whether questions and answers must take turns; None where the model's family decides. `estimates` are tokens by
    message id, for Calibration.learn.
    """

    model: str
    system: str
    entries: tuple[Entry, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    pictures: frozenset[Image] = field(default_factory=frozenset)
    window_tokens: int = DEFAULT_WINDOW_TOKENS
    alternate: bool | None = None
    estimates: Mapping[str, int] = field(default_factory=dict)


def build(
    conversation: Conversation, turn: Turn, provider: Provider, settings: RequestSettings
) -> tuple[Request, Report]:
    """The request that asks `provider` the turn's question, or to go on with a conversation whose last entry is it.

    Answers that were stopped before their first word stay out: strict servers refuse an empty message for ever after. Raises
    RequestRefused where not even the question can go out.
    """
    asked = () if turn.question is None else (turn.question,)
    said = [_known_role(entry) for entry in (*conversation.entries, *asked) if entry.parts or entry.tool_calls]
    if provider.agent:
        said = list(unseen(said))
    shown = _shown(said, turn, provider, settings)
    system = "" if provider.agent else _system_text(settings)
    system_tokens = estimate(system) + MESSAGE_FRAME + REPLY_FRAME
    fixed = Size(math.ceil(turn.calibration.tokens(FIXED, system_tokens)), len(system) * 6 + _WRAPPING_BYTES)
    window = turn.window or window_of(provider)
    reserve = limits.reserve_tokens(window.tokens)
    room = limits.room(window.tokens, provider.max_tokens, reserve, turn.max_input_tokens)
    max_bytes = min(turn.max_bytes, settings.max_bytes)
    measure = measure_for(provider, turn.calibration, shown, max_bytes)
    fitted = fit_sticky(shown, measure, Size(room, max_bytes), fixed, conversation.cut)
    request = Request(
        model=provider.model,
        system=system,
        entries=_begun_by_the_person(fitted.entries),
        temperature=provider.temperature,
        max_tokens=limits.answer_tokens(window.tokens, provider.max_tokens) or None,
        pictures=frozenset(image for image in _images(fitted.entries) if image.sha256),
        window_tokens=window.tokens,
        alternate=provider.alternate,
        estimates={FIXED: system_tokens, **_estimates(fitted.entries, provider)},
    )
    return request, _report(said, fitted, window)


def _shown(said: Sequence[Entry], turn: Turn, provider: Provider, settings: RequestSettings) -> list[Entry]:
    """What was said as it goes out if it fits."""
    shown = aged(paired(said), min_entries=settings.cold_entries, min_characters=settings.cold_characters)
    if settings.window == "tail":
        shown = tail(shown, max_messages=settings.tail_messages, max_characters=settings.tail_characters)
    return pictured(shown, _picture_limits(shown, turn, settings), accepts_pictures=_accepts_pictures(provider))


def _estimates(entries: Sequence[Entry], provider: Provider) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in entries:
        found[entry.message_id] = found.get(entry.message_id, 0) + estimated(entry, provider)
    return found


def _report(said: Sequence[Entry], fitted: Fitted, window: Window) -> Report:
    """What became of what was said."""
    shown = fitted.entries
    return Report(
        images_labelled=sum(entry.labels for entry in shown),
        images_sent=len(_images(shown)),
        attachments_aged=sum(entry.shortened == "line" for entry in shown),
        attachments_trimmed=sum(entry.shortened == "cut" and entry.is_attachment for entry in shown),
        messages_dropped=len(said) - len(shown),
        chars_dropped=sum(entry.characters for entry in said) - sum(entry.own_characters for entry in shown),
        estimated_tokens=fitted.size.tokens,
        cut=fitted.cut,
        window_tokens=window.tokens,
        window_source=window.source,
    )


_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


def _known_role(entry: Entry) -> Entry:
    """The entry with a role that every dialect knows: developer counts as system, an unknown role is the person's."""
    role = _ROLES.get(entry.role, "user")
    return entry if role == entry.role else replace(entry, role=role)


def _accepts_pictures(provider: Provider) -> bool:
    """The offline model reads text only; of other models the server decides."""
    return provider.kind != OFFLINE


def _picture_limits(shown: Sequence[Entry], turn: Turn, settings: RequestSettings) -> PictureLimits:
    """What the texts leave of the body is for pictures."""
    if not any(entry.images for entry in shown):
        return PictureLimits()
    characters = sum(entry.characters for entry in shown)
    return PictureLimits(
        turn.max_images, settings.waiting_bytes, max(min(turn.max_bytes, settings.max_bytes) - 4 * characters, 0)
    )


def _begun_by_the_person(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Servers with strict templates want the person to begin; after a cut it may be the assistant who asks."""
    first = next((index for index, entry in enumerate(entries) if entry.role != "system"), None)
    if first is None or entries[first].role == "user":
        return tuple(entries)
    return (*entries[:first], Entry("", "user", (Text("…"),)), *entries[first:])


def _images(entries: Sequence[Entry]) -> list[Image]:
    return [part for entry in entries for part in entry.parts if isinstance(part, Image)]


def _system_text(settings: RequestSettings) -> str:
    if not settings.reply_language:
        return settings.system_prompt
    return f"{settings.system_prompt}\n\nAnswer in this language: {settings.reply_language}".strip()
