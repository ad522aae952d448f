"""What each pipeline stage of a given layout sees of a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pplint.finding import Finding

_LITERAL = re.compile(r"^layer id (-?\d+) is given\b")
_PADDED = frozenset({"PPL201", "PPL301"})


class LayoutError(ValueError):
    """The layout cannot be; the message says why."""


class Stage(NamedTuple):
    """A stage owns the layers `[start, end)`, 0-based."""

    rank: int
    start: int
    end: int


def stages_of(pp_size: int | None, num_layers: int | None, partition: Sequence[int]) -> tuple[Stage, ...]:
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


def impact_on(finding: Finding, stages: Sequence[Stage]) -> tuple[str, ...]:
    """A line per stage, for the findings whose effect follows from the stage range alone; else nothing."""
    literal = _LITERAL.match(finding.message)
    if finding.code == "PPL101" and literal:
        return tuple(f"{_name(stage)}: {_accessor(int(literal[1]), stage)}" for stage in stages)
    if finding.code in _PADDED and len(stages) > 1:
        return tuple(f"{_name(stage)}: {_padded(finding, stage, stages)}" for stage in stages)
    return ()


def _name(stage: Stage) -> str:
    return f"stage {stage.rank} [{stage.start}, {stage.end})"


def _accessor(layer_id: int, stage: Stage) -> str:
    if stage.start <= layer_id < stage.end:
        return "right"
    local_index, count = layer_id - stage.start, stage.end - stage.start
    if not -count <= local_index < count:
        return "IndexError" if count else "IndexError: the stage owns no layer"
    return f"silently reads layer {stage.end + local_index if local_index < 0 else layer_id} instead of {layer_id}"


def _padded(finding: Finding, stage: Stage, stages: Sequence[Stage]) -> str:
    if finding.code == "PPL301":
        return "AttributeError at the first slot of another stage"
    last = "end_layer" in (finding.fix.message if finding.fix else "")
    owns = stage.end == stages[-1].end and stage.start < stage.end if last else stage.start == 0 < stage.end
    return "right" if owns else "AttributeError"
