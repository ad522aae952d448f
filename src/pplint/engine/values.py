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
CALL = "call"  # data: (callee values, node)
PARTIAL = "partial"  # data: the functools.partial call
SUB = "sub"  # data: (container values, index values)
ARITH = "arith"  # data: (operator class name, left values, right values)
RANGE = "range"  # data: (start values, stop values)
ENUMERATE = "enumerate"  # data: (iterable values, start values)
ZIP = "zip"  # data: one tuple of values per iterable
SLICE = "slice"  # data: (list values, lower values or None, upper values or None)
COUNT = "count"  # `len(x)`; data: the values of x
ITEMS = "items"  # `x.items()`; data: the values of x
ELEMENT = "element"  # one element of an iterable; data: the iterable's values
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

    `node` is where it was born; `guards` are the conditions under which a literal, a chain or a call was chosen; `why`
    is a chain of (node, sentence) that explains the kind.
    """

    __slots__ = ("data", "guards", "kind", "node", "why")

    def __init__(
        self,
        kind: str,
        data: Any = None,
        node: ast.AST | None = None,
        guards: tuple[Atom, ...] = (),
        why: tuple[tuple[ast.AST, str], ...] = (),
    ) -> None:
        self.kind = kind
        self.data = data
        self.node = node
        self.guards = guards
        self.why = why

    def __repr__(self) -> str:
        return f"<{self.kind} {self.data!r}>"

    def because(self, node: ast.AST, sentence: str) -> Value:
        """Return this value with one more step of explanation."""
        return Value(self.kind, self.data, self.node, self.guards, (*self.why, (node, sentence)))


Values = tuple[Value, ...]

UNKNOWN_VALUE = Value(UNKNOWN)


def join(*groups: Values) -> Values:
    """Union of alternatives; too many become unknown plus the first ones."""
    if len(groups) == 1 and len(groups[0]) < 2:
        return groups[0]
    seen: list[Value] = []
    for group in groups:
        for value in group:
            if not any(value is other or same(value, other) for other in seen):
                seen.append(value)
    return tuple(seen[:MAX_ALTERNATIVES])


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
