"""In which index space an integer lives: the lattice that conflicts are found in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, LOCAL
from pplint.engine.own_calls import evidence_of_calls
from pplint.engine.pools import returns_dense
from pplint.engine.values import Value, Values
from pplint.engine.vocabulary import LAYER_ID_NAMES, MODEL_COUNT_NAMES, STAGE_COUNT_NAMES, is_end, is_start
from pplint.records import Record

if TYPE_CHECKING:
    from pplint.engine.context import Context

LITERAL = "literal"  # a number that somebody wrote
OWNED = "owned"  # a GLOBAL id of this stage
EVERY = "every"  # any GLOBAL id of the model, owned or not
START = "start"  # the first GLOBAL id of this stage
END = "end"  # one past the last GLOBAL id of this stage
STAGE = "stage"  # a LOCAL index
DENSE = "dense"  # an index among the layers of one kind on this stage
STAGE_COUNT = "stage count"
MODEL_COUNT = "model count"

_LESS = {
    END: OWNED,
    OWNED: OWNED,
    EVERY: EVERY,
    MODEL_COUNT: EVERY,
    STAGE_COUNT: STAGE,
    STAGE: STAGE,
    DENSE: DENSE,
}
"""What a space becomes when a number is subtracted."""
_MOVED = {START: OWNED, OWNED: OWNED, EVERY: EVERY, STAGE: STAGE, DENSE: DENSE}
"""What a space becomes when a number is added."""
_DEPTH = 6


class Space(Record):
    """A space and the sentence that says why."""

    kind: str
    why: str


def space_of(context: Context, value: Value, depth: int = 0) -> Space | None:
    """The space of one alternative at the place where `context` is, or None when it is not known."""
    handler = _HANDLERS.get(value.kind)
    return handler(context, value, depth + 1) if handler is not None and depth < _DEPTH else None


def common_space(context: Context, found: Values, depth: int = 0) -> Space | None:
    """The space that all alternatives share, or None."""
    return _shared([space_of(context, value, depth) for value in found])


def _shared(spaces: list[Space | None]) -> Space | None:
    kinds = {space.kind if space is not None else "" for space in spaces}
    return spaces[0] if len(kinds) == 1 else None


def _literal(context: Context, value: Value, depth: int) -> Space:
    return Space(LITERAL, f"{value.data} is a literal")


def _named(context: Context, value: Value, depth: int) -> Space | None:
    path: tuple[str, ...] = value.data if value.kind == v.PATH else (value.data,)
    name, text = path[-1], ".".join(path)
    if is_start(name):
        return Space(START, f"`{text}` is the first layer id of a stage")
    if is_end(name):
        return Space(END, f"`{text}` is one past the last layer id of a stage")
    if value.kind == v.PARAM:
        return _parameter(context, value.data)
    if name in STAGE_COUNT_NAMES and len(path) > 1:
        return Space(STAGE_COUNT, f"`{text}` counts the layers of this stage")
    if name in MODEL_COUNT_NAMES:
        return Space(MODEL_COUNT, f"`{text}` counts the layers of the whole model")
    if name in LAYER_ID_NAMES and len(path) > 1:
        return Space(OWNED, f"`{text}` is a GLOBAL layer id")
    return None


def _parameter(context: Context, name: str) -> Space | None:
    function = context.function_id
    kinds = {GLOBAL: (OWNED, "layer id"), LOCAL: (STAGE, "index")}
    found = [(space, context.accessors.known(space, function).get(name)) for space in kinds]
    if not any(evidence for _, evidence in found):
        found = [(space, evidence_of_calls(context, space, name)) for space in kinds]
    for space, evidence in found:
        if evidence is not None:
            kind, word = kinds[space]
            return Space(kind, f"{evidence.text}: `{name}` is a {space} {word}")
    return None


def _arithmetic(context: Context, value: Value, depth: int) -> Space | None:
    operator, left, right = value.data
    one, other = common_space(context, left, depth), common_space(context, right, depth)
    if operator == "Sub" and other is not None and other.kind == START:
        ended = one is not None and one.kind == END
        return Space(STAGE_COUNT if ended else STAGE, "`start_layer` was subtracted")
    if one is None or other is None:
        return None
    if operator == "Add":
        return _sum(one, other)
    if operator == "Sub" and other.kind == LITERAL:
        return Space(_LESS[one.kind], one.why) if one.kind in _LESS else None
    return None


def _sum(one: Space, other: Space) -> Space | None:
    kinds = {one.kind, other.kind}
    if kinds == {STAGE, START}:
        return Space(OWNED, "`start_layer` was added to a LOCAL index")
    if kinds == {STAGE_COUNT, START}:
        return Space(END, "`start_layer` plus the number of layers of this stage")
    if LITERAL in kinds and len(kinds) == 2:
        kept = other if one.kind == LITERAL else one
        return Space(_MOVED[kept.kind], kept.why) if kept.kind in _MOVED else None
    return None


def _element(context: Context, value: Value, depth: int) -> Space | None:
    container: Value = value.data[0]
    if container.kind == v.RANGE:
        return _range_element(context, container, depth)
    if container.kind == v.ITEMS and _is_mapping(context, container.data[0]):
        return None if container.data[1] == "items" else _mapping_part(container.data[1] == "values")
    if container.kind == v.PATH and _is_mapping(context, (container,)):
        return _mapping_part(False)
    return None


def _member(context: Context, value: Value, depth: int) -> Space | None:
    _, attribute = value.data
    if attribute in LAYER_ID_NAMES:
        return Space(OWNED, f"`{attribute}` of a layer is a GLOBAL layer id")
    return None


def _called(context: Context, value: Value, depth: int) -> Space | None:
    """A method that translates an id: by a dictionary, or by subtracting `start_layer`."""
    return _shared(
        [
            _returned(context, owner, path[-1])
            for path in v.paths(value.data)
            if len(path) > 1
            for owner in context.project.types_of(context.place, path[:-1])
        ]
    )


def _returned(context: Context, owner: str, method: str) -> Space | None:
    found = context.project.method(owner, method)
    if found is None or not found[1]["returns"]:
        return None
    if returns_dense(context.project, owner, method):
        return Space(DENSE, f"`{method}` looks the id up in a dictionary of GLOBAL ids")
    if all(_subtracts_start(value) for value in found[1]["returns"]):
        return Space(STAGE, f"`{method}` subtracts `start_layer`")
    return None


def _subtracts_start(value: list[Any]) -> bool:
    return value[:2] == ["arith", "Sub"] and value[3][0] == "path" and is_start(value[3][1][-1])


def _range_element(context: Context, container: Value, depth: int) -> Space | None:
    low = common_space(context, container.data[0], depth)
    high = common_space(context, container.data[1], depth)
    if low is not None and low.kind == START:
        return Space(OWNED, "the loop runs from `start_layer`")
    if low is not None and low.kind == STAGE:
        return Space(STAGE, low.why)
    if low is None or low.kind != LITERAL or high is None:
        return None
    if high.kind in (MODEL_COUNT, END):
        return Space(EVERY, f"the loop runs from {container.data[0][0].data}; {high.why}")
    if high.kind == STAGE_COUNT:
        return Space(STAGE, high.why)
    return None


def _count(context: Context, value: Value, depth: int) -> Space | None:
    for one in value.data:
        if one.kind == v.PATH and context.padded((one,)) is not None:
            return Space(MODEL_COUNT, f"`{'.'.join(one.data)}` has a slot for every layer of the model")
        if one.kind == v.PATH and context.is_stage_list(one.data):
            return Space(STAGE_COUNT, f"`{'.'.join(one.data)}` has an entry per layer of this stage")
        if _is_stage_slice(context, one, depth):
            return Space(STAGE_COUNT, "the slice has an entry per layer of this stage")
    return None


def _is_stage_slice(context: Context, value: Value, depth: int) -> bool:
    if value.kind != v.SLICE or context.padded(value.data[0]) is None or not value.data[1]:
        return False
    low = common_space(context, value.data[1], depth)
    return low is not None and low.kind == START


def _index(context: Context, value: Value, depth: int) -> Space | None:
    iterable, start = value.data
    first = common_space(context, start, depth) if start else Space(LITERAL, "")
    if first is None:
        return None
    if first.kind == START:
        return Space(OWNED, "enumerate counts from `start_layer`")
    for one in iterable:
        if one.kind == v.PATH and context.padded((one,)) is not None:
            return Space(EVERY, f"enumerate counts the slots of the padded list `{'.'.join(one.data)}`")
        if one.kind == v.PATH and context.is_stage_list(one.data):
            return Space(STAGE, f"enumerate counts the entries of the stage's own `{'.'.join(one.data)}`")
        if _is_stage_slice(context, one, depth):
            return Space(STAGE, "enumerate counts from 0 inside a slice that begins at `start_layer`")
        if one.kind == v.RANGE:
            low = common_space(context, one.data[0], depth)
            if low is not None and low.kind == START:
                return Space(STAGE, "enumerate counts from 0 inside a range that begins at `start_layer`")
    return None


def _lookup(context: Context, value: Value, depth: int) -> Space | None:
    container, _ = value.data
    return _mapping_part(True) if _is_mapping(context, container) else None


def _item(context: Context, value: Value, depth: int) -> Space | None:
    (inner,), position = value.data
    if inner.kind == v.SUB:
        return _lookup(context, inner, depth) if position == 0 else None
    if inner.kind == v.ELEMENT and inner.data[0].kind == v.ITEMS:
        container, part = inner.data[0].data
        return _mapping_part(position == 1) if part == "items" and _is_mapping(context, container) else None
    if inner.kind == v.CALL and any(p[-1] == "get_pp_indices" for p in v.paths(inner.data)):
        return Space(START if position == 0 else END, "`get_pp_indices` returns the stage range")
    return None


def _is_mapping(context: Context, container: Values) -> bool:
    return any(one.kind == v.PATH and context.is_mapping(one.data) for one in container)


def _mapping_part(value: bool) -> Space:
    if value:
        return Space(DENSE, "a dictionary that is keyed by GLOBAL ids gave a DENSE id")
    return Space(OWNED, "it is a key of a dictionary of GLOBAL layer ids")


_HANDLERS = {
    v.INT: _literal,
    v.PATH: _named,
    v.PARAM: _named,
    v.ARITH: _arithmetic,
    v.MEMBER: _member,
    v.CALL: _called,
    v.ELEMENT: _element,
    v.COUNT: _count,
    v.INDEX: _index,
    v.SUB: _lookup,
    v.ITEM: _item,
}
