"""The stages of a layout as a drawing: what each owns, which layer is asked for, and where the index lands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pplint.finding import OTHER_LAYER, RIGHT, UNKNOWN, Impact, LayoutOutcome, StageOutcome
from pplint.reports.html.escaped import prose, safe
from pplint.reports.stages import outcome_words
from pplint.reports.summary import plural

LEFT, WIDE, TOTAL = 100, 196, 430
"""Where the layers begin, how wide all of them are together, and the whole drawing, in units of the drawing."""
ROW, HEAD = 20, 16
FINEST = 5.0
"""Layers narrower than this have no lines between them."""


def figure(impact: Impact) -> str:
    """Return what each stage gets: the sentence, the most telling layout drawn, the others in words, folded away."""
    ordered = sorted(impact.layouts, key=_variety, reverse=True)
    parts = [f"<figcaption><h5>What each stage gets</h5>{prose(impact.summary)}</figcaption>"]
    parts += [_drawing(layout) for layout in ordered[:1]]
    if others := ordered[1:]:
        told = "".join(f"<li>{safe(_words(layout))}</li>" for layout in others)
        more = plural(len(others), "more layout")
        parts.append(f"<details><summary>{more}</summary><ul>{told}</ul></details>")
    return f'<figure class="stages">{"".join(parts)}</figure>'


@lru_cache(maxsize=256)
def _drawing(layout: LayoutOutcome) -> str:
    # Written out each time: a `use` element makes the browser build the drawing anew whenever it is moved.
    height = HEAD + ROW * len(layout.stages) + 4
    return (
        f'<p class="layout">{_title(layout)}</p><svg viewBox="0 0 {TOTAL} {height}" role="img" '
        f'aria-label="{safe(_words(layout))}">{"".join(_drawn(layout.stages))}</svg>'
    )


def _title(layout: LayoutOutcome) -> str:
    return f"{plural(layout.num_layers, 'layer')} on {plural(layout.pp_size, 'stage')}"


def _words(layout: LayoutOutcome) -> str:
    """The drawing in words."""
    stages = "; ".join(f"{_rank(stage)} {_owned(stage)}: {outcome_words(stage)}" for stage in layout.stages)
    return f"{_title(layout)}. {stages}"


def _variety(layout: LayoutOutcome) -> tuple[int, int]:
    """How much a layout shows: how many kinds of outcome, and how many stages go wrong without a word."""
    kinds = {(stage.outcome, stage.got is None) for stage in layout.stages}
    return len(kinds), sum(stage.outcome == OTHER_LAYER for stage in layout.stages)


def _rank(stage: StageOutcome) -> str:
    return f"stage {stage.rank}"


def _owned(stage: StageOutcome) -> str:
    if stage.start == stage.end:
        return "owns none"
    return f"owns {stage.start}" if stage.end == stage.start + 1 else f"owns {stage.start}-{stage.end - 1}"


def _drawn(stages: tuple[StageOutcome, ...]) -> Iterator[str]:
    count = max(stage.end for stage in stages) or 1
    scale = WIDE / count
    bottom = HEAD + ROW * len(stages)
    tracks = "".join(f"M{LEFT} {HEAD + ROW * row + ROW // 2}h{WIDE}" for row in range(len(stages)))
    yield f'<path class="track" d="{tracks}"/>'
    asked = {stage.asked for stage in stages if stage.asked is not None}
    if len(asked) == 1:
        yield from _asked_line(asked.pop(), scale, count, bottom)
    for row, stage in enumerate(stages):
        yield from _stage_row(stage, HEAD + ROW * row, scale)
    if scale >= FINEST:
        lines = "".join(f"M{LEFT + scale * n:.4g} {HEAD}V{bottom}" for n in range(1, count))
        yield f'<path class="grid" d="{lines}"/>'


def _asked_line(asked: int, scale: float, count: int, bottom: int) -> Iterator[str]:
    x = _middle(min(max(asked, 0), count), scale)
    anchor = "start" if x < LEFT + WIDE / 2 else "end"
    yield f'<path class="asked" d="M{x:.4g} {HEAD - 2}V{bottom}"/>'
    yield f'<text class="ask" x="{x:.4g}" y="{HEAD - 5}" text-anchor="{anchor}">asks for layer {asked}</text>'


def _stage_row(stage: StageOutcome, top: int, scale: float) -> Iterator[str]:
    middle = top + ROW / 2
    kind = _kind(stage)
    yield f'<text class="rank" x="0" y="{middle + 4:g}">{_rank(stage)}</text>'
    yield f'<text class="owns" x="{LEFT - 8}" y="{middle + 4:g}" text-anchor="end">{_owned(stage)[5:]}</text>'
    if stage.end > stage.start:
        width = scale * (stage.end - stage.start)
        yield (
            f'<rect class="own {kind}" x="{LEFT + scale * stage.start:.4g}" y="{top + 3}" '
            f'width="{width:.4g}" height="{ROW - 6}" rx="2"/>'
        )
    yield from _landing(stage, middle, scale)
    yield f'<text class="{kind}" x="{LEFT + WIDE + 12}" y="{middle + 4:g}">{safe(_label(stage))}</text>'


def _landing(stage: StageOutcome, middle: float, scale: float) -> Iterator[str]:
    """A dot on the layer that is taken, or a cross where there is none."""
    got = stage.asked if stage.got is None and stage.outcome == RIGHT else stage.got
    if got is not None:
        if stage.asked is not None and stage.asked != got:
            start, end = _middle(stage.asked, scale), _middle(got, scale)
            yield f'<path class="way" d="M{start:.4g} {middle:g}H{end:.4g}"/>'
        yield f'<circle class="{_kind(stage)}" cx="{_middle(got, scale):.4g}" cy="{middle:g}" r="4"/>'
    elif stage.outcome not in (RIGHT, UNKNOWN):
        at = stage.asked if stage.asked is not None else (stage.start + max(stage.end - 1, stage.start)) / 2
        x = min(max(_middle(at, scale), LEFT - 4), LEFT + WIDE + 4)
        yield f'<path class="cross" d="M{x - 4:.4g} {middle - 4:g}l8 8m0 -8l-8 8"/>'


def _middle(layer: float, scale: float) -> float:
    return LEFT + scale * (layer + 0.5)


def _kind(stage: StageOutcome) -> str:
    if stage.outcome == RIGHT:
        return "luck" if stage.got is not None else "ok"
    if stage.outcome == UNKNOWN:
        return "unknown"
    return "other" if stage.outcome == OTHER_LAYER else "fails"


def _label(stage: StageOutcome) -> str:
    if stage.outcome == RIGHT:
        return "right" if stage.got is None else "right by accident"
    if stage.outcome == UNKNOWN:
        return "not known"
    return f"takes layer {stage.got}" if stage.outcome == OTHER_LAYER else stage.outcome
