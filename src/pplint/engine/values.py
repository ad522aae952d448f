"""What an expression may be, as far as layer ids are concerned.

A `Value` is one possibility; an expression evaluates to a tuple of them (one per branch that reaches it).
GLOBAL ids count layers of the whole model, LOCAL indices count layers of this stage, DENSE ids count layers of one
kind on this stage and come out of a dictionary that is keyed by GLOBAL ids.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

INT = "int"  # an integer literal; data: the number
STR = "str"  # a string literal; data: the text
NONE = "none"
PARAM = "param"  # data: the parameter's name
PATH = "path"  # data: names of a dotted chain, rooted at a parameter, `self`, an import or a module name
MEMBER = "member"  # an attribute of something that is no chain; data: (values, attribute)
CALL = "call"  # data: the callee's values
PARTIAL = "partial"  # `functools.partial(f, ...)`; data: the values of f
SUB = "sub"  # data: (container values, index values)
ARITH = "arith"  # data: (operator class name, left values, right values)
RANGE = "range"  # data: (start values, stop values)
ENUMERATE = "enumerate"  # data: (iterable values, start values)
ZIP = "zip"  # data: one tuple of values per iterable
SLICE = "slice"  # data: (list values, lower values or None, upper values or None)
COUNT = "count"  # `len(x)`; data: the values of x
ITEMS = "items"  # `x.items()` and the like; data: (values of x, method)
ELEMENT = "element"  # one element of an iterable; data: one value of the iterable, in a tuple
INDEX = "index"  # the counter of enumerate; data: (iterable values, start values)
TUPLE = "tuple"  # data: one tuple of values per item
ITEM = "item"  # one item of an unpacked value; data: (values, position)
BUILT = "built"  # a comprehension or display; data: the values of its elements
UNKNOWN = "unknown"

MAX_ALTERNATIVES = 8


class Atom(NamedTuple):
    """One condition that is known to hold: `test` evaluates to a truthy value iff `holds`."""

    test: ast.expr
    holds: bool


class Value:
    """One possibility of an expression.

    `node` is where it was born; `guards` are the conditions under which a literal, a chain,
    a range, a slice or a call was chosen.
    """

    __slots__ = ("data", "guards", "kind", "node")

    def __init__(
        self,
        kind: str,
        data: Any = None,
        node: ast.AST | None = None,
        guards: tuple[Atom, ...] = (),
    ) -> None:
        self.kind = kind
        self.data = data
        self.node = node
        self.guards = guards

    def __repr__(self) -> str:
        return f"<{self.kind} {self.data!r}>"


Values = tuple[Value, ...]

UNKNOWN_VALUE = Value(UNKNOWN)


def join(*groups: Values) -> Values:
    """Union of alternatives; of too many the first ones, and that there are others, which are not known."""
    if len(groups) == 1 and len(groups[0]) < 2:
        return groups[0]
    seen: list[Value] = []
    for group in groups:
        for value in group:
            if not any(value is other or same(value, other) for other in seen):
                seen.append(value)
    if len(seen) > MAX_ALTERNATIVES:
        seen[MAX_ALTERNATIVES - 1 :] = [UNKNOWN_VALUE]
    return tuple(seen)


def same(left: Value, right: Value) -> bool:
    """Whether two possibilities are one (same kind, same data, born at the same place)."""
    return left.kind == right.kind and left.node is right.node and left.data == right.data


def paths(values: Values) -> list[tuple[str, ...]]:
    """The dotted chains among the alternatives."""
    return [value.data for value in values if value.kind == PATH]


def last_name_of(value: Value) -> str:
    """The name that a parameter has, or the last one of a chain; "" for anything else."""
    if value.kind == PATH:
        return str(value.data[-1])
    return str(value.data) if value.kind == PARAM else ""


def names_in(node: ast.AST) -> list[str]:
    """The names and attributes that are read in an expression."""
    return [
        part.attr if isinstance(part, ast.Attribute) else part.id
        for part in ast.walk(node)
        if isinstance(part, (ast.Attribute, ast.Name))
    ]


def dotted(node: ast.AST) -> tuple[str, ...] | None:
    """`a.b.c` as names, or None when the expression is not a dotted chain of names."""
    parts: list[str] = []
    while type(node) is ast.Attribute:
        parts.append(node.attr)
        node = node.value
    if type(node) is not ast.Name:
        return None
    parts.append(node.id)
    return tuple(parts[::-1])
