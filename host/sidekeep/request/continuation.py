"""Going on with an answer that its allowance of tokens has cut: what is asked, and how the second part joins the first."""

from sidekeep.request.view import Entry, Text

_ASK = "Your answer was cut off by its limit. Go on exactly where it stopped: repeat nothing, add no introduction."

# Models often begin with the last words again. A shorter repetition may be the text's own.
_LEAST_OVERLAP_CHARS = 12
_TAIL_CHARS = 400


def going_on(entries: tuple[Entry, ...], answer: str) -> tuple[Entry, ...]:
    """The conversation with the answer so far, and the request to go on with it."""
    return (
        *entries,
        Entry("", "assistant", (Text(answer),)),
        Entry("", "user", (Text(_ASK),)),
    )


class Joint:
    """Joins the second part of an answer to the first, without the words that it repeats. `feed(str) -> str`."""

    def __init__(self, first: str) -> None:
        self._tail = first[-_TAIL_CHARS:]
        self._held = ""

    def feed(self, text: str) -> str:
        """What of it is new; nothing while it may still be a repetition."""
        if not self._tail:
            return text
        self._held += text
        return "" if self._held in self._tail else self.rest()

    def rest(self) -> str:
        """What is held back, without a repetition. Nothing is held back after that."""
        held, tail = self._held, self._tail
        self._held = self._tail = ""
        overlaps = (length for length in range(min(len(held), len(tail)), 0, -1) if tail.endswith(held[:length]))
        overlap = next(overlaps, 0)
        return held[overlap:] if overlap >= _LEAST_OVERLAP_CHARS else held
