"""One line about the outcomes on all stages of some layouts, true for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pplint.finding import OTHER_LAYER, RIGHT, UNKNOWN, LayoutOutcome, StageOutcome

ACCIDENT = "accident"
"""What a stage gets that is right although it asked for something else."""
_SILENT = (OTHER_LAYER, ACCIDENT, UNKNOWN)
"""What raises no exception, or none that is known."""


def kind_of(stage: StageOutcome) -> str:
    """The outcome, or ACCIDENT."""
    return ACCIDENT if stage.outcome == RIGHT and stage.got is not None else stage.outcome


Group = tuple[str, Sequence[LayoutOutcome]]


def summary_of(layouts: Sequence[LayoutOutcome]) -> str:
    """Return the line: about the one layout, or about what pipelines of a size have in common.

    The layouts are put into as few groups as it takes to say all that happens in each; the groups of the last
    resort are told by what their members share.
    """
    if len(layouts) == 1:
        one = layouts[0]
        size = f"{one.pp_size} stage{'s' * (one.pp_size > 1)} of {one.num_layers} layers"
        return f"{size}: {_told(layouts)}"
    layouts = [_worst(layout) for layout in layouts]
    for groups in (_one(layouts), _by_size(layouts), _by_split(layouts)):
        if all(_is_whole(group) for _, group in groups):
            break
    return "; ".join(name + _told(group) for name, group in groups)


def _one(layouts: Sequence[LayoutOutcome]) -> list[Group]:
    return [("", layouts)]


def _by_size(layouts: Sequence[LayoutOutcome]) -> list[Group]:
    least = min(one.pp_size for one in layouts)
    small = [one for one in layouts if one.pp_size == least]
    large = [one for one in layouts if one.pp_size > least]
    return [(f"PP={least}: ", small), *([(f"PP={least + 1} and more: ", large)] if large else [])]


def _by_split(layouts: Sequence[LayoutOutcome]) -> list[Group]:
    """Even splits apart from others, where the members of a group share no exception."""
    groups: list[Group] = []
    for name, group in _by_size(layouts):
        even = [one for one in group if _is_even(one)]
        uneven = [one for one in group if not _is_even(one)]
        if _raised(group) or not (even and uneven):
            groups.append((name, group))
        else:
            size = name.removesuffix(": ")
            groups += [(f"{size} with an even split: ", even), ("with an uneven one: ", uneven)]
    return groups


def _raised(group: Sequence[LayoutOutcome]) -> list[str]:
    """The exceptions that all members of a group share on the same stages."""
    return [kind for kind in _kinds_of(group) if kind not in _SILENT and _where(kind, group)]


def _is_even(layout: LayoutOutcome) -> bool:
    return len({stage.end - stage.start for stage in layout.stages}) == 1


def _is_whole(group: Sequence[LayoutOutcome]) -> bool:
    """Whether each kind of outcome of one member is that of all, on stages with the same description."""
    return all(_where(kind, group) for kind in _kinds_of(group))


def _told(group: Sequence[LayoutOutcome]) -> str:
    """What all members of a group share: the exceptions first, then what is silent."""
    kinds = _kinds_of(group)
    parts = [_part(kind, where) for kind in kinds if (where := _where(kind, group))]
    if not kinds:
        return "right on every stage"
    if all(_kinds(layout) == {ACCIDENT} for layout in group):
        return "looks right by accident"
    return ", ".join(parts) if parts else "wrong on some stages of some layouts"


def _kinds(layout: LayoutOutcome) -> set[str]:
    return {kind_of(stage) for stage in layout.stages} - {RIGHT}


def _kinds_of(group: Sequence[LayoutOutcome]) -> list[str]:
    """What goes wrong in a group, the worst first."""
    return sorted({kind for layout in group for kind in _kinds(layout)}, key=_weight)


def _worst(layout: LayoutOutcome) -> LayoutOutcome:
    """The layout without its accidents, if there is something worse."""
    if len(_kinds(layout)) < 2:
        return layout
    return layout._replace(
        stages=tuple(one._replace(got=None) if one.outcome == RIGHT else one for one in layout.stages)
    )


def _weight(kind: str) -> tuple[int, str]:
    return {OTHER_LAYER: 1, ACCIDENT: 2, UNKNOWN: 3}.get(kind, 0), kind


def _part(kind: str, where: str) -> str:
    words = {OTHER_LAYER: "silently another layer", ACCIDENT: "right by accident", UNKNOWN: "not known"}
    return f"{words.get(kind, kind)} {where}"


def _where(kind: str, group: Sequence[LayoutOutcome]) -> str:
    """The stages with an outcome, in words that fit all members of a group, or "" where none do."""
    ranks = [[stage.rank for stage in one.stages if kind_of(stage) == kind] for one in group]
    named = [list(_names(found, one.pp_size)) for found, one in zip(ranks, group, strict=True)]
    shared = next((name for name in named[0] if all(name in others for others in named)), "")
    return shared or (_at_the_end(ranks, group) if kind not in _SILENT else "")


def _at_the_end(ranks: Sequence[list[int]], group: Sequence[LayoutOutcome]) -> str:
    """From which stage on all members meet an exception, some of them perhaps on earlier stages too."""
    starts = []
    for found, one in zip(ranks, group, strict=True):
        start = one.pp_size
        while start - 1 in found:
            start -= 1
        starts.append(start)
    first = max(starts)
    return f"from stage {first} on" if all(first < one.pp_size for one in group) else ""


def _names(ranks: list[int], pp_size: int) -> Iterator[str]:
    """What stages may be called, the best name first."""
    if not ranks:
        return
    first, last = 0, pp_size - 1
    every = list(range(pp_size))
    shapes = {
        "on every stage": every,
        "on the first stage": [first],
        "on the last stage": [last],
        "on every stage but the first": every[1:],
        "on every stage but the last": every[:-1],
        f"on stage {ranks[0]}": [ranks[0]],
        "on the stages in between": every[1:-1],
        f"from stage {ranks[0]} on": every[ranks[0] :],
        f"on stages {ranks[0]} to {ranks[-1]}": every[ranks[0] : ranks[-1] + 1],
        f"on stages {', '.join(map(str, ranks))}": ranks,
    }
    yield from (name for name, shape in shapes.items() if shape == ranks)
