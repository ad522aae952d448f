"""How a loop over all layers becomes one over the layers of the stage."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.slots import Slots
from pplint.finding import UNSAFE, Fix
from pplint.rules.layer_reads import owner_text


def stage_loop(context: Context, slots: Slots) -> tuple[Fix | None, str]:
    """The edit that makes a loop run over the layers of the stage, or why there is none."""
    loop = slots.loop
    counts = isinstance(loop, ast.Call) and _name(loop) == "enumerate" and bool(loop.args)
    listed = loop.args[0] if isinstance(loop, ast.Call) and counts else loop
    owner = owner_text(context, slots, listed if isinstance(listed, ast.expr) else None)
    if owner is None:
        return (
            None,
            "what holds the layers is no name or dotted chain here, so its range is for the author to add",
        )
    if isinstance(loop, ast.Call) and loop is slots.source.node and _name(loop) == "range":
        if len(loop.args) > 2:
            return (
                None,
                "the loop takes steps, and which layers they meet on a stage is for the author to say",
            )
        if len(slots.source.data[0]) != 1 or len(slots.source.data[1]) != 1:
            return None, "the loop has different bounds on different paths"
        text = f"range({owner.start}, {owner.end})"
        return Fix(UNSAFE, "run over the layers of the stage", (context.edit(loop, text),)), ""
    if not isinstance(listed, ast.expr) or v.dotted(listed) is None:
        return None, "the loop runs over more than the list, and its parts have to stay together"
    if context.padded(context.flow.evaluate(listed)) is None:
        return (
            None,
            "the loop runs over ids that are chosen elsewhere: keep those in [start_layer, end_layer) there",
        )
    if len(context.flow.evaluate(listed)) != 1:
        return None, "the loop runs over different lists on different paths"
    text = f"{ast.unparse(listed)}[{owner.start}:{owner.end}]"
    if isinstance(loop, ast.Call) and counts:
        if len(loop.args) != 1 or loop.keywords:
            return None, "the loop counts from a number of its own"
        text = f"{text}, {owner.start}"
    return Fix(UNSAFE, "run over the layers of the stage", (context.edit(listed, text),)), ""


def _name(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""
