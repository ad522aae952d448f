"""Whether a read of a padded list's element is guarded by a test of that element or of its position."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pplint.engine import values as v
from pplint.engine.flow import Flow
from pplint.engine.values import Atom, Value, Values
from pplint.engine.vocabulary import PLACEHOLDERS, is_end, is_start

if TYPE_CHECKING:
    from pplint.engine.context import Context

_OWNS = r"(own|local|on_stage|in_stage|on_this|is_real|in_range)"
_LACKS = r"(missing|placeholder)"
_CATCHES = frozenset({"AttributeError", "Exception", "BaseException", ""})
_COUNTERS = frozenset({v.INDEX, v.ELEMENT, v.ITEM, v.MEMBER, v.SUB})

PLACEHOLDER_ATTRIBUTES = frozenset({
    "forward", "training", "parameters", "named_parameters", "buffers", "named_buffers", "modules",
    "named_modules", "children", "named_children", "state_dict", "load_state_dict", "eval", "train", "to", "to_empty",
    "cuda", "cpu", "xpu", "ipu", "mtia", "half", "float", "double", "bfloat16", "type", "apply", "requires_grad_",
    "zero_grad", "register_buffer", "register_parameter", "register_module", "add_module", "extra_repr",
    "share_memory", "compile", "call_super_init", "dump_patches", "return_tuple", "get_extra_state", "set_extra_state",
    "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
    "register_full_backward_pre_hook", "register_backward_hook", "register_state_dict_pre_hook",
    "register_state_dict_post_hook", "register_load_state_dict_pre_hook", "register_load_state_dict_post_hook",
    "_register_state_dict_hook", "_register_load_state_dict_pre_hook",
    "_modules", "_parameters", "_buffers", "_non_persistent_buffers_set", "_forward_hooks",
    "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs", "_backward_hooks", "_backward_pre_hooks", "_is_full_backward_hook",
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
    "_apply", "_get_name", "_call_impl", "_wrapped_call_impl", "_compiled_call_impl", "_named_members", "_version",
    "_save_to_state_dict", "_load_from_state_dict", "_replicate_for_data_parallel",
})  # fmt: skip
"""What a placeholder has too, since it is a module that hands its input on: what torch's `nn.Module` has."""


def guarded(context: Context, *subjects: ast.expr) -> bool:
    """Whether a dominating test says that the element (in any of its spellings) is a real layer."""
    return _guarded(context.flow, subjects, context.conditions())


def guarded_in(flow: Flow, *subjects: ast.expr) -> bool:
    """The same for a walk without facts: also a handler that catches the AttributeError counts."""
    return _guarded(flow, subjects, flow.guards)


def tested(context: Context, *subjects: ast.expr) -> bool:
    """Whether a dominating test says so, whatever is caught."""
    return _says_of(context.flow, subjects, context.conditions())


def _guarded(flow: Flow, subjects: Iterable[ast.expr], known: Iterable[Atom]) -> bool:
    return bool(flow.caught & _CATCHES) or _says_of(flow, subjects, known)


def _says_of(flow: Flow, subjects: Iterable[ast.expr], known: Iterable[Atom]) -> bool:
    wanted = {ast.dump(subject) for subject in subjects}
    return any(
        _says_real(flow, atom) and any(ast.dump(asked) in wanted for asked in _asked(flow, atom.test))
        for atom in known
    )


def filtered(flow: Flow, value: Value) -> bool:
    """Whether a comprehension took the value only where a test of its element held."""
    return _say_real(flow, value.guards)


def chosen(context: Context, value: Value) -> bool:
    """The same, also where a function is asked for its answer."""
    return bool(value.guards) and _say_real(context.flow, context.written_out(value.guards))


def _say_real(flow: Flow, known: Iterable[Atom]) -> bool:
    return any(_says_real(flow, atom) or _names_range(atom.test) for atom in known)


def _names_range(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and any(is_start(name) or is_end(name) for name in v.names_in(test))


def position_said(context: Context) -> tuple[bool, bool]:
    """Whether dominating tests keep a loop's counter at or above the first layer, and within the last."""
    low = high = False
    flow = context.flow
    for test, holds in context.conditions():
        if isinstance(test, ast.Call) and _tells_ownership(flow, test, holds):
            return True, True
        if isinstance(test, ast.Compare) and (holds or len(test.ops) == 1):
            sides = [test.left, *test.comparators]
            for left, operator, right in zip(sides, test.ops, sides[1:], strict=False):
                said = _pair_said(flow, left, operator, right, holds)
                low, high = low or said[0], high or said[1]
    return low, high


def _tells_ownership(flow: Flow, test: ast.Call, holds: bool) -> bool:
    callee = test.func
    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
    if not (re.search(_OWNS, name) if holds else re.search(_LACKS, name)):
        return False
    return any(one.kind in _COUNTERS for argument in test.args for one in flow.evaluate(argument))


def _pair_said(
    flow: Flow, left: ast.expr, operator: ast.cmpop, right: ast.expr, holds: bool
) -> tuple[bool, bool]:
    one, other = flow.evaluate(left), flow.evaluate(right)
    if isinstance(operator, (ast.In, ast.NotIn)):
        inside = isinstance(operator, ast.In) is holds and any(o.kind in _COUNTERS for o in one)
        return (inside and _is_owned(other),) * 2
    above = isinstance(operator, (ast.Gt, ast.GtE)) is holds
    if not isinstance(operator, (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return False, False
    if any(o.kind in _COUNTERS for o in one):
        return above and _called(other, is_start), not above and _called(other, is_end)
    if any(o.kind in _COUNTERS for o in other):
        return not above and _called(one, is_start), above and _called(one, is_end)
    return False, False


def _is_owned(found: Values) -> bool:
    for value in found:
        if value.kind == v.RANGE and _called(value.data[0], is_start) and _called(value.data[1], is_end):
            return True
        if value.kind == v.PATH and re.search(_OWNS, value.data[-1]):
            return True
    return False


def _called(found: Values, test: Callable[[str], bool]) -> bool:
    names = (one.data[1] if one.kind == v.MEMBER else v.last_name_of(one) for one in found)
    return any(map(test, names))


def _asked(flow: Flow, test: ast.expr) -> list[ast.expr]:
    """The expressions that a test asks about."""
    if isinstance(test, ast.NamedExpr):
        return _asked(flow, test.value)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.args:
        return [test.args[0]] if test.func.id in ("isinstance", "hasattr", "getattr", "type") else []
    if isinstance(test, ast.Compare):
        sides = (test.left, *test.comparators)
        return [inner for part in sides for inner in _asked(flow, part) if inner is not part]
    if isinstance(test, ast.Attribute) and test.attr in ("__class__", "__name__"):
        return [test.value, *_asked(flow, test.value)]
    if isinstance(test, ast.Name):
        bound = flow.env.get(test.id, ())
        if len(bound) == 1 and isinstance(bound[0].node, ast.Call):
            return [test, *_asked(flow, bound[0].node)]
    return [test]


def _says_real(flow: Flow, atom: Atom) -> bool:
    test, holds = atom
    if isinstance(test, ast.NamedExpr):
        return _says_real(flow, Atom(test.value, holds))
    if isinstance(test, ast.Compare):
        return _comparison(test, holds)
    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name):
        return False
    if test.func.id in ("hasattr", "getattr"):
        return holds
    if test.func.id == "isinstance" and len(test.args) == 2:
        named = _written(flow, test.args[1])
        classes = named.elts if isinstance(named, ast.Tuple) else _union(named)
        names = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in classes}
        # A placeholder test must fail; a test for a real layer class must hold.
        return not holds if names & PLACEHOLDERS else holds
    return False


def _written(flow: Flow, classes: ast.expr) -> ast.expr:
    """Classes that a name stands for: one of the function, of the module, or of the class we are in."""
    if isinstance(classes, ast.Name):
        found = flow.evaluate(classes)
        meant = found[0].node if len(found) == 1 else None
        return meant if isinstance(meant, (ast.Tuple, ast.BinOp)) else classes
    path = v.dotted(classes)
    if (
        path is None
        or len(path) != 2
        or not flow.classes
        or path[0] not in ("self", "cls", flow.classes[-1].name)
    ):
        return classes
    for one in flow.classes[-1].body:
        target = one.targets[0] if isinstance(one, ast.Assign) else getattr(one, "target", None)
        if (
            isinstance(one, (ast.Assign, ast.AnnAssign))
            and isinstance(target, ast.Name)
            and target.id == path[1]
        ):
            return one.value or classes
    return classes


def _comparison(test: ast.Compare, holds: bool) -> bool:
    operator = test.ops[0]
    if any(_is_none(side) for side in (test.left, *test.comparators)):
        return isinstance(operator, (ast.IsNot, ast.NotEq)) is holds
    words = ast.dump(test)
    if any(name in words for name in PLACEHOLDERS):
        return isinstance(operator, (ast.IsNot, ast.NotEq, ast.NotIn)) is holds
    return isinstance(operator, (ast.Is, ast.Eq, ast.In)) is holds and (
        "'type'" in words or "'__class__'" in words
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _union(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_union(node.left), *_union(node.right)]
    return [node]
