"""What the stages of a layout get, in lines for people."""

from __future__ import annotations

from itertools import groupby

from pplint.finding import OTHER_LAYER, RIGHT, UNKNOWN, Impact, StageOutcome


def stage_lines(impact: Impact | None) -> list[str]:
    """A line per stage of the layout that was asked for, or the one line that is true for the usual ones."""
    if impact is None:
        return []
    if len(impact.layouts) != 1:
        return [impact.summary]
    return [
        f"stage {one.rank} [{one.start}, {one.end}): {outcome_words(one)}" for one in impact.layouts[0].stages
    ]


def stage_table(impact: Impact) -> list[str]:
    """The same in columns, with a row for neighbours that get the same."""
    if len(impact.layouts) != 1:
        return [impact.summary]
    runs = [list(run) for _, run in groupby(impact.layouts[0].stages, key=_kind)]
    rows = [
        (
            _ranks(run),
            f"[{run[0].start}, {run[-1].end})",
            outcome_words(run[0]) if len(run) == 1 else _run(run),
        )
        for run in runs
    ]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    head = [f"asked of a `{impact.of}`:"] if impact.of else []
    return head + [f"{ranks:<{wide[0]}}  {owned:<{wide[1]}}  {text}" for ranks, owned, text in rows]


def _kind(stage: StageOutcome) -> tuple[str, bool]:
    return stage.outcome, stage.got is None


def _ranks(run: list[StageOutcome]) -> str:
    first, last = run[0].rank, run[-1].rank
    return f"stage {first}" if first == last else f"stages {first}-{last}"


def outcome_words(stage: StageOutcome) -> str:
    """What one stage gets, without its name and range."""
    empty = " (it owns no layer)" if stage.start == stage.end and stage.outcome != RIGHT else ""
    if stage.outcome == OTHER_LAYER:
        instead = "for its own" if stage.asked is None else f"instead of {stage.asked}"
        return f"silently takes layer {stage.got} {instead}{empty}"
    if stage.outcome == UNKNOWN:
        return "not known: it hangs on what else is asked for"
    if stage.got is not None:
        return f"right by accident: asks for layer {stage.asked}, gets {stage.got}"
    asked = "" if stage.asked is None or stage.outcome == RIGHT else f" for layer {stage.asked}"
    return f"{stage.outcome}{asked}{empty}"


def _run(run: list[StageOutcome]) -> str:
    """What stages that get the same kind of outcome have in common."""
    texts = {outcome_words(one) for one in run}
    if len(texts) == 1:
        return texts.pop()
    if run[0].outcome == OTHER_LAYER:
        return (
            f"each silently takes another layer (stage {run[0].rank}: {run[0].got} instead of {run[0].asked})"
        )
    if run[0].got is not None:
        return f"right by accident (stage {run[0].rank} asks for layer {run[0].asked}, gets {run[0].got})"
    return run[0].outcome
