"""What each stage of a pipeline gets at a finding, computed from what the place asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pplint.finding import (
    DIRECT,
    KEYED,
    MODULE,
    NAMED,
    OTHER_LAYER,
    PADDED,
    RIGHT,
    ROOM,
    SHIFTED,
    TEST,
    UNKNOWN,
    WHOLE,
    Asks,
    Bound,
    Impact,
    LayoutOutcome,
    StageOutcome,
)
from pplint.impact_summary import summary_of
from pplint.records import Record

PP_SIZES = (2, 3, 4)
NUM_LAYERS = (48, 47)
"""What is told when no layout is asked for: 48 layers are split evenly by each of the sizes, 47 by none."""


class LayoutError(ValueError):
    """The layout cannot be; the message says why."""


class Stage(Record):
    """A stage owns the layers `[start, end)`, 0-based."""

    rank: int
    start: int
    end: int


Layout = tuple[Stage, ...]


def stages_of(pp_size: int | None, num_layers: int | None, partition: Sequence[int]) -> Layout:
    """The stages of a layout; empty when nothing was asked for.

    Without a partition the layers are dealt out evenly, and the last stages take what is left over, as SGLang does.
    Raises LayoutError.
    """
    counts = tuple(partition)
    if not counts:
        if pp_size is None:
            return ()
        if num_layers is None:
            raise LayoutError("--pp-size needs --num-layers (or --pp-layer-partition)")
        each, rest = divmod(num_layers, pp_size)
        counts = tuple(each + (rank >= pp_size - rest) for rank in range(pp_size))
    if pp_size is not None and len(counts) != pp_size:
        raise LayoutError(f"--pp-layer-partition names {len(counts)} stages, --pp-size {pp_size}")
    if num_layers is not None and sum(counts) != num_layers:
        raise LayoutError(f"--pp-layer-partition has {sum(counts)} layers, --num-layers {num_layers}")
    starts = [sum(counts[:rank]) for rank in range(len(counts))]
    return tuple(
        Stage(rank, start, start + count)
        for rank, (start, count) in enumerate(zip(starts, counts, strict=True))
    )


@lru_cache(maxsize=1)
def usual_layouts(num_layers: int | None = None) -> tuple[Layout, ...]:
    """The layouts that stand for all where none is asked for, of `num_layers` layers where that is known."""
    layers = NUM_LAYERS if num_layers is None else (num_layers,)
    return tuple(stages_of(pp_size, count, ()) for pp_size in PP_SIZES for count in layers)


@lru_cache(maxsize=1024)
def impact_of(asks: Asks | None, layouts: tuple[Layout, ...]) -> Impact | None:
    """What a place means on each stage of the layouts; None where that does not follow from what they own."""
    if asks is None:
        return None
    outcomes = tuple(layout_outcome(asks, layout) for layout in layouts)
    summary = summary_of(outcomes)
    return Impact(f"asked of a `{asks.of}`: {summary}" if asks.of else summary, outcomes, asks.of)


def layout_outcome(asks: Asks, layout: Layout) -> LayoutOutcome:
    """What every stage of a layout gets."""
    num_layers = max(stage.end for stage in layout)
    stages = tuple(_outcome(asks, stage, len(layout), num_layers) for stage in layout)
    return LayoutOutcome(len(layout), num_layers, stages)


def _outcome(asks: Asks, stage: Stage, pp_size: int, num_layers: int) -> StageOutcome:
    """The first exception, else the first other layer, else what is not known, or a right one, by accident or not."""
    if asks.access == MODULE:
        ranks = {"first": 0, "last": pp_size - 1}
        here = asks.asked_on == "" or ranks[asks.asked_on] == stage.rank
        missing = here and stage.rank not in {ranks[name] for name in asks.real_on}
        return StageOutcome(*stage, "AttributeError" if missing else RIGHT)
    other = StageOutcome(*stage, RIGHT)
    for one in _answers(asks, stage, num_layers):
        if one.outcome not in (RIGHT, OTHER_LAYER):
            return one
        if other.outcome == RIGHT and (one.outcome == OTHER_LAYER or other.asked is None):
            other = one
    if asks.open and other.outcome == RIGHT and stage.end - stage.start < num_layers:
        return StageOutcome(*stage, UNKNOWN)
    return other


def _answers(asks: Asks, stage: Stage, num_layers: int) -> Iterator[StageOutcome]:
    first, end = (_value(bound, stage, num_layers) for bound in (asks.low, asks.high))
    for written in range(first, end):
        passed = written - stage.start if asks.counted else written
        meant = written if asks.meant is None else _value(asks.meant, stage, num_layers)
        # A negative number is the author's way to count from the end of the model.
        meant = meant if meant >= 0 else num_layers + meant
        said = passed if passed >= 0 or asks.counted else num_layers + passed
        got, error = _answer(asks, passed, stage, num_layers)
        single = end - first == 1
        if error:
            yield StageOutcome(*stage, error, said)
        elif got is None:
            yield StageOutcome(*stage, RIGHT)
        elif asks.access == TEST:
            yield StageOutcome(*stage, OTHER_LAYER, None, got)
        elif got != meant:
            wanted = meant if asks.counted or asks.access == WHOLE else said
            yield StageOutcome(*stage, OTHER_LAYER, wanted, got)
        elif got != said:
            yield StageOutcome(*stage, RIGHT, said, got)
        else:
            yield StageOutcome(*stage, RIGHT, said if single else None)


def _answer(asks: Asks, passed: int, stage: Stage, num_layers: int) -> tuple[int | None, str]:
    """The layer that an id gives, or the exception. None when there is nothing to give and nothing to raise."""
    owned = stage.start <= passed < stage.end
    count = stage.end - stage.start
    if asks.access in (SHIFTED, DIRECT):
        index = passed - stage.start if asks.access == SHIFTED else passed
        return (stage.start + index % count, "") if -count <= index < count else (None, "IndexError")
    if asks.access in (PADDED, WHOLE):
        if not -num_layers <= passed < num_layers:
            return None, "IndexError"
        slot = passed % num_layers
        if asks.access == WHOLE or stage.start <= slot < stage.end:
            return slot, ""
        return None, "AttributeError"
    if asks.access == ROOM:
        return (passed, "") if -count <= passed < count else (None, "IndexError")
    if asks.access == TEST:
        return (None, "") if owned or not 0 <= passed < num_layers else (passed, "")
    errors = {KEYED: "KeyError", NAMED: asks.error}
    return (passed, "") if owned else (None, errors[asks.access])


def _value(bound: Bound, stage: Stage, num_layers: int) -> int:
    return {"": 0, "start": stage.start, "end": stage.end, "layers": num_layers}[bound.base] + bound.more
