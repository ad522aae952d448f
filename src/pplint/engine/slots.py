"""Which slots of a padded layer list an expression may take: all, literal ones, from 0 to the stage's end."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from pplint.engine import spaces
from pplint.engine import values as v
from pplint.engine.elements import chosen, position_said
from pplint.engine.guards import FIRST, LAST
from pplint.engine.levels import names_config
from pplint.engine.project import Padded
from pplint.engine.spaces import END, EVERY, LITERAL, MODEL_COUNT, START, space_of
from pplint.engine.values import Value, Values
from pplint.records import Record

if TYPE_CHECKING:
    from pplint.engine.context import Context

ZERO = "zero"  # a lower bound of 0, written or left out
_CONFIG_IDS = re.compile(r"(layer_ids|layer_idx|layer_indices|_layers)$")
_CONFIG_KINDS = re.compile(r"(layer_types|layers_block_type|layers_type)$")
ALL = "all"  # an upper bound at the end of the model, written or left out


class Slots(Record):
    """Slots of the padded list `padded`, which is written as one of the alternatives `lists`.

    `low` and `high` are the kinds of the bounds (`ZERO`, `ALL`, START, END or LITERAL). `number` is
    the literal where there is one, `source` what runs over the slots (a range, a slice, an enumerate or the
    list), and `loop` is the iterable of the loop that takes them one by one.
    """

    padded: Padded
    lists: Values
    low: str
    high: str
    number: Value | None
    source: Value
    loop: ast.AST | None = None


def slots_of(context: Context, found: Values) -> Slots | None:
    """The slots that one alternative may be an element of, where they are known not to be the stage's own."""
    for value in found:
        slots = _slots(context, value)
        if slots is not None and not owned(context, slots) and not chosen(context, value):
            return slots
    return None


def owned(context: Context, slots: Slots) -> bool:
    """Whether the bounds, the stage or a test of the loop's counter keep to the layers of this stage."""
    number = slots.number
    stage = context.stage(slots.source, *slots.lists, *((number,) if number is not None else ()))
    if slots.low == slots.high == LITERAL and number is not None:
        return (LAST if number.data < 0 else FIRST) in stage
    if slots.high == LITERAL and FIRST in stage:
        return True
    if slots.low == LITERAL and slots.high == ALL and LAST in stage:
        return True
    above, below = position_said(context)
    low = above or slots.low == START or FIRST in stage
    return low and (below or slots.high == END or LAST in stage)


def _slots(context: Context, value: Value) -> Slots | None:
    if value.kind == v.ELEMENT:
        slots = _iterated(context, value.data[0])
        return slots._replace(loop=value.node) if slots is not None else None
    if value.kind == v.CALL:
        return _first_of(context, value)
    if value.kind != v.SUB:
        return None
    lists, picked = value.data
    padded = context.padded(lists)
    if padded is None:
        return None
    for index in picked:
        slots = _picked(context, padded, lists, index)
        if slots is not None:
            return slots._replace(loop=None if index.kind == v.INT else index.node)
    return None


def _first_of(context: Context, value: Value) -> Slots | None:
    """`next(iter(layers))` takes the first slot."""
    arguments = getattr(value.node, "args", ())
    if not any(path == ("next",) for path in v.paths(value.data)) or not arguments:
        return None
    lists = context.flow.evaluate(arguments[0])
    padded = context.padded(lists)
    number = Value(v.INT, 0, arguments[0], value.guards)
    return Slots(padded, lists, LITERAL, LITERAL, number, value) if padded is not None else None


def _iterated(context: Context, source: Value) -> Slots | None:
    """A loop over the list itself or over a slice of it."""
    if source.kind == v.PATH:
        padded = context.padded((source,))
        return Slots(padded, (source,), ZERO, ALL, None, source) if padded is not None else None
    return slice_of(context, source) if source.kind == v.SLICE else None


def slice_of(context: Context, value: Value) -> Slots | None:
    """The slots of a slice of a padded list, or None when a bound is not known."""
    lists, lower, upper = value.data
    padded = context.padded(lists)
    return _bounded(context, padded, lists, lower, upper, value) if padded is not None else None


def _picked(context: Context, padded: Padded, lists: Values, index: Value) -> Slots | None:
    if index.kind == v.INT:
        return Slots(padded, lists, LITERAL, LITERAL, index, index)
    if index.kind == v.ARITH and is_last(context, index):
        return Slots(padded, lists, LITERAL, LITERAL, Value(v.INT, -1, index.node, index.guards), index)
    if chosen(context, index):
        return None
    if index.kind == v.ELEMENT and index.data[0].kind == v.RANGE:
        source = index.data[0]
        return _bounded(context, padded, lists, source.data[0], source.data[1], source)
    space = space_of(context, index)
    every = (space is not None and space.kind == EVERY) or _from_config(index)
    return Slots(padded, lists, ZERO, ALL, None, index) if every else None


def _from_config(index: Value) -> bool:
    """Whether the index runs over a list of the model's configuration, which knows nothing of stages."""
    if index.kind not in (v.ELEMENT, v.INDEX):
        return False
    source = index.data[0]
    found = source if isinstance(source, tuple) else (source,)
    names = _CONFIG_IDS if index.kind == v.ELEMENT else _CONFIG_KINDS
    return any("config" in ".".join(path[:-1]) and names.search(path[-1]) for path in v.paths(found))


def is_last(context: Context, index: Value) -> bool:
    """Whether a number is reckoned as `len(layers) - 1` or `num_hidden_layers - 1`."""
    operator, left, right = index.data
    one = spaces.common_space(context, left)
    return (
        operator == "Sub"
        and one is not None
        and one.kind == MODEL_COUNT
        and [number.data for number in right if number.kind == v.INT] == [1]
    )


def _bounded(
    context: Context, padded: Padded, lists: Values, lower: Values | None, upper: Values | None, source: Value
) -> Slots | None:
    low, number = bound_kind(context, lower, ZERO)
    high, other = bound_kind(context, upper, ALL)
    if not low or not high:
        return None
    return Slots(padded, lists, low, high, number or other, source)


def bound_kind(context: Context, found: Values | None, absent: str) -> tuple[str, Value | None]:
    """The kind of a bound ("" when it is not known) and its literal, if any."""
    if found is None or all(value.kind == v.NONE for value in found):
        return absent, None
    literal = next((one for one in found if one.kind == v.INT and FIRST not in context.stage(one)), None)
    mixed = any(one.kind != v.INT for one in found)
    if literal is not None and not (mixed and absent == ALL):
        zero = absent == ZERO and literal.data == 0
        return (ZERO if zero else LITERAL), literal
    rest = tuple(one for one in found if one.kind != v.INT)
    space = spaces.common_space(context, rest)
    if space is None:
        return ALL if absent == ALL and _counts_model(context, rest) else "", None
    return {MODEL_COUNT: ALL, START: START, END: END}.get(space.kind, ""), None


def _counts_model(context: Context, found: Values) -> bool:
    """Whether all alternatives are numbers of the configuration, and one is that of the model's layers."""
    chains = v.paths(found)
    known = [space for one in found if (space := space_of(context, one)) is not None]
    return (
        len(chains) == len(found)
        and all(names_config(path[:-1]) for path in chains)
        and {space.kind for space in known} == {MODEL_COUNT}
    )


def is_whole(slots: Slots) -> bool:
    """Whether the slots are those of all layers, or run on to the end of the list."""
    return slots.high == ALL and slots.low in (ZERO, START)


def is_from_zero(slots: Slots) -> bool:
    """Whether the slots run from 0 to the end of the stage."""
    return slots.high == END and slots.low in (ZERO, LITERAL)


def is_literal(slots: Slots) -> bool:
    """Whether literal positions were chosen."""
    return LITERAL in (slots.low, slots.high) and not is_from_zero(slots)
