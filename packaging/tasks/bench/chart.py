"""A growth as an SVG chart: both axes logarithmic, a line a work, its name at its end."""

import math
from itertools import pairwise
from xml.sax.saxutils import escape

from tasks.bench.figures import Growth, Line
from tasks.bench.words import ratio

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 290, 40, 50
NAME_HEIGHT = 17
# Okabe and Ito's colours, which colour-blind people can tell apart, darkened or lightened to be read on white and on black.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b5651d", "#cc79a7", "#3a9bd9", "#8a7a00", "#7f7f7f")
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #333 } .title { font-size: 14px; font-weight: 600 }
  .grid { stroke: #8884; stroke-width: 1 } .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #ccc } }
"""


def chart(growth: Growth) -> str:
    """The chart's SVG text, the same for the same growth."""
    scale = _Scale(growth)
    ends = _spread([scale.y(line.figures[-1].median) for line in growth.lines])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">',
        f"<title>{escape(growth.work)}</title><style>{STYLE}</style>",
        _text(LEFT, 22, f"{growth.work} ({growth.lines[0].figures[0].unit})", kind="title"),
        *(_across(scale.y(tick), f"{tick:g}") for tick in scale.ticks),
        *(_text(scale.x(size), HEIGHT - BOTTOM + 20, f"{size:,}", anchor="middle") for size in growth.sizes),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, growth.axis, anchor="middle"),
        *(_line(line, growth.sizes, scale, COLOURS[n % len(COLOURS)], ends[n]) for n, line in enumerate(growth.lines)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class _Scale:
    """Where amounts of data and measured values lie on the chart."""

    def __init__(self, growth: Growth) -> None:
        medians = [figure.median for line in growth.lines for figure in line.figures]
        low, high = math.floor(math.log10(min(medians))), math.ceil(math.log10(max(medians)))
        self._low, self._high = low, max(high, low + 1)
        self._first, self._last = math.log10(growth.sizes[0]), math.log10(growth.sizes[-1])
        self.ticks = [10.0**exponent for exponent in range(self._low, self._high + 1)]

    def x(self, size: float) -> float:
        share = (math.log10(size) - self._first) / (self._last - self._first)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _spread(wanted: list[float]) -> list[float]:
    """Heights for the lines' names: where the lines end, moved apart so that no name covers another."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    heights = list(wanted)
    for above, below in pairwise(order):
        heights[below] = max(heights[below], heights[above] + NAME_HEIGHT)
    too_low = max(0.0, max(heights) - (HEIGHT - BOTTOM))
    return [height - too_low for height in heights]


def _line(line: Line, sizes: tuple[int, ...], scale: _Scale, colour: str, name_y: float) -> str:
    points = [(scale.x(size), scale.y(figure.median)) for size, figure in zip(sizes, line.figures, strict=True)]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)
    name = _text(points[-1][0] + 12, name_y + 4, f"{line.name}: {ratio(line.times)}", colour=colour)
    return f'<polyline class="line" stroke="{colour}" points="{corners}"/>{dots}{name}'


def _across(y: float, label: str) -> str:
    rule = f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return rule + _text(LEFT - 8, y + 4, label, anchor="end")


def _text(x: float, y: float, text: str, *, anchor: str = "start", kind: str = "", colour: str = "") -> str:
    looks = (f' class="{kind}"' if kind else "") + (f' style="fill:{colour}"' if colour else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{looks}>{escape(text)}</text>'
