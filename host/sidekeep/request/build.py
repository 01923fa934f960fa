"""Building a request: conversation and settings in, the body's parts and a report of what was left out."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from sidekeep.domain.providers import OFFLINE, Provider
from sidekeep.request.view import Entry, Text

# Used until the person, the server or an error says better.
DEFAULT_WINDOW_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """What of the person's settings shapes a request."""

    system_prompt: str = ""
    reply_language: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What a request left out (docs/protocol.md, REPORT). `bytes` is known once the body is written."""

    images_sent: int
    images_labelled: int
    estimated_tokens: int
    window_tokens: int
    window_source: str


@dataclass(frozen=True, slots=True)
class Request:
    """What one request says, before a dialect writes it."""

    model: str
    system: str
    entries: tuple[Entry, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    images: frozenset[bytes] = field(default_factory=frozenset)


def build(conversation: Sequence[Entry], provider: Provider, settings: RequestSettings) -> tuple[Request, Report]:
    """The request that asks `provider` to go on with `conversation`, whose last entry is the question.

    Answers that were stopped before their first word stay out: strict servers refuse an empty message for ever after.
    """
    shown = tuple(entry for entry in conversation if entry.parts)
    images = sum(entry.images for entry in shown)
    if not _accepts_images(provider):
        shown = tuple(_labelled(entry) for entry in shown)
    request = Request(
        model=provider.model,
        system=_system_text(settings),
        entries=shown,
        temperature=provider.temperature,
        max_tokens=provider.max_tokens,
        images=frozenset(
            part.sha256 for entry in shown for part in entry.parts if not isinstance(part, Text) and part.sha256
        ),
    )
    characters = len(request.system) + sum(
        len(part.text) for entry in shown for part in entry.parts if isinstance(part, Text)
    )
    report = Report(
        images_sent=sum(entry.images for entry in shown),
        images_labelled=images - sum(entry.images for entry in shown),
        estimated_tokens=-(-characters // 4),
        window_tokens=provider.window or DEFAULT_WINDOW_TOKENS,
        window_source="user" if provider.window else "default",
    )
    return request, report


def _accepts_images(provider: Provider) -> bool:
    """The offline model reads text only; of other models the server decides."""
    return provider.kind != OFFLINE


def _labelled(entry: Entry) -> Entry:
    """The entry with a label where each picture stood."""
    numbers = itertools.count(1)
    parts = (part if isinstance(part, Text) else Text(f"[image {next(numbers)}]") for part in entry.parts)
    return Entry(entry.message_id, entry.role, tuple(parts))


def _system_text(settings: RequestSettings) -> str:
    if not settings.reply_language:
        return settings.system_prompt
    return f"{settings.system_prompt}\n\nAnswer in this language: {settings.reply_language}".strip()
