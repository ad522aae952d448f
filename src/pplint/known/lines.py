"""Where a summary says on which line something stands: two summaries may differ in nothing else."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pplint.records import Record

Slot = tuple[Any, Any]
"""A dictionary or list, and the key or index at which it keeps a line."""

_LAST_IS_LINE = ("uses", "passes", "elements", "asks", "kinds", "marks", "made", "fills", "lends")
_CALL_LINE = 4


def line_slots(summary: dict[str, Any]) -> Iterator[Slot]:
    """Yield the places of all lines in a summary, in an order that hangs on nothing but what it says."""
    for item in items_of(summary):
        yield from item.slots


class Item(Record):
    """A part of a summary that stands by itself: its kind, its name (a number for constructor calls), what it says."""

    kind: str
    name: str
    said: Any
    slots: list[Slot]


def items_of(summary: dict[str, Any]) -> Iterator[Item]:
    """Yield the functions, the classes and the constructor calls of a summary."""
    for name, facts in summary["functions"].items():
        yield Item("functions", name, facts, list(_function(facts)))
    for name, one in summary["classes"].items():
        yield Item("classes", name, one, list(_class(one)))
    for number, build in enumerate(summary["builds"]):
        yield Item("builds", str(number), build, list(_build(build)))


def _class(one: dict[str, Any]) -> Iterator[Slot]:
    yield one, "line"
    for shifted in one["shifted"].values():
        yield shifted, 0
    for entries in one["attrs"].values():
        for entry in entries:
            yield entry, "line"
            yield from _value(entry["v"])
    for facts in one["methods"].values():
        yield from _function(facts)


def _build(build: dict[str, Any]) -> Iterator[Slot]:
    yield build, "line"
    for values in (*build["args"], *build["kwargs"].values()):
        for value in values:
            yield from _value(value)


def _function(facts: dict[str, Any]) -> Iterator[Slot]:
    yield facts, "line"
    for kind in _LAST_IS_LINE:
        for row in facts[kind]:
            yield row, -1
    for asked in facts["asks"]:
        yield from _value(asked[2])
    for value in facts["returns"]:
        yield from _value(value)


def _value(value: list[Any]) -> Iterator[Slot]:
    """The lines in a description, see `summary.describe` and `attributes`."""
    kind = value[0]
    if kind == "call":
        yield value, _CALL_LINE
    elif kind in ("item", "unpacked"):
        yield from _value(value[1])
    elif kind == "list":
        for part in value[1]:
            yield from _value(part)
    elif kind in ("count", "arith"):
        for part in value[1:]:
            if isinstance(part, list):
                yield from _value(part)


def lines_in(summary: dict[str, Any]) -> list[int]:
    """The lines of a summary in the order of `line_slots`."""
    return [owner[key] for owner, key in line_slots(summary)]


def with_lines(summary: dict[str, Any], lines: list[int]) -> dict[str, Any]:
    """The same summary with other lines. Raises ValueError when they are not as many."""
    moved = copy.deepcopy(summary)
    for (owner, key), line in zip(line_slots(moved), lines, strict=True):
        owner[key] = line
    return moved


@contextmanager
def lines_aside(summary: dict[str, Any]) -> Iterator[list[int]]:
    """Take the lines out of a summary for a while; they are given in the order of `line_slots`."""
    slots = list(line_slots(summary))
    lines = [owner[key] for owner, key in slots]
    for owner, key in slots:
        owner[key] = 0
    try:
        yield lines
    finally:
        for (owner, key), line in zip(slots, lines, strict=True):
            owner[key] = line


def without_lines_of(build: dict[str, Any]) -> dict[str, Any]:
    """What a constructor call says apart from lines."""
    bare = copy.deepcopy(build)
    for owner, key in _build(bare):
        owner[key] = 0
    return bare


def moved_lines(before: dict[str, Any], after: dict[str, Any]) -> dict[int, int]:
    """Where each line went of what both summaries say. A line that went to two places is left out."""
    old, new = list(items_of(before)), list(items_of(after))
    lines = [[[owner[key] for owner, key in item.slots] for item in items] for items in (old, new)]
    went: dict[int, int] = {}
    torn: set[int] = set()
    with lines_aside(before), lines_aside(after):
        places = _places(new)
        for item, own in zip(old, lines[0], strict=True):
            for other in places.get(_identity(item), [])[:1]:
                places[_identity(item)].remove(other)
                for line, to in zip(own, lines[1][other], strict=True):
                    if went.setdefault(line, to) != to:
                        torn.add(line)
    return {line: to for line, to in went.items() if line not in torn}


def _places(items: list[Item]) -> dict[tuple[str, str, str], list[int]]:
    found: dict[tuple[str, str, str], list[int]] = {}
    for number, item in enumerate(items):
        found.setdefault(_identity(item), []).append(number)
    return found


def _identity(item: Item) -> tuple[str, str, str]:
    """What an item says; constructor calls have no name."""
    return item.kind, item.name if item.kind != "builds" else "", json.dumps(item.said, sort_keys=True)
