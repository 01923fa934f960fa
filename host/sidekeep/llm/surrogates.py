"""Characters that a server cut in two."""


class SurrogateJoiner:
    """Puts together a character whose two UTF-16 halves came in two deltas; a half that stays alone becomes U+FFFD."""

    def __init__(self) -> None:
        self._half = ""

    def join(self, text: str) -> str:
        """`text` with what was held back before it, without a first half at its end."""
        if not text:
            return ""
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        if text.isascii():
            return text
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def rest(self) -> str:
        """What is left of a character whose second half never came."""
        half, self._half = self._half, ""
        return "\ufffd" if half else ""
