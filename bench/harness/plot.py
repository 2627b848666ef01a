"""Plots of cost against size, as SVG with logarithmic axes."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 1000, 520
LEFT, TOP, RIGHT, BOTTOM = 80, 60, 400, 60
LEGEND_LINE = 17
COLOURS = ("#1f5fa8", "#c8501e", "#2b8a3e", "#8d3fa8", "#b8860b", "#0b8a99", "#b3246b", "#555555")
DASHES = ("", "7 4", "2 3", "10 3 2 3")
MARK = 3.5


def plot(title, across, lines):
    """Plots `lines`, which maps a name to its points: the number of rows, and microseconds."""
    lines = sorted(lines.items(), key=lambda line: -line[1][-1][1])
    xs = sorted({x for _, points in lines for x, _ in points})
    ys = [y for _, points in lines for _, y in points]
    low, high = bounds(min(ys), max(ys))
    height = max(HEIGHT, TOP + BOTTOM + LEGEND_LINE * len(lines))
    bottom, right = height - BOTTOM, WIDTH - RIGHT

    def across_at(x):
        share = share_of(x, xs[0], xs[-1]) if len(xs) > 1 else 0.5
        return LEFT + 20 + share * (right - LEFT - 40)

    def up_at(y):
        return bottom - share_of(y, low, high) * (bottom - TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="#222">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fdfdfb"/>',
        text(LEFT, 30, title, 'font-size="17" font-weight="600"'),
    ]
    for tick in ticks(low, high):
        y = up_at(tick)
        parts.append(rule(LEFT, y, right, y))
        parts.append(text(LEFT - 8, y + 4, duration(tick), 'text-anchor="end"'))
    for x in xs:
        parts.append(rule(across_at(x), TOP, across_at(x), bottom))
        parts.append(text(across_at(x), bottom + 20, f"{x:,}", 'text-anchor="middle"'))
    middle = (LEFT + right) / 2
    parts.append(text(middle, bottom + 44, across, 'text-anchor="middle"'))
    turned = f'text-anchor="middle" transform="rotate(-90 20 {(TOP + bottom) / 2})"'
    parts.append(text(20, (TOP + bottom) / 2, "median time of a request", turned))
    for number, (name, points) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        dash = DASHES[number // len(COLOURS) % len(DASHES)]
        style = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        path = " ".join(f"{across_at(x):.1f},{up_at(y):.1f}" for x, y in points)
        parts.append(f'<polyline fill="none" {style} points="{path}"/>')
        for x, y in points:
            parts.append(mark(across_at(x), up_at(y), colour))
        y = TOP + 6 + number * LEGEND_LINE
        parts.append(f'<line x1="{right + 20}" y1="{y}" x2="{right + 50}" y2="{y}" {style}/>')
        parts.append(mark(right + 35, y, colour))
        shown = f"{name}: {duration(points[-1][1])}"
        parts.append(text(right + 58, y + 4, shown, 'font-size="12"'))
    return "\n".join(parts + ["</svg>", ""])


def share_of(value, low, high):
    return math.log(value / low) / math.log(high / low)


def bounds(low, high):
    """The range of the vertical axis: at least half a decade, and from tick to tick."""
    steps = [m * 10.0**e for e in range(-1, 9) for m in (1, 2, 5)]
    lower = max((s for s in steps if s <= low), default=steps[0])
    upper = min((s for s in steps if s > high), default=steps[-1])
    return lower, max(upper, lower * 5)


def ticks(low, high):
    steps = [m * 10.0**e for e in range(-1, 9) for m in (1, 2, 5)]
    return [s for s in steps if low * 0.999 <= s <= high * 1.001]


def duration(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} µs"


def text(x, y, words, style=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(words)}</text>'


def rule(x1, y1, x2, y2):
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="#ddddd5"/>'


def mark(x, y, colour):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{MARK}" fill="{colour}"/>'
