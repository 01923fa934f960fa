"""Making a conversation fit: what gives way, in which order, and the sticky cut.

Instructions (role system) and the newest user text are never cut. In order: older attachments are cut with the exact count;
the oldest whole turns go, but for the newest attachment, wherever it stands; then that is cut, becomes a line, goes; then the
request is refused. (Seen pictures are labels and cold attachments are lines before this: labels.py, age.py.)

`fit` fills the limits. `fit_sticky` goes down to about 70 % of them and tells what it cut, so that the next requests begin alike:
a prefix that a server has cached costs a tenth. Measured over chats of 300 turns at a full budget, a cut that slides keeps 52 %
of the tokens as an unchanged prefix, a sticky one 88 %.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sidekeep.request.age import stub
from sidekeep.request.cut import cut_entry
from sidekeep.request.limits import Size
from sidekeep.request.refusal import check, too_large
from sidekeep.request.turns import question_before, starts
from sidekeep.request.view import Entry

Measure = Callable[[Entry], Size]

# What is left of an older attachment that is cut, and the least of the newest one.
OLDER_CHARACTERS = 1_000
LEAST_CHARACTERS = 200
STICKY_PERCENT = 70

NOTHING = Size(0, 0)


@dataclass(frozen=True, slots=True)
class Cut:
    """What a request left out, by message ids: it begins at `start`, attachments before `trimmed` are cut to OLDER_CHARACTERS,
    and of the attachment `shortened` names there are so many characters.
    """

    start: str | None = None
    trimmed: str | None = None
    shortened: tuple[str, int] | None = None


WHOLE = Cut()


@dataclass(frozen=True, slots=True)
class Fitted:
    """What goes out. `size` is all of it, the fixed part included."""

    entries: list[Entry]
    size: Size
    cut: Cut = WHOLE


def fit(entries: Sequence[Entry], measure: Measure, limit: Size, fixed: Size = NOTHING) -> Fitted:
    """As much of a conversation as goes into `limit` beside the `fixed` part, the newest first.

    Raises RequestRefused where that is not even the newest question.
    """
    sizes = [measure(entry) for entry in entries]
    check(entries, sizes, limit, fixed)
    fitting = _Fitting(entries, sizes, measure, fixed)
    if fitting.total.fits(limit):
        return fitting.done()
    fitting.trim_older(limit, fill=True)
    start = fitting.drop_turns(limit, limit, keep=1)
    fitting.shorten_newest(limit)
    return fitting.within(limit, Cut(start))


def fit_sticky(
    entries: Sequence[Entry], measure: Measure, limit: Size, fixed: Size = NOTHING, last: Cut = WHOLE
) -> Fitted:
    """The same, cut where the last request was for as long as that fits; then anew, with room for the next turns.

    The turn before the newest stays if it can. A conversation that has become small against the limit, or was given a larger
    one, goes out whole again. Raises RequestRefused.
    """
    sizes = [measure(entry) for entry in entries]
    check(entries, sizes, limit, fixed)
    fitting = _Fitting(entries, sizes, measure, fixed)
    if fitting.total.fits(limit if last == WHOLE else limit.share(STICKY_PERCENT)):
        return fitting.done()
    if fitting.cut_again(last) and fitting.total.fits(limit):
        return fitting.done(last)
    fitting = _Fitting(entries, sizes, measure, fixed)
    low = fitting.low(limit)
    trimmed = fitting.trim_older(low, fill=False)
    start = fitting.drop_turns(low, limit, keep=2)
    shortened = fitting.trim_newest(limit, low)
    start = fitting.drop_turns(limit, limit, keep=1) or start
    fitting.shorten_newest(limit)
    return fitting.within(limit, Cut(start, trimmed, shortened))


class _Fitting:
    """Entries on their way to fit. An index keeps its meaning; what has gone is None."""

    def __init__(self, entries: Sequence[Entry], sizes: list[Size], measure: Measure, fixed: Size) -> None:
        self._original = entries
        self._entries: list[Entry | None] = list(entries)
        self._measure = measure
        self._starts = starts(entries)
        self._newest_attachment = max((i for i, entry in enumerate(entries) if entry.is_attachment), default=-1)
        self._fixed = fixed
        self._sizes = list(sizes)
        self.total = Size(
            fixed.tokens + sum(size.tokens for size in sizes), fixed.bytes + sum(size.bytes for size in sizes)
        )

    def low(self, limit: Size) -> Size:
        """About 70 % of the limit; of what the newest attachment leaves of it, because that stays."""
        pinned = self._sizes[self._newest_attachment] if self._newest_attachment >= 0 else NOTHING
        if not pinned.fits(limit):
            pinned = NOTHING
        return pinned.plus(limit.minus(pinned).share(STICKY_PERCENT))

    def trim_older(self, limit: Size, *, fill: bool) -> str | None:
        """Cut attachments but the newest, the oldest first; with `fill` the last of them only as far as it must.

        Returns the id of the message up to which they are cut.
        """
        last = None
        for index in range(self._newest_attachment):
            if self.total.fits(limit):
                break
            if self._original[index].is_attachment and self._trim(index, OLDER_CHARACTERS, limit if fill else None):
                last = index
        return None if last is None else self._original[last + 1].message_id

    def drop_turns(self, low: Size, high: Size, *, keep: int) -> str | None:
        """Let the oldest turns go until `low` fits, or, of the last `keep` + 1, until `high` does.

        Returns the id of the message that is the first now; None where none went.
        """
        start = None
        for turn, begin in enumerate(self._starts[:-keep]):
            if self.total.fits(low if turn < len(self._starts) - keep - 1 else high):
                break
            start = self._starts[turn + 1]
            self._drop(range(begin, start))
        if start is None:
            return None
        asked = question_before(self._original, start)
        if asked is not None and self.total.plus(self._measure(self._original[asked])).fits(high):
            self._put(asked, self._original[asked])
            start = asked
        return self._original[start].message_id

    def trim_newest(self, limit: Size, low: Size) -> tuple[str, int] | None:
        """Where the last turns do not fit beside the newest attachment, cut it down to `low`. Returns its id and new length."""
        index = self._newest_attachment
        if index < 0 or self.total.fits(limit) or not self._trim(index, OLDER_CHARACTERS, low):
            return None
        entry = self._entries[index]
        return (entry.message_id, entry.own_characters) if entry is not None else None

    def shorten_newest(self, limit: Size) -> None:
        """Cut the newest attachment, and those of the newest turn, the oldest first; then make them lines; then let them go."""
        turn = range(self._starts[-1], len(self._entries))
        attached = [index for index in turn if self._original[index].is_attachment]
        if self._newest_attachment not in (-1, *attached):
            attached.insert(0, self._newest_attachment)
        for index in attached:
            if not self.total.fits(limit):
                self._trim(index, LEAST_CHARACTERS, limit)
        for index in attached:
            if not self.total.fits(limit):
                self._make_line(index)
        if any(self._original[index].role == "user" for index in turn if index not in attached):
            for index in attached:
                if not self.total.fits(limit):
                    self._put(index, None)

    def cut_again(self, cut: Cut) -> bool:
        """Do what an earlier cut did; False where its messages are not there any more."""
        named = {cut.start, cut.trimmed, cut.shortened[0] if cut.shortened else None} - {None}
        places = {entry.message_id: i for i, entry in enumerate(self._original) if entry.message_id in named}
        if not named or len(places) < len(named):
            return False
        start = places[cut.start] if cut.start is not None else 0
        self._drop(range(start))
        for index in range(start, places[cut.trimmed] if cut.trimmed is not None else 0):
            if self._original[index].is_attachment and index != self._newest_attachment:
                self._trim(index, OLDER_CHARACTERS, None)
        if cut.shortened is not None and self._entries[places[cut.shortened[0]]] is not None:
            self._trim(places[cut.shortened[0]], cut.shortened[1], None)
        return True

    def done(self, cut: Cut = WHOLE) -> Fitted:
        return Fitted([entry for entry in self._entries if entry is not None], self.total, cut)

    def within(self, limit: Size, cut: Cut) -> Fitted:
        """What has become of it. Raises RequestRefused where it is still too large."""
        if not self.total.fits(limit):
            raise too_large([entry for entry in self._entries if entry is not None], self._measure, limit, self._fixed)
        return self.done(cut)

    def _trim(self, index: int, least: int, limit: Size | None) -> bool:
        """Cut an attachment to `least` characters, or, with a limit, to as many as go into it. False where that saves nothing."""
        entry = self._original[index]
        length = least
        if limit is not None:
            length = self._fitting_length(entry, least, limit.minus(self.total.minus(self._sizes[index])))
        shorter = cut_entry(entry, length, "head")
        if self._measure(shorter).tokens >= self._sizes[index].tokens:
            return False
        self._put(index, shorter)
        return True

    def _fitting_length(self, entry: Entry, least: int, room: Size) -> int:
        """How many characters of it go into `room`; `least` where not even those do. Estimates are nearly in proportion to
        length, so a few guesses come close.
        """
        short, long = least, entry.characters
        cost, too_much = self._measure(cut_entry(entry, short, "head")), self._measure(entry)
        for _ in range(6):
            shares = [(r - c) / (t - c) for r, c, t in zip(room, cost, too_much, strict=True) if t > c]
            guess = short + int((long - short) * min([*shares, 1.0]))
            if guess <= short:
                break
            guessed = self._measure(cut_entry(entry, guess, "head"))
            if guessed.fits(room):
                short, cost = guess, guessed
            else:
                long, too_much = guess, guessed
        return short

    def _make_line(self, index: int) -> None:
        line = stub(self._original[index])
        if self._measure(line).tokens < self._sizes[index].tokens:
            self._put(index, line)

    def _drop(self, indices: Iterable[int]) -> None:
        tokens, size = self.total
        for index in indices:
            if self._original[index].role != "system" and index != self._newest_attachment:
                tokens -= self._sizes[index].tokens
                size -= self._sizes[index].bytes
                self._entries[index] = None
                self._sizes[index] = NOTHING
        self.total = Size(tokens, size)

    def _put(self, index: int, entry: Entry | None) -> None:
        size = NOTHING if entry is None else self._measure(entry)
        self.total = self.total.minus(self._sizes[index]).plus(size)
        self._entries[index] = entry
        self._sizes[index] = size
