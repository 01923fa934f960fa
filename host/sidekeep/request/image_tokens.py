"""How many tokens a picture is: each provider's own formula.

Formulas are from the providers' vision guides as of November 2026. A model is known by its name, whoever serves it; for one
that is not, the provider's kind decides, else a middle figure by area.
"""

import math
import re
from collections.abc import Callable
from functools import partial

UNKNOWN_SIZE_TOKENS = 1500
"""Of a picture whose size cannot be read: never its base64 as text, never nothing. Between what GPT-4o and Claude charge."""

_LEAST_TOKENS = 85
_MOST_BY_AREA = 1600

Formula = Callable[[int, int, str], int]
"""Width, height in pixels, detail ("low", "high", "auto") -> tokens."""


def image_tokens(kind: str, model: str, width: int, height: int, detail: str = "auto") -> int:
    """Tokens of one picture of `width` x `height` pixels, 0 where they are not known.

    `kind` is PROVIDER.kind; `model` may carry its maker ("openai/gpt-5.2").
    """
    formula = _formula(kind, model.lower().rpartition("/")[2])
    if (width <= 0 or height <= 0) and detail != "low":
        return UNKNOWN_SIZE_TOKENS
    return formula(max(width, 1), max(height, 1), detail)


def tiles(width: int, height: int, detail: str = "auto", *, base: int, tile: int) -> int:
    """OpenAI until GPT-5.1: fitted into 2048 px, the short side to 768 px, never enlarged; so much for each 512 px tile."""
    if detail == "low":
        return base
    width, height = _shrunk(width, height, 2048 / max(width, height))
    width, height = _shrunk(width, height, 768 / min(width, height))
    return base + tile * math.ceil(width / 512) * math.ceil(height / 512)


def patches(width: int, height: int, detail: str = "auto", *, factor: float, most: int) -> int:
    """OpenAI since GPT-4.1 mini: patches of 32 px, at most `most` of them, times the model's factor."""
    if detail == "low":
        width, height = _shrunk(width, height, 512 / max(width, height))
    elif _grid(width, height, 32) > most:
        width, height = _shrunk(width, height, math.sqrt(most * 32 * 32 / (width * height)))
        width, height = _whole_patches(width, height)
    return math.ceil(min(_grid(width, height, 32), most) * factor)


def area_750(width: int, height: int, _detail: str = "auto") -> int:
    """Claude 3: a token for 750 pixels, after scaling to 1568 px on the long edge and about 1.15 megapixels."""
    width, height = _shrunk(width, height, 1568 / max(width, height))
    return min(math.ceil(width * height / 750), _MOST_BY_AREA)


def patches_28(width: int, height: int, _detail: str = "auto", *, edge: int, most: int) -> int:
    """Claude since 4: patches of 28 px, after scaling to `edge` px on the long edge, at most `most`."""
    width, height = _shrunk(width, height, edge / max(width, height))
    return min(_grid(width, height, 28), most)


def gemini_tiles(width: int, height: int, _detail: str = "auto") -> int:
    """Gemini 1.5 to 2.5: 258 up to 384 px; above, 258 for each tile, whose size depends on the shorter side (3072 px at most)."""
    if max(width, height) <= 384:
        return 258
    width, height = _shrunk(width, height, 3072 / max(width, height))
    tile = min(max(min(width, height) // 1.5, 256), 768)
    return 258 * math.ceil(width / tile) * math.ceil(height / tile)


def by_area(width: int, height: int, _detail: str = "auto") -> int:
    """A middle figure for models whose formula is not known."""
    return min(max(math.ceil(width * height / 750), _LEAST_TOKENS), _MOST_BY_AREA)


def _flat(_width: int, _height: int, _detail: str = "auto", *, tokens: int) -> int:
    return tokens


def _formula(kind: str, name: str) -> Formula:
    return next((formula for pattern, formula in _BY_MODEL if pattern.match(name)), _BY_KIND.get(kind, by_area))


def _shrunk(width: int, height: int, scale: float) -> tuple[int, int]:
    """Never enlarged, never nothing. Rounded to a thousandth first, so that 512 px are not 512.0000001."""
    if scale >= 1:
        return width, height
    return max(math.ceil(round(width * scale, 3)), 1), max(math.ceil(round(height * scale, 3)), 1)


def _whole_patches(width: int, height: int) -> tuple[int, int]:
    """Scaled once more, so that the side which needs it most is a whole number of patches."""
    across, down = width / 32, height / 32
    scale = min(math.floor(across) / across, math.floor(down) / down) if min(across, down) >= 1 else 1
    return max(math.floor(width * scale), 1), max(math.floor(height * scale), 1)


def _grid(width: int, height: int, side: int) -> int:
    return math.ceil(width / side) * math.ceil(height / side)


_CLAUDE = partial(patches_28, edge=1568, most=1568)
_CLAUDE_LARGE = partial(patches_28, edge=2576, most=4784)
_MINI = partial(patches, factor=1.62, most=1536)
_NANO = partial(patches, factor=2.46, most=1536)
_GPT = partial(patches, factor=1.2, most=2500)

_BY_MODEL: tuple[tuple[re.Pattern[str], Formula], ...] = tuple(
    (re.compile(pattern), formula)
    for pattern, formula in (
        (r"gpt-4o-mini", partial(tiles, base=2833, tile=5667)),
        (r"gpt-(4\.1|5(\.\d+)?)-mini", _MINI),
        (r"gpt-(4\.1|5(\.\d+)?)-nano", _NANO),
        (r"o4-mini", partial(patches, factor=1.72, most=1536)),
        (r"gpt-5(\.[01])?(-|$)", partial(tiles, base=70, tile=140)),
        (r"gpt-([6-9]|\d\d|5\.)", _GPT),
        (r"o[13](-|$)", partial(tiles, base=75, tile=150)),
        (r"computer-use", partial(tiles, base=65, tile=129)),
        (r"(chatgpt-4o|gpt-4)", partial(tiles, base=85, tile=170)),
        (r"claude-(instant|[23])", area_750),
        (r"claude-(\w+-)?(4[.-]([7-9]|\d\d(?!\d))|[5-9]|\d\d(?!\d))", _CLAUDE_LARGE),
        (r"claude", _CLAUDE),
        (r"gemini-([3-9]|\d\d)", partial(_flat, tokens=1120)),  # the default resolution
        (r"gemini", gemini_tiles),
        (r"gemma", partial(_flat, tokens=258)),
        (r"(qwen|qvq)", partial(patches_28, edge=4096, most=16384)),
        (r"(mistral|ministral|magistral|pixtral)", partial(patches_28, edge=1540, most=3025)),
    )
)
_BY_KIND: dict[str, Formula] = {
    "openai-responses": _GPT,
    "anthropic": _CLAUDE_LARGE,
    "gemini": gemini_tiles,
}
