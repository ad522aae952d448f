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

    def may_differ(self, edits: set[int]) -> bool:
        """Say whether each of these edits only adds or only removes.

        One that replaces must stand for the same part of the tree before and after: in `a and b or c` with
        `x or y` for `a`, the new `x` is no part of the `and` any more.
        """
        return all(
            self.old.starts[edit] == self.old.ends[edit] or self.new.starts[edit] == self.new.ends[edit]
            for edit in edits
        )

    def untouched(self, old: ast.AST, new: ast.AST) -> bool:
        """Say whether two nodes are statements of the same text: the same tokens, hence the same tree.

        They are if no edit is on their lines and only whole lines, from the edits above, lie between them.
        """
        if not isinstance(old, ast.stmt) or (old_hull := _hull(old)) is None:
            return False
        (line, column), (end_line, end_column) = old_hull
        after = bisect_left(self._old_end_lines, line)
        if after < len(self.old.starts) and self.old.starts[after][0] <= end_line:
            return False
        shift = self._shifts[after]
        return ((line + shift, column), (end_line + shift, end_column)) == _hull(new)


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

    def is_insertion(self, place: _Place) -> bool:
        """Say whether one of the stretches is empty and stands at a place."""
        first = bisect_left(self.starts, place)
        return first < len(self.starts) and self.starts[first] == self.ends[first] == place

    def hold_an_end_of(self, node: ast.AST) -> bool:
        """Say whether a node begins or ends in a stretch."""
        hull = _hull(node)
        if hull is None:
            return False
        first = bisect_right(self.starts, hull[0]) - 1
        last = bisect_left(self.starts, hull[1]) - 1
        return (first >= 0 and hull[0] < self.ends[first]) or (last >= 0 and hull[1] <= self.ends[last])


_Pair = tuple[ast.AST, ast.AST]


def trees_differ(old: ast.Module, new: ast.Module, regions: Regions) -> int:
    """Return 0 if the new tree is the old one but for the edits' places, else the old line where it is not.

    A node that an edit replaced may have become anything that the edit brought. Of lists and optional parts,
    what an edit removed or brought is left out of the comparison. An expression may have got a new parent by
    text put before or behind it, or lost one: `x` became `x[a:b]`. All else must be equal.
    """
    line = 1
    waiting: list[tuple[_Pair, _Pair]] = [((old, new), (old, new))]
    while waiting:
        (before, after), parents = waiting.pop()
        line = getattr(before, "lineno", line)
        if type(before) is type(after) and regions.untouched(before, after):
            continue
        edit = regions.old.holding(before)
        if edit >= 0 and edit == regions.new.holding(after):
            continue
        pairs = _pairs(before, after, regions)
        if pairs is not None:
            waiting += [(pair, (before, after)) for pair in pairs]
        elif inner := _wrapped(before, parents[0], regions.old, after, regions.new):
            waiting.append(((before, inner), (parents[0], after)))
        elif inner := _wrapped(after, parents[1], regions.new, before, regions.old):
            waiting.append(((inner, after), (before, parents[1])))
        else:
            return line
    return 0


def _pairs(old: ast.AST, new: ast.AST, regions: Regions) -> list[_Pair] | None:
    """Pair the parts of two nodes of one kind; None if their own values or the numbers of parts differ."""
    if type(old) is not type(new):
        return None
    pairs: list[_Pair] = []
    for field in old._fields:
        before, after = _parts(getattr(old, field, None)), _parts(getattr(new, field, None))
        if len(before) != 1 or len(after) != 1:
            before, removed = _outside(before, regions.old)
            after, brought = _outside(after, regions.new)
            if not regions.may_differ(removed ^ brought):
                return None
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


def _outside(parts: list[object], stretches: _Stretches) -> tuple[list[object], set[int]]:
    """Return the parts that lie in no stretch, and the numbers of the stretches in which the others lie."""
    places = [stretches.holding(part) if isinstance(part, ast.AST) else -1 for part in parts]
    kept = [part for part, place in zip(parts, places, strict=True) if place < 0]
    return kept, set(places) - {-1}


def _wrapped(
    node: ast.AST, parent: ast.AST, here: _Stretches, around: ast.AST, there: _Stretches
) -> ast.AST | None:
    """Return the part of `around` that `node` should equal if `around` is `node` and new text next to it.

    None if no text was put next to it, or if the text stands next to a part or the parent of `node` as well:
    in `a * b`, what is put behind `b` is also behind the product, and nobody knows which was meant.
    """
    hull = _hull(node)
    if not isinstance(node, ast.expr) or hull is None or not there.hold_an_end_of(around):
        return None
    relatives = [_hull(found) for found in (parent, *ast.iter_child_nodes(node)) if _can_be_wrapped(found)]
    shared = [relative for relative in relatives if relative is not None]
    if not any(
        here.is_insertion(hull[end]) and all(relative[end] != hull[end] for relative in shared)
        for end in (0, 1)
    ):
        return None
    parts = [
        part
        for part in ast.iter_child_nodes(around)
        if not isinstance(part, _WITHOUT_PLACE) and there.holding(part) < 0
    ]
    return parts[0] if len(parts) == 1 else None


def _can_be_wrapped(node: ast.AST) -> bool:
    return isinstance(node, ast.expr) and not isinstance(node, (ast.Slice, ast.Starred))


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
