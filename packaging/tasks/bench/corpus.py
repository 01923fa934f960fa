"""Made-up chats to measure with: words as frequent as in real texts, several scripts, code, addresses. The same at every run."""

import random
from collections.abc import Iterator
from itertools import accumulate

_LATIN = "an re ti on st er la no me di ve so ra ce li to pa mu che be gi fa sur qu ol wa ing tion ment".split()  # noqa: SIM905
_CYRILLIC = "на ре ти он ст ер ла но ме ди ве со ра це ли то па му че бе ги фа сур ка ол ва ние ство".split()  # noqa: SIM905
_HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
_ODD = (
    "C++",
    "naïve",
    "#%d",
    "https://example.org/wiki/page-%d?ref=a#part-%d",
    "x[%d]",
    "straße",
    "🎉",
    "日本",
    "E-%d",
)
# Of a hundred messages; the rest is Latin.
CYRILLIC_SHARE, HAN_SHARE = 12, 12
WORDS = 20_000


class Corpus:
    """A source of messages of about 400 characters."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)  # noqa: S311  nothing secret
        self.latin = [self._word(_LATIN) for _ in range(WORDS)]
        self.cyrillic = [self._word(_CYRILLIC) for _ in range(WORDS)]
        # The nth word is met about 1/n as often as the first (Zipf).
        self._weights = list(accumulate(1 / (rank + 1) for rank in range(WORDS)))
        self._han_weights = list(accumulate(1 / (rank + 5) for rank in range(len(_HAN))))

    def messages(self, count: int) -> Iterator[str]:
        """Texts, a few words to some hundred."""
        for _ in range(count):
            kind = self._random.randrange(100)
            words = 3 + int(self._random.expovariate(1 / 60))
            if kind < HAN_SHARE:
                yield "".join(self._random.choices(_HAN, cum_weights=self._han_weights, k=3 * words))
            else:
                script = self.cyrillic if kind < HAN_SHARE + CYRILLIC_SHARE else self.latin
                yield " ".join(self._prose(script, words))

    def _prose(self, words: list[str], count: int) -> list[str]:
        chosen = self._random.choices(words, cum_weights=self._weights, k=count)
        if self._random.random() < 0.1:
            odd = self._random.choice(_ODD)
            chosen.append(odd % ((self._random.randrange(100_000),) * odd.count("%d")))
        return chosen

    def _word(self, parts: list[str]) -> str:
        return "".join(self._random.choices(parts, k=self._random.choice((1, 1, 2, 2, 2, 3, 3, 4))))
