"""What the assignments of a class say about its attributes: padded lists, mappings, buffer lists, objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.declarations import property_facts
from pplint.engine.describe import describe
from pplint.engine.flow import Flow
from pplint.engine.marks import names_end
from pplint.engine.names import PICKED
from pplint.engine.stage_sets import is_of_stage, stage_range
from pplint.engine.values import Atom, Value, Values
from pplint.engine.vocabulary import is_end, is_start


def assigned(owner: dict[str, Any], flow: Flow, target: ast.expr, found: Values, node: ast.stmt) -> None:
    """Record one assignment; `owner` is the facts of the enclosing class."""
    if isinstance(target, (ast.Tuple, ast.List)):
        _unpacked(owner, flow, target, found, node)
    elif isinstance(target, ast.Name) and not flow.functions:
        asked = property_facts(node)
        if asked is not None:
            owner["methods"].setdefault(target.id, asked)
        # A class kept in the class's body, or a table of classes: `model_cls = SomeModel`.
        named = getattr(node, "value", None)
        if any(path[-1][:1].isupper() for path in v.paths(found)):
            _add(owner, target.id, describe_first(found), node, flow)
        elif isinstance(named, ast.Name) and isinstance(found[0].node, ast.Dict):
            _add(owner, target.id, ["path", [named.id]], node, flow)
    elif isinstance(target, ast.Attribute) and v.dotted(target.value) == ("self",):
        facts = _facts_of(flow, found, node)
        for position, fact in enumerate(facts):
            value = found[position] if len(facts) == len(found) else None
            _add(owner, target.attr, fact, node, flow, value)
            if fact == ["mapping"]:
                made = getattr(node, "value", None)
                _note_keys(
                    owner, target.attr, made.generators[0].iter if isinstance(made, ast.DictComp) else None
                )
    elif isinstance(target, ast.Subscript):
        path = v.dotted(target.value)
        if path and len(path) == 2 and path[0] == "self" and not isinstance(target.slice, ast.Slice):
            if _pairs(flow.evaluate(target.slice), found):
                _add(owner, path[1], ["mapping"], node, flow)
                _note_keys(owner, path[1], flow.loops[-1] if flow.loops else None)


def _note_keys(owner: dict[str, Any], attribute: str, source: ast.expr | None) -> None:
    """Record the list of ids, a dotted name, whose `enumerate` filled a mapping."""
    listed = source.args[0] if isinstance(source, ast.Call) and source.args else source
    path = v.dotted(listed) if listed is not None else None
    if path is not None:
        owner["attrs"][attribute][-1]["keys"] = list(path)


def describe_first(found: Values) -> list[Any]:
    """The description of the first alternative."""
    return describe(found[0])


def _add(
    owner: dict[str, Any],
    attribute: str,
    fact: list[Any],
    node: ast.stmt,
    flow: Flow,
    value: Value | None = None,
) -> None:
    method = flow.functions[0].name if flow.functions else ""
    entries = owner["attrs"].setdefault(attribute, [])
    if len(entries) < 12:
        entry = {"v": fact, "line": node.lineno, "method": method}
        known = (*flow.guards, *value.guards) if value is not None else flow.guards
        entry.update(_stages(known, getattr(node, "value", None)))
        if not known and entries and entries[-1]["method"] == method:
            entry["again"] = True  # whatever the assignments before said, this one holds
        if value is not None and is_of_stage(flow, value):
            entry["owned"] = True
        asked = _asked(known)
        if asked:
            entry["asked"] = asked
        if names_end(getattr(node, "value", None)):
            entry["ends"] = True
        entries.append(entry)


def _stages(known: Sequence[Atom], value: ast.expr | None) -> dict[str, list[str]]:
    """On which stages an assignment happens, which it keeps away from, and what it says about them where it is true.

    Those of the second that it keeps away from in some cases only are named again.
    """
    said = {"on": g.stage_facts(known), "off": g.excluded_stages(known)} if known else {}
    if said.get("off"):
        said["perhaps"] = said["off"] - g.excluded_stages(known, surely=True)
    if isinstance(value, (ast.BoolOp, ast.Compare, ast.Attribute, ast.Name, ast.Call)):
        said["says"] = g.stage_facts(g.atoms(value, True))
    return {name: sorted(facts) for name, facts in said.items() if facts}


def _asked(known: Sequence[Atom]) -> list[list[Any]]:
    """The functions whose answers the conditions hang on: a dotted name, and whether the answer is yes."""
    return [
        [list(path), holds]
        for test, holds in known
        if isinstance(test, ast.Call) and (path := v.dotted(test.func)) is not None
    ]


def _unpacked(
    owner: dict[str, Any], flow: Flow, target: ast.Tuple | ast.List, found: Values, node: ast.stmt
) -> None:
    names = [
        item.attr if isinstance(item, ast.Attribute) and v.dotted(item.value) == ("self",) else ""
        for item in target.elts
    ]
    call = found[0] if len(found) == 1 and found[0].kind == v.CALL else None
    if call is not None and len(names) == 3:
        description = describe(call)
        rest = [name for name in names if name and not is_start(name) and not is_end(name)]
        start = next((name for name in names if is_start(name)), "")
        end = next((name for name in names if is_end(name)), "")
        if description[0] == "call" and len(rest) == 1:
            _add(owner, rest[0], ["unpacked", description, start, end], node, flow)
            owner["attrs"][rest[0]][-1]["makes"] = _made(flow, call.node)
            if _is_for_one_stage(flow, call.node):
                owner["attrs"][rest[0]][-1]["whole"] = True
    for position, name in enumerate(names):
        if name:
            for value in found:
                item = value.data[position] if value.kind == v.TUPLE and position < len(value.data) else None
                fact = ["item", describe(value), position] if item is None else describe(item[0])
                _add(owner, name, fact, node, flow)


def grown(owner: dict[str, Any], flow: Flow, node: ast.Call, listed: ast.expr) -> None:
    """Record `self.x.append(...)` that each round of a loop from the first to the last layer of the stage runs."""
    path = v.dotted(listed)
    if path is None or len(path) != 2 or path[0] != "self" or not flow.loops or flow.statement is None:
        return
    loop = flow.loops[-1]
    conditional = any(atom.test.lineno > loop.lineno for atom in flow.guards)
    if conditional or not flow.classes or not _only_grows(flow.classes[-1], path[1], node, loop):
        return
    if all(stage_range(one) for one in flow.evaluate(loop)):
        _add(owner, path[1], ["list", [["stage"]]], flow.statement, flow)


def _only_grows(owner: ast.ClassDef, name: str, append: ast.Call, loop: ast.expr) -> bool:
    """Whether a class does nothing with a list but to make it empty and to append to it once in each round of a loop."""
    for part in ast.walk(owner):
        if isinstance(part, (ast.For, ast.AsyncFor)) and part.iter is loop:
            leaves = (ast.Break, ast.Continue, ast.Try, ast.Return, ast.Raise)
            if any(isinstance(one, leaves) for one in ast.walk(part)):
                return False
        elif isinstance(part, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
            targets = getattr(part, "targets", None) or [part.target]  # type: ignore[union-attr]
            value = getattr(part, "value", None)
            made = (
                isinstance(part, (ast.Assign, ast.AnnAssign))
                and isinstance(value, ast.List)
                and not value.elts
            )
            for target in targets:
                taken = target.value if isinstance(target, ast.Subscript) else target
                sliced = isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice)
                if v.dotted(taken) == ("self", name) and not (made or sliced):
                    return False
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part is not append:
            if v.dotted(part.func.value) == ("self", name) and part.func.attr in _CHANGES:
                return False
    return True


_CHANGES = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"})


def _is_for_one_stage(flow: Flow, call: ast.AST | None) -> bool:
    """Whether a maker of layers is told that there is one stage, by a number."""
    sizes = [k.value for k in call.keywords if k.arg == "pp_size"] if isinstance(call, ast.Call) else []
    return any(all(one.kind == v.INT and one.data == 1 for one in flow.evaluate(size)) for size in sizes)


def _made(flow: Flow, call: ast.AST | None) -> list[list[str]]:
    """What the layer factory, the first function among the arguments of a call, calls to build a layer: dotted names.

    Where no function stands there, they are attributes of `self`, one of which may be a method.
    """
    given = (*call.args, *(keyword.value for keyword in call.keywords)) if isinstance(call, ast.Call) else ()
    for argument in given:
        callees = list(_results(flow, argument))
        if callees:
            return [path for one in callees for path in (one is not None and _callees(flow, one)) or [["?"]]]
    own = (v.dotted(one) for one in given if isinstance(one, ast.Attribute))
    return [list(path) for path in own if path is not None and len(path) == 2 and path[0] == "self"]


def _callees(flow: Flow, callee: ast.expr) -> list[list[str]]:
    """The dotted names that a callee may have; one that is picked from a table is `table.[]`."""
    found = []
    for one in flow.evaluate(callee):
        if one.kind == v.SUB:
            found += [[*path, PICKED] for path in v.paths(one.data[0])]
        elif one.kind in (v.PARAM, v.PATH):
            found.append([one.data] if one.kind == v.PARAM else list(one.data))
    return found


def _results(flow: Flow, factory: ast.expr) -> Iterator[ast.expr | None]:
    """What a lambda, or a function that is defined beside its use, calls for its results; None for other results."""
    if isinstance(factory, ast.Lambda):
        yield factory.body.func if isinstance(factory.body, ast.Call) else None
    for part in flow.functions[-1].body if isinstance(factory, ast.Name) and flow.functions else ():
        if isinstance(part, ast.FunctionDef) and isinstance(factory, ast.Name) and part.name == factory.id:
            inner = list(ast.walk(part))
            own = {
                target.id: one.value
                for one in inner
                if isinstance(one, ast.Assign)
                for target in one.targets
                if isinstance(target, ast.Name)
            }
            for one in inner:
                if isinstance(one, ast.Return) and one.value:
                    callee = one.value.func if isinstance(one.value, ast.Call) else None
                    yield own.get(callee.id, callee) if isinstance(callee, ast.Name) else callee


def _facts_of(flow: Flow, found: Values, node: ast.stmt) -> list[list[Any]]:
    expression = getattr(node, "value", None)
    if isinstance(expression, ast.DictComp):
        outer = flow.env
        flow.env = dict(outer)
        flow.bind_generators(expression.generators)
        paired = _pairs(flow.evaluate(expression.key), flow.evaluate(expression.value))
        flow.env = outer
        return [["mapping"]] if paired else [["other"]]
    if (
        isinstance(expression, ast.Call)
        and v.dotted(expression.func) == ("dict",)
        and len(expression.args) == 1
    ):
        zipped = flow.evaluate(expression.args[0])
        if zipped[0].kind == v.ZIP and len(zipped[0].data) == 2 and _counts_up(zipped[0].data[1]):
            return [["mapping"]]
    if isinstance(expression, ast.ListComp):
        iterable = flow.evaluate(expression.generators[0].iter)
        if len(iterable) == 1 and iterable[0].kind == v.RANGE:
            return [["list", [describe(one) for one in iterable[0].data[1]]]]
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Mult):
        if isinstance(expression.left, ast.List):
            return [["list", [describe(one) for one in flow.evaluate(expression.right)]]]
    if isinstance(expression, ast.Call) and (stacked := _first_size(flow, expression)):
        return [["list", [describe(one) for one in stacked]]]
    return [describe(value) for value in found]


def _counts_up(found: Values) -> bool:
    """Whether the alternatives are ranges that start at 0, so that their elements are positions."""
    return all(
        value.kind == v.RANGE
        and value.data[0]
        and value.data[0][0].kind == v.INT
        and not value.data[0][0].data
        for value in found
    )


def _first_size(flow: Flow, call: ast.Call) -> Values:
    """The first dimension of a tensor that `zeros((n, ...))` and the like make, or ()."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name not in ("zeros", "empty", "full", "ones") or not call.args:
        return ()
    shape = call.args[0]
    return flow.evaluate(shape.elts[0]) if isinstance(shape, ast.Tuple) and shape.elts else ()


def _pairs(key: Values, found: Values) -> bool:
    """Whether a GLOBAL id (an element of a list of ids) is mapped to its position in that list."""
    parts: list[Value] = []
    for value in found:
        parts += [one for item in value.data for one in item] if value.kind == v.TUPLE else [value]
    counted = any(one.kind == v.INDEX for one in parts) or any(one.kind == v.COUNT for one in parts)
    return counted and all(one.kind == v.ELEMENT for one in key)
