"""Building a request: conversation and settings in, the body's parts and a report of what was left out."""

import itertools
from dataclasses import dataclass, field, replace

from sidekeep.domain.providers import OFFLINE, Provider
from sidekeep.request.view import Entry, Image, Text

# Used until the person, the server or an error says better.
DEFAULT_WINDOW_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """What of the person's settings shapes a request."""

    system_prompt: str = ""
    reply_language: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What has been said. `cut` is the id of the message at which the last request began, where something was left out."""

    entries: tuple[Entry, ...]
    cut: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What this turn adds: the question, where it is not in the conversation yet, and what is known of the model."""

    question: Entry | None = None
    window_tokens: int = DEFAULT_WINDOW_TOKENS
    window_source: str = "default"


@dataclass(frozen=True, slots=True)
class Report:
    """What a request left out (docs/protocol.md, REPORT). `bytes` is 0 until a body is written."""

    images_labelled: int = 0
    images_sent: int = 0
    attachments_aged: int = 0
    attachments_trimmed: int = 0
    messages_dropped: int = 0
    chars_dropped: int = 0
    estimated_tokens: int = 0
    cut: str | None = None
    window_tokens: int = DEFAULT_WINDOW_TOKENS
    window_source: str = "default"
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What one request says, before a dialect writes it.

    Roles of `entries` are system, user, assistant or tool; every tool entry follows the assistant's that has its call.
    `pictures` are those whose bytes the dialect needs. `window_tokens` is for a server that must be told (Ollama's num_ctx).
    `alternate`: whether questions and answers must take turns; None where the model's family decides.
    """

    model: str
    system: str
    entries: tuple[Entry, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    pictures: frozenset[Image] = field(default_factory=frozenset)
    window_tokens: int = DEFAULT_WINDOW_TOKENS
    alternate: bool | None = None


def build(
    conversation: Conversation, turn: Turn, provider: Provider, settings: RequestSettings
) -> tuple[Request, Report]:
    """The request that asks `provider` the turn's question, or to go on with a conversation whose last entry is it.

    Answers that were stopped before their first word stay out: strict servers refuse an empty message for ever after.
    """
    asked = (turn.question,) if turn.question is not None else ()
    shown = tuple(_known_role(entry) for entry in (*conversation.entries, *asked) if entry.parts or entry.tool_calls)
    images = sum(entry.images for entry in shown)
    if not _accepts_images(provider):
        shown = tuple(_labelled(entry) for entry in shown)
    request = Request(
        model=provider.model,
        system=_system_text(settings),
        entries=shown,
        temperature=provider.temperature,
        max_tokens=provider.max_tokens,
        pictures=frozenset(part for entry in shown for part in entry.parts if isinstance(part, Image) and part.sha256),
        window_tokens=provider.window or turn.window_tokens,
        alternate=provider.alternate,
    )
    characters = len(request.system) + sum(
        len(part.text) for entry in shown for part in entry.parts if isinstance(part, Text)
    )
    report = Report(
        images_sent=sum(entry.images for entry in shown),
        images_labelled=images - sum(entry.images for entry in shown),
        estimated_tokens=-(-characters // 4),
        window_tokens=provider.window or turn.window_tokens,
        window_source="user" if provider.window else turn.window_source,
    )
    return request, report


_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


def _known_role(entry: Entry) -> Entry:
    """The entry with a role that every dialect knows: developer counts as system, an unknown role is the person's."""
    role = _ROLES.get(entry.role, "user")
    return entry if role == entry.role else replace(entry, role=role)


def _accepts_images(provider: Provider) -> bool:
    """The offline model reads text only; of other models the server decides."""
    return provider.kind != OFFLINE


def _labelled(entry: Entry) -> Entry:
    """The entry with a label where each picture stood."""
    numbers = itertools.count(1)
    parts = (part if isinstance(part, Text) else Text(f"[image {next(numbers)}]") for part in entry.parts)
    return replace(entry, parts=tuple(parts))


def _system_text(settings: RequestSettings) -> str:
    if not settings.reply_language:
        return settings.system_prompt
    return f"{settings.system_prompt}\n\nAnswer in this language: {settings.reply_language}".strip()
