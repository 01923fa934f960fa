"""A document becomes conversations: looked at whole first, then read one conversation at a time."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, BinaryIO, TypeAlias, cast

from sidekeep.errors import Unreadable
from sidekeep.transfer import json_text, mistaken
from sidekeep.transfer.conversation import Conversation, Failure, KeyFound
from sidekeep.transfer.documents import Document
from sidekeep.transfer.formats import browsa, transcript
from sidekeep.transfer.formats.table import Format, is_browsa, recognised
from sidekeep.transfer.outline import NOTED_RECORDS, Outline, holds_keys, survey
from sidekeep.transfer.secret_values import json_may_hold
from sidekeep.transfer.secrets import without_secrets_beside

Found: TypeAlias = Conversation | Failure

# The first line of a transcript is its header; no JSON export that is one line is recognised by it.
_HEADER_BYTES = 65_536
_COMPANIONS = {"trajectory": ".trajectory.jsonl", "trajectory-path": ".trajectory-path.json"}


@dataclass(frozen=True, slots=True)
class Survey:
    """What a document is, before anything of it is taken. `format` None: a transcript, browsa's dump, or Sidekeep's own."""

    document: Document
    source: str
    format: Format | None
    outline: Outline

    @property
    def keys(self) -> tuple[KeyFound, ...]:
        """Keys that lie in it, by file and place."""
        return tuple(
            KeyFound(f"{self.document.name}: {key.where}", key.provider or self.source) for key in self.outline.keys
        )


def surveyed(document: Document) -> Survey:
    """Read a document to its end and tell what it is. Raises Unreadable."""
    with document.open() as raw:
        first_line = raw.readline(_HEADER_BYTES)
        head = first_line + raw.read(_HEADER_BYTES)
    if not head.strip():
        raise Unreadable("It is empty. Export it again.")
    if reason := mistaken.reason(head):
        raise Unreadable(reason)
    if transcript.is_header(first_line):
        with document.open() as raw:
            return Survey(document, transcript.SOURCE, None, _keys_in_lines(raw))
    with document.open() as raw:
        outline = survey(raw, records=NOTED_RECORDS)
    found = recognised(outline)
    if not outline.is_whole:
        outline = _to_the_end(document, outline)
    source = found.source if found is not None else browsa.SOURCE if is_browsa(outline) else "sidekeep"
    return Survey(document, source, found, outline)


def _to_the_end(document: Document, outline: Outline) -> Outline:
    """The outline of an array whose first records were looked at. Where keys lie in it their places take a look at everything."""
    with document.open() as raw:
        if not holds_keys(raw):
            return outline
    with document.open() as raw:
        return survey(raw)


def conversations(found: Survey) -> Iterator[Found]:
    """Every conversation with something in it, and every one that cannot be read, in order. Raises Unreadable."""
    for where, read in _attempts(found):
        try:
            conversation = read()
        except Unreadable as exc:
            yield Failure(f"{found.document.name}{where}", exc.message)
            continue
        if conversation.messages:
            yield _without_keys(conversation, f"{found.document.name}{where}")


def _without_keys(conversation: Conversation, where: str) -> Conversation:
    """The conversation; what is kept beside it holds no key, also where a tool or a model has said it."""
    keys: list[KeyFound] = []

    def found(place: str, owner: str) -> None:
        keys.append(KeyFound(f"{where}, beside the chat: {place}", owner or conversation.source))

    kept = tuple(without_secrets_beside(record, found) for record in conversation.kept)
    return replace(conversation, kept=kept, keys=tuple(keys))


# A place in the document, and the reading of what stands there.
_Attempt: TypeAlias = tuple[str, Callable[[], Conversation]]


def _attempts(found: Survey) -> Iterator[_Attempt]:
    if found.source == transcript.SOURCE:
        yield "", partial(_transcript, found.document)
    elif found.format is not None:
        yield from _records(found.document, found.format)
    else:
        yield from _browsa(found)


def _records(document: Document, known: Format) -> Iterator[_Attempt]:
    place = known.prefix.removesuffix("item").rstrip(".")
    with document.open() as raw:
        for number, record in enumerate(json_text.values(raw, known.prefix)):
            where = f": {place}[{number}]" if known.prefix else ""
            yield where, partial(_converted, record, known, document)


def _converted(record: Any, known: Format, document: Document) -> Conversation:
    if not isinstance(record, known.record):
        raise Unreadable("It is no object.")
    return known.read(json_text.cleaned(known.flatten(record)), document.assets)


def _browsa(found: Survey) -> Iterator[_Attempt]:
    """Bodies by the index that names them, then the live conversation. Legacy entries carry their messages themselves."""
    entries: dict[str, browsa.Entry] = {}
    with found.document.open() as raw:
        for number, record in enumerate(json_text.values(raw, "savedSessions.item")):
            where = f": savedSessions[{number}]"
            try:
                entry = browsa.entry(json_text.cleaned(record))
            except Unreadable as exc:
                yield where, partial(_refused, exc)
                continue
            entries[browsa.BODY_PREFIX + entry.id] = entry
            if entry.history is not None:
                yield where, partial(browsa.read, entry.history, entry)
    if any(path.startswith(browsa.BODY_PREFIX) for path in found.outline.paths):
        with found.document.open() as raw:
            for key, value in json_text.members(raw, ""):
                if key.startswith(browsa.BODY_PREFIX):
                    entry = entries.get(key) or browsa.Entry(id=key.removeprefix(browsa.BODY_PREFIX))
                    yield f": {key}", partial(_browsa_body, value, entry)
    if "history" in found.outline.paths:
        with found.document.open() as raw:
            for value in json_text.values(raw, "history"):
                yield ": history", partial(_browsa_body, value, browsa.Entry())


def _refused(exc: Unreadable) -> Conversation:
    raise exc


def _browsa_body(value: Any, entry: browsa.Entry) -> Conversation:
    return browsa.read(json_text.cleaned(value), entry)


def _transcript(document: Document) -> Conversation:
    with document.open() as raw:
        return transcript.read(raw, _companions(document))


def _companions(document: Document) -> dict[str, str]:
    """What the agent wrote beside the transcript; a path named in it is not followed."""
    stem = document.name.rpartition("/")[2].removesuffix(".zst").removesuffix(".jsonl")
    found = {kind: document.assets.named(stem + ending) for kind, ending in _COMPANIONS.items()}
    return {kind: data.decode("utf-8", "replace") for kind, data in found.items() if data is not None}


def _keys_in_lines(raw: BinaryIO) -> Outline:
    outline = Outline()
    for number, line in enumerate(raw, start=1):
        if json_may_hold(line):
            try:
                found = survey(cast(BinaryIO, io.BytesIO(line))).keys
            except Unreadable:
                continue  # told when the line is read
            outline.keys += [KeyFound(f"line {number} {key.where}", key.provider) for key in found]
    return outline
