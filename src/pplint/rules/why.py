"""Words that several rules share: what was looked for and not found, where the split is, which classes are meant."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pplint.engine.context import Context
from pplint.engine.project import Project
from pplint.engine.reach import Split, split_line
from pplint.engine.values import Atom, Value
from pplint.finding import Step

FIRST_STAGE = "the stage, as `pp_group.is_first_rank` or `start_layer == 0` would"
LAST_STAGE = "the stage, as `pp_group.is_last_rank` would"
ONE_STAGE = "that there is one stage, as `pp_group.world_size == 1` would"
LAYER = (
    "the layer, as `isinstance(layer, PPMissingLayer)` would, or its id against `start_layer` and `end_layer`"
)
WEIGHT = "the layer's id against the stage range, or `name in params_dict`"
NAME = "the stage, or that there is such a name"

FEW_CLASSES = 3
"""So many classes a sentence names before it counts the others."""

_MOST, _WIDTH = 2, 50


def no_test(context: Context, node: ast.expr, of: str, chosen: Value | None = None) -> Step:
    """Say that nothing on the path to a place tests what would make it right, and what is known there instead.

    `chosen` is a value that the place uses and that was chosen under conditions of its own.
    """
    function = context.flow.functions[-1] if context.flow.functions else None
    start = function if function is not None and function.lineno < node.lineno else node
    way = f"from here to line {node.lineno}" if start is not node else "on the way here"
    tests = _tests((*(chosen.guards if chosen is not None else ()), *context.flow.guards))
    if not tests:
        return context.step(start, f"nothing {way} tests {of}")
    listed = " and ".join([", ".join(tests[:-1]), tests[-1]] if len(tests) > 1 else tests)
    said = f"{way} only {listed} {'is' if len(tests) == 1 else 'are'} known; nothing tests {of}"
    return context.step(start, said)


def split_step(context: Context, split: Split) -> Step:
    """Say which model keeps the layers of one stage, at the line that makes it so, perhaps in a base."""
    chain = f" (`{'.'.join(('self', *split.path))}`)" if split.path else ""
    text = f"`{context.project.class_name(split.owner)}`{chain} keeps the layers of one stage here"
    return context.fact_step(split.home, split_line(context.project, split), text)


def named_classes(project: Project, class_ids: Sequence[str]) -> str:
    """The names of some classes for the middle of a sentence, and how many more there are; "" for none."""
    names = [f"`{project.class_name(one)}`" for one in class_ids[:FEW_CLASSES]]
    more = f" and {len(class_ids) - len(names)} more" if len(class_ids) > len(names) else ""
    return ", ".join(names) + more


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip


def _opposite(test: ast.expr) -> ast.expr:
    """What holds where a test does not, as somebody would write it."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE:
        return ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def _tests(known: Iterable[Atom]) -> list[str]:
    """The conditions, as written, the last ones first; a long one is cut."""
    texts: dict[str, None] = {}
    rest = {id(atom.test): atom for atom in known}  # the same test may be known twice
    for atom in reversed([*rest.values()]):
        if len(texts) == _MOST:
            break
        del rest[id(atom.test)]
        text = ast.unparse(atom.test if atom.holds else _opposite(atom.test))
        texts[f"`{text}`" if len(text) <= _WIDTH else f"`{text[: _WIDTH - 3]}...`"] = None
    return [*texts, f"{len(rest)} more condition{'s' * (len(rest) > 1)}"] if rest else [*texts]
