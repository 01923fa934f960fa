"""Reasoning that a server left in the text: `<think>…</think>` at the answer's very beginning, and nowhere else.

An answer may speak of these tags, so only an answer that begins with one is taken apart, and only at its first end tag.
Where a template has opened the tag itself, an end tag comes alone; text that was shown is not taken back then.
"""

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkTags:
    """Splits pieces of text into (text, reasoning). `open` while the end tag has not come."""

    def __init__(self) -> None:
        self._held = ""
        self._begun = False
        self._at_border = False  # templates put empty lines behind both tags
        self.open = False

    def split(self, piece: str) -> tuple[str, str]:
        """What a piece adds to the answer and to the reasoning. What may be part of a tag is held back."""
        self._held += piece
        if not self._begun:
            start = self._held.lstrip()
            if len(start) < len(_OPEN) and _OPEN.startswith(start):
                return "", ""
            self._begun = True
            self.open = self._at_border = start.startswith(_OPEN)
            self._held = start.removeprefix(_OPEN) if self.open else self._held
        thought = self._thought() if self.open else ""
        return ("" if self.open else self._trimmed(self.rest())), thought

    def rest(self) -> str:
        """What is held back, when nothing more comes."""
        held, self._held = self._held, ""
        return held

    def _thought(self) -> str:
        thought, closed, after = self._held.partition(_CLOSE)
        if closed:
            thought = self._trimmed(thought)
            self.open, self._at_border, self._held = False, True, after
            return thought
        kept = next((size for size in range(len(_CLOSE) - 1, 0, -1) if self._held.endswith(_CLOSE[:size])), 0)
        cut = len(self._held) - kept
        thought, self._held = self._held[:cut], self._held[cut:]
        return self._trimmed(thought)

    def _trimmed(self, text: str) -> str:
        if self._at_border:
            text = text.lstrip("\r\n")
            self._at_border = not text
        return text
