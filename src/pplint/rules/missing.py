"""What rules say about modules that only some stages have, and how much a conflict with one weighs."""

from __future__ import annotations

import re

from pplint.engine.context import Context
from pplint.engine.guards import FIRST
from pplint.engine.modules import StageModule
from pplint.engine.reach import runs_base
from pplint.finding import INFO, Step

_SPECULATIVE = r"^_?(get|set)_(embed|embed_and_head|head|lm_head|input_embed|target_embed)\w*$"


def level_of(context: Context, module: StageModule) -> tuple[str, str]:
    """Level and condition: reach of the class we are in, else of the class that has the module."""
    owner = context.class_id
    accepts = context.project.accepts_pp
    if not owner or accepts(owner) is None or (accepts(owner) and accepts(module.owner) is False):
        owner = module.owner if accepts(module.owner) is not None else owner
    function = context.flow.functions[-1].name if context.flow.functions else ""
    heir = _accepting_heir(context, owner, function) if accepts(owner) is False else ""
    severity, condition = context.level(heir or owner)
    if heir and not condition:
        condition = (
            f"in `{context.project.class_name(heir)}`, which inherits this and accepts pipeline parallelism"
        )
    if severity != INFO and re.match(_SPECULATIVE, function):
        said = (
            f"`{function}` is for the speculative workers, which SGLang does not let run on several stages, or catches the "
            "error of a stage without the module"
        )
        return INFO, said
    return severity, condition


def _accepting_heir(context: Context, owner: str, function: str) -> str:
    """A class that runs this method of a base, the class we are in, and accepts what the base refuses; or ""."""
    project = context.project
    heirs = project.children(owner) if owner == context.class_id and function else ()
    return next(
        (
            one
            for one in heirs
            if project.accepts_pp(one)
            and not project.is_draft(one)
            and runs_base(project, one, owner, function)
        ),
        "",
    )


def stages_without(module: StageModule) -> str:
    """Where the module is not, in words."""
    if len(module.surely_on) > 1:
        return "the stages in between"
    without = f"every stage but the {'first' if FIRST in module.surely_on else 'last'}"
    return (
        f"{without} (the {', '.join(module.perhaps_on)} one has it in some cases)"
        if module.perhaps_on
        else without
    )


def module_step(context: Context, module: StageModule) -> Step:
    """The step that shows where the placeholder is put."""
    return context.fact_step(
        module.owner,
        module.line,
        f"`{module.attribute}` becomes {placeholder(module)} on {stages_without(module)}",
    )


def placeholder(module: StageModule) -> str:
    """What stands in for the module, in words."""
    return "None" if module.placeholder == "None" else f"a `{module.placeholder}`"
