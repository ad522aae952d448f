"""What a function does with the elements of a list that it is given, as one file's facts."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.declarations import FunctionFacts
from pplint.engine.elements import PLACEHOLDER_ATTRIBUTES, filtered, guarded_in
from pplint.engine.flow import Flow
from pplint.engine.values import Value


def element_read(facts: FunctionFacts, flow: Flow, base: Value, node: ast.Attribute) -> None:
    """Take down a read of an attribute of an element that no test guards."""
    how = _element_of(base)
    if not how or node.attr.startswith("__") or node.attr in PLACEHOLDER_ATTRIBUTES or filtered(flow, base):
        return
    spelling = [base.node] if isinstance(base.node, ast.Subscript) else []
    for one in base.data if base.kind == v.ELEMENT else base.data[0]:
        if one.kind == v.PARAM and not guarded_in(flow, node.value, *spelling):
            facts["elements"].append([one.data, how, node.attr, node.lineno])


def _element_of(base: Value) -> str:
    """Whether the value is the "first" element of a sequence, "each" of them, or neither ("")."""
    if base.kind == v.ELEMENT:
        return "each"
    if base.kind != v.SUB or not base.data[1]:
        return ""
    if all(one.kind == v.INT for one in base.data[1]):
        return "first"
    index = base.data[1][0]
    counted = index.kind == v.ELEMENT and index.data[0].kind == v.RANGE
    stop = index.data[0].data[1] if counted else ()
    return "each" if any(one.kind == v.COUNT and set(one.data) & set(base.data[0]) for one in stop) else ""


def kinds_known(facts: FunctionFacts, flow: Flow, element: ast.expr, name: ast.expr) -> None:
    """Take down which class names a function knows, if it asks for that of an element of a parameter."""
    from pplint.engine.dispatch import known_names

    for one in flow.evaluate(element):
        for list_ in one.data[0] if one.kind == v.SUB else one.data if one.kind == v.ELEMENT else ():
            if list_.kind == v.PARAM and (names := known_names(flow.functions[-1], element, name)):
                facts["kinds"].append([list_.data, names, element.lineno])
