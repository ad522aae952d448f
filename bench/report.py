"""The tables and the plot."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from measure import Cost

START, END = "<!-- figures: begin -->", "<!-- figures: end -->"
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 360, 60, 50, 40


class Pair(NamedTuple):
    """Two commands that were measured in turn; `bar` is the ratio that is promised, or None."""

    title: str
    one: str
    other: str
    first: Cost
    second: Cost
    bar: float | None


class Growth(NamedTuple):
    """A cold run on `eighths` eighths of the tree; `of_whole` is its CPU time as a share of a run on one copy beside it."""

    eighths: int
    files: int
    cost: Cost
    of_whole: float


def table(pairs: Sequence[Pair]) -> str:
    """The pairs as Markdown."""
    lines = [
        "| | A | B | A wall, s | B wall, s | **A/B wall** | A/B CPU | promised | A peak, MiB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for pair in pairs:
        a, b = pair.first, pair.second
        bar = "" if pair.bar is None else f"≤ {pair.bar:g}"
        lines.append(
            f"| {pair.title} | {pair.one} | {pair.other} | {a.wall:.3g} | {b.wall:.3g} | **{a.wall / b.wall:.2f}** "
            f"| {a.cpu / b.cpu:.2f} | {bar} | {a.peak:.0f} |"
        )
    return "\n".join(lines)


def growth_table(points: Sequence[Growth]) -> str:
    """The growth as Markdown, against one whole tree."""
    lines = [
        "| copies | files | wall, s | CPU, s | × one copy beside it (CPU) | peak, MiB |",
        "|---|---|---|---|---|---|",
    ]
    for point in points:
        copies = f"{point.eighths // 8}" if point.eighths % 8 == 0 else f"{point.eighths}/8"
        lines.append(
            f"| {copies} | {point.files} | {point.cost.wall:.2f} | {point.cost.cpu:.2f} "
            f"| {point.of_whole:.2f} | {point.cost.peak:.0f} |"
        )
    return "\n".join(lines)


def plot(points: Sequence[Growth]) -> str:
    """The growth as an SVG: CPU time in runs on one copy, over files, with the straight line through one copy."""
    most_files = max(point.files for point in points)
    slope = 1 / next(point.files for point in points if point.eighths == 8)
    top = 1.1 * max(max(point.of_whole for point in points), slope * most_files)

    def place(files: float, share: float) -> tuple[float, float]:
        x = _LEFT + (_WIDTH - _LEFT - 30) * files / most_files
        return x, _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * share / top

    x, y = place(0, 0)
    right, upper = place(most_files, slope * most_files)
    measured = " ".join("{:.1f},{:.1f}".format(*place(point.files, point.of_whole)) for point in points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_LEFT, 22, "Cold run of pplint: CPU time over files, one copy of the tree is 1", size=14),
        f'<path d="M{x} {_TOP}V{y}H{_WIDTH - 20}" fill="none" stroke="#333"/>',
        f'<path d="M{x} {y}L{right:.1f} {upper:.1f}" stroke="#999" stroke-dasharray="5 4"/>',
        f'<polyline points="{measured}" fill="none" stroke="#1f5fa8" stroke-width="2"/>',
        _text(_LEFT + 10, _TOP + 14, "dashed: in proportion to one copy", fill="#666"),
    ]
    for point in points:
        at = place(point.files, point.of_whole)
        parts.append(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="4" fill="#1f5fa8"/>')
        parts.append(_text(at[0] - 4, at[1] - 9, f"{point.of_whole:.2f}", anchor="end"))
        if point.eighths >= 8:
            parts.append(_text(at[0], y + 18, f"{point.files:,}", anchor="middle"))
    parts.append(_text((_LEFT + _WIDTH) / 2, _HEIGHT - 12, "files", anchor="middle"))
    return "\n".join([*parts, "</svg>\n"])


def _text(x: float, y: float, text: str, size: int = 12, anchor: str = "start", fill: str = "#222") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<text {place} font-size="{size}" text-anchor="{anchor}" fill="{fill}">{html.escape(text)}</text>'


def put(page: Path, figures: str) -> None:
    """Replace what stands between the marks of a page."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{START}\n{figures}\n{END}{after}", encoding="utf-8")
