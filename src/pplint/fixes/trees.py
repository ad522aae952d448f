"""Comparing the syntax trees of a file before and after edits."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import cast

_Place = tuple[int, int]
"""A line (1-based) and a UTF-8 offset in it (0-based), as ast counts."""

_WITHOUT_PLACE = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)


class Regions:
    """Where edits stand, in order: what they replaced in the old text and what they put into the new one."""

    def __init__(self, old: Sequence[tuple[_Place, _Place]], new: Sequence[tuple[_Place, _Place]]) -> None:
        self.old = _Stretches(old)
        self.new = _Stretches(new)
        self._old_end_lines = [end[0] for end in self.old.ends]
        self._shifts = [0]
        for old_end, new_end in zip(self.old.ends, self.new.ends, strict=True):
            self._shifts.append(new_end[0] - old_end[0])

    def untouched(self, old: ast.stmt, new: ast.stmt) -> bool:
        """Say whether two statements are the same text, which makes them the same tokens and the same tree.

        They are if no edit is on their lines and only whole lines, from the edits above, lie between them.
        """
        old_hull, new_hull = _hull(old), _hull(new)
        if old_hull is None or new_hull is None:
            return False
        (line, column), (end_line, end_column) = old_hull
        after = bisect_left(self._old_end_lines, line)
        if after < len(self.old.starts) and self.old.starts[after][0] <= end_line:
            return False
        shift = self._shifts[after]
        return ((line + shift, column), (end_line + shift, end_column)) == new_hull


class _Stretches:
    """Stretches of one text, in order."""

    def __init__(self, stretches: Sequence[tuple[_Place, _Place]]) -> None:
        self.starts = [start for start, _ in stretches]
        self.ends = [end for _, end in stretches]

    def holding(self, node: ast.AST) -> int:
        """Return the number of the stretch that a node lies in wholly, or -1."""
        hull = _hull(node)
        if hull is None:
            return -1
        last = bisect_right(self.starts, hull[0]) - 1
        return last if last >= 0 and hull[1] <= self.ends[last] else -1

    def hold_an_end_of(self, node: ast.AST) -> bool:
        """Say whether a node begins or ends in a stretch."""
        hull = _hull(node)
        if hull is None:
            return False
        first = bisect_right(self.starts, hull[0]) - 1
        last = bisect_left(self.starts, hull[1]) - 1
        return (first >= 0 and hull[0] < self.ends[first]) or (last >= 0 and hull[1] <= self.ends[last])


def trees_differ(old: ast.Module, new: ast.Module, regions: Regions) -> int:
    """Return 0 if the new tree is the old one but for the edits' places, else the old line where it is not.

    A node that an edit replaced may have become anything that the edit brought. Of lists and optional parts,
    what an edit removed or brought is left out of the comparison. A node may have got a new parent, or lost
    one, whose other parts are all new, or removed: `x` became `x[a:b]`. All else must be equal.
    """
    line = 1
    waiting: list[tuple[ast.AST, ast.AST]] = [(old, new)]
    while waiting:
        before, after = waiting.pop()
        line = getattr(before, "lineno", line)
        if isinstance(before, ast.stmt) and type(before) is type(after):
            assert isinstance(after, ast.stmt)
            if regions.untouched(before, after):
                continue
        edit = regions.old.holding(before)
        if edit >= 0 and edit == regions.new.holding(after):
            continue
        pairs = _pairs(before, after, regions)
        if pairs is None:
            pairs = _rewrapped(before, after, regions)
        if pairs is None:
            return line
        waiting += pairs
    return 0


def _pairs(old: ast.AST, new: ast.AST, regions: Regions) -> list[tuple[ast.AST, ast.AST]] | None:
    """Pair the parts of two nodes of one kind; None if their own values or the numbers of parts differ."""
    if type(old) is not type(new):
        return None
    pairs: list[tuple[ast.AST, ast.AST]] = []
    for field in old._fields:
        before, after = _parts(getattr(old, field, None)), _parts(getattr(new, field, None))
        if len(before) != 1 or len(after) != 1:
            before = [part for part in before if not _lies_in(part, regions.old)]
            after = [part for part in after if not _lies_in(part, regions.new)]
        if len(before) != len(after):
            return None
        for one, other in zip(before, after, strict=True):
            if isinstance(one, ast.AST) and isinstance(other, ast.AST):
                pairs.append((one, other))
            elif type(one) is not type(other) or one != other:
                return None
    return pairs


def _parts(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _lies_in(part: object, stretches: _Stretches) -> bool:
    return isinstance(part, ast.AST) and stretches.holding(part) >= 0


def _rewrapped(old: ast.AST, new: ast.AST, regions: Regions) -> list[tuple[ast.AST, ast.AST]] | None:
    """Pair a node with the one old part of its new parent, or the last part of a parent that goes."""
    if regions.new.hold_an_end_of(new) and (inner := _only_part_outside(new, regions.new)):
        return [(old, inner)]
    if regions.old.hold_an_end_of(old) and (inner := _only_part_outside(old, regions.old)):
        return [(inner, new)]
    return None


def _only_part_outside(node: ast.AST, stretches: _Stretches) -> ast.AST | None:
    parts = [
        part
        for part in ast.iter_child_nodes(node)
        if not isinstance(part, _WITHOUT_PLACE) and stretches.holding(part) < 0
    ]
    return parts[0] if len(parts) == 1 else None


def _hull(node: ast.AST) -> tuple[_Place, _Place] | None:
    """Return where a node begins and ends, its decorators included; None for nodes without a place."""
    decorators: list[ast.AST] = getattr(node, "decorator_list", [])
    if hasattr(node, "lineno"):
        placed = cast("ast.expr", node)
        start, end = (placed.lineno, placed.col_offset), (placed.end_lineno or 0, placed.end_col_offset or 0)
        hulls = [_hull(decorator) for decorator in decorators]
        return min([start, *(hull[0] for hull in hulls if hull)]), end
    hulls = [_hull(part) for part in ast.iter_child_nodes(node)]
    known = [hull for hull in hulls if hull is not None]
    if not known:
        return None
    return min(start for start, _ in known), max(end for _, end in known)
