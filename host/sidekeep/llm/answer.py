"""What has come of an answer: text and reasoning as events, the last usage, why it stopped."""

from sidekeep.llm.piece import Piece
from sidekeep.llm.stop_reasons import Stop, meaning_of
from sidekeep.llm.surrogates import SurrogateJoiner
from sidekeep.llm.think_tags import ThinkTags
from sidekeep.llm.types import Event, ReasoningDelta, TextDelta, UsageReport


class Answer:
    """Puts pieces together. `stop` is the server's word for why it stopped; `said` and `thought`: whether there was any."""

    def __init__(self, *, think_tags: bool) -> None:
        self._tags = ThinkTags() if think_tags else None
        self._text, self._reasoning = SurrogateJoiner(), SurrogateJoiner()
        self._tagged: list[str] = []
        self.usage: UsageReport | None = None
        self.stop = ""
        self.said = self.thought = False

    @property
    def began(self) -> bool:
        return self.said or self.thought

    def add(self, piece: Piece) -> list[Event]:
        """The events that a piece makes, reasoning first."""
        self.usage = piece.usage or self.usage
        self.stop = piece.stop or self.stop
        events = self._events("", self._reasoning.join(piece.reasoning))
        if piece.reasoning and not self._tagged:
            events += self._without_tags()
        text, tagged = self._text.join(piece.text), ""
        if text and self._tags is not None:
            text, tagged = self._tags.split(text)
            self._tagged += [tagged] if tagged else []
        return events + self._events(text, tagged)

    def rest(self, *, whole: bool) -> list[Event]:
        """What was held back, at the end. In a `whole` answer reasoning without an end tag is the answer after all."""
        tags = self._tags
        held = (tags.rest() if tags is not None else "") + self._text.rest()
        if tags is None or not tags.open:
            return self._events(held, "")
        if whole and meaning_of(self.stop) is Stop.END:
            return self._events("".join(self._tagged) + held, "")
        return self._events("", held)

    def _without_tags(self) -> list[Event]:
        """The server tells reasoning apart itself: tags in its text are text."""
        tags, self._tags = self._tags, None
        return self._events(tags.rest() if tags is not None else "", "")

    def _events(self, text: str, reasoning: str) -> list[Event]:
        self.said, self.thought = self.said or bool(text), self.thought or bool(reasoning)
        events: list[Event] = [ReasoningDelta(reasoning)] if reasoning else []
        return [*events, TextDelta(text)] if text else events
