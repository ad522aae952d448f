"""Which lookups of a weight loader can meet the name of a layer that another stage owns.

One walk of a module collects the lookups in dictionaries of parameters, the calls between the functions of
the module, and whether a test of the stage or of membership stands before each of them.
"""

from __future__ import annotations

import ast
import re
from typing import TypeVar

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.constants import module_constants
from pplint.engine.elements import PLACEHOLDER_ATTRIBUTES, guarded_in
from pplint.engine.filters import Filters, Names, Replies, is_bound
from pplint.engine.flow import Flow
from pplint.engine.lent import lent_functions
from pplint.engine.lookups import CAUGHT, LOADER, Loaders, gets_by_name, is_own_name, is_parameters
from pplint.engine.parts import UNKNOWN, Parts, parts_of
from pplint.engine.project import Project
from pplint.engine.vain import Vain
from pplint.engine.values import Values
from pplint.engine.weight_names import is_elsewhere, is_layer_of_name, says_elsewhere
from pplint.records import Record

_ROUNDS = 3
_CAUGHT_ATTRIBUTE = CAUGHT - {"KeyError", "LookupError"} | {"AttributeError"}


class Lookup(Record):
    """An unfiltered lookup in a function (qualified name), and a test before it that filters nothing.

    It is that of a weight (where the node is a call, by `get_submodule` and the like), or of a layer whose `attribute` is
    read.
    """

    node: ast.Subscript | ast.Call
    function: Names
    vain: Vain | None = None
    attribute: str = ""

    @property
    def key(self) -> ast.expr:
        """The name, or the number of the layer, that is looked up."""
        return self.node.slice if isinstance(self.node, ast.Subscript) else self.node.args[0]


class Call(Record):
    """A call of a function of the module (qualified name), and whether a filter stands before it."""

    caller: Names
    callee: Names
    filtered: bool
    node: ast.Call


class LoaderWalk(Filters):
    """Collects lookups and calls of one module; `unfiltered` gives the answer.

    `names` are those of all functions of the module.
    """

    def __init__(
        self, project: Project, module: str, names: frozenset[str], known: Replies = frozenset()
    ) -> None:
        super().__init__(project, module, names, known)
        self.lookups: list[Lookup] = []
        self.calls: list[Call] = []
        self.filtering: set[Names] = set()
        self.lent: dict[Names, list[tuple[str, str]]] = {}
        """The functions that loaders of other modules hand their weights to: class ids and loaders."""
        for name, class_id, loader in lent_functions(project, module):
            self.lent.setdefault((name,), []).append((class_id, loader))
        self._texts: dict[ast.expr, str] = {}

    def subscript(self, flow: Flow, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load) or not flow.functions:
            return
        if any(is_parameters(one) for one in flow.evaluate(node.value)):
            self._look_up(flow, node, node.slice, CAUGHT)

    def _look_up(
        self, flow: Flow, node: ast.Subscript | ast.Call, key: ast.expr, caught: frozenset[str]
    ) -> None:
        self._vain = None
        if flow.caught & caught or self._filtered(flow, node) or not self._may_be_layer(flow, key):
            return
        self.lookups.append(Lookup(node, flow.names, self._vain))

    def attribute(self, flow: Flow, node: ast.Attribute) -> None:
        """`self.layers[int(name.split(".")[2])].mlp`: the layer that the name of a weight speaks of."""
        element = node.value
        if (
            not isinstance(element, ast.Subscript)
            or not flow.functions
            or node.attr in PLACEHOLDER_ATTRIBUTES
        ):
            return
        if not any(map(is_layer_of_name, flow.evaluate(element.slice))):
            return
        place = self._place(flow)
        if not any(self.project.padded(place, path) for path in v.paths(flow.evaluate(element.value))):
            return
        self._vain = None
        if not self._filtered(flow, element) and not guarded_in(flow, element):
            self.lookups.append(Lookup(element, flow.names, self._vain, node.attr))

    def call(self, flow: Flow, node: ast.Call) -> None:
        if not flow.functions:
            return
        self._note_filter(flow, node)
        if gets_by_name(node) and not self._is_own_method(flow, node):
            self._look_up(flow, node, node.args[0], _CAUGHT_ATTRIBUTE)
        callee = self._callee(flow, node)
        if callee is not None:
            filtered = bool(flow.caught & CAUGHT) or self._filtered(flow, node)
            filtered = filtered or not self._may_be_layer(flow, *node.args[:1])
            self.calls.append(Call(flow.names, callee, filtered, node))

    def loop(self, flow: Flow, target: ast.expr, iterable: ast.expr, found: Values) -> None:
        if not flow.functions:
            return
        called = [value.node for value in found if value.kind == v.CALL]
        asks = any(isinstance(one, ast.Call) and self._asks(flow, one) for one in called)
        if asks or any(self._took_some(flow, value.node) for value in found):
            self.filtering.add(flow.names)

    def _note_filter(self, flow: Flow, node: ast.Call) -> None:
        """A call that is handed both the weights and the stage range filters for its whole function."""
        values = [*node.args, *(k.value for k in node.keywords)]
        if any(is_bound(flow, one) for one in values):
            self.filtering.add(flow.names)

    def _may_be_layer(self, flow: Flow, *keys: ast.expr) -> bool:
        """Whether a name here may be that of a layer's weight: not a literal, not another part of the model."""
        if keys and all(one.kind == v.STR for one in flow.evaluate(keys[0])):
            return False
        names = [part for key in keys[:1] for part in ast.walk(key) if isinstance(part, ast.Name)]
        if any(all(map(is_own_name, flow.evaluate(name))) for name in names):
            return False
        if any(says_elsewhere(atom, lambda: self._parts(flow)) for atom in flow.guards):
            return False
        if keys and is_elsewhere(ast.unparse(keys[0])):
            return False
        return not any(is_elsewhere(self._text(iterable)) for iterable in flow.loops)

    def _parts(self, flow: Flow) -> Parts:
        """What the model is built of whose loader we are in."""
        owner = self._owner(flow.names)
        return parts_of(self.project, owner) if owner else UNKNOWN

    def _text(self, node: ast.expr) -> str:
        known = self._texts.get(node)
        if known is None:
            known = self._texts[node] = ast.unparse(node)
        return known

    def _is_own_method(self, flow: Flow, node: ast.Call) -> bool:
        """Whether the class defines the method itself that is called of `self`."""
        owner = self._owner(flow.names)
        return bool(owner) and self.project.method(owner, g.last_name(node)) is not None

    # The answer ------------------------------------------------------------------------------------------

    def unfiltered(self) -> list[tuple[Lookup, list[Call]]]:
        """The lookups that some unfiltered path reaches, each with the calls of that path, the nearest first."""
        found = []
        for lookup in self.lookups:
            way = self._way(lookup.function, ())
            if way is not None:
                found.append((lookup, way))
        return found

    def _way(self, function: Names, seen: tuple[Names, ...]) -> list[Call] | None:
        """Calls that lead from a loader to a function without a filter; None when there is no such way."""
        if function in self.filtering or function in seen:
            return None
        callers = [one for one in self.calls if one.callee == function and one.caller != function]
        callers.sort(key=is_scale)  # the call that every checkpoint makes goes first
        if not callers:
            loads = self._owner(function) and re.match(LOADER, function[-1])
            return [] if loads or function in self.lent else None
        for call in callers:
            if not call.filtered:
                way = self._way(call.caller, (*seen, function))
                if way is not None:
                    return [call, *way]
        return None

    def owners(self, lookup: Lookup, way: list[Call]) -> list[tuple[str, str]]:
        """The class whose loader the lookup belongs to, and the loader; several where other modules hand weights over."""
        top = way[-1].caller if way else lookup.function
        names = [lookup.function, *(call.caller for call in way)]
        own = [(found, top[-1]) for one in names if (found := self._owner(one))]
        return own[:1] or self.lent.get(top, [])


Walk = TypeVar("Walk", bound=LoaderWalk)


def walked(kind: type[Walk], project: Project, module: str, tree: ast.Module, loaders: Loaders) -> Walk:
    """The walk through a module: again, where a condition asks a function whose answer was learnt on the way."""
    known: Replies = frozenset()
    for _ in range(_ROUNDS):
        walk = kind(project, module, loaders.names, known)
        Flow(module_constants(tree), walk, loaders).module(tree)
        if walk.replies <= known or walk.asked.isdisjoint(reply.function for reply in walk.replies - known):
            break
        known = walk.replies
    return walk


def is_scale(call: Call) -> bool:
    """Whether a call is about quantisation scales, which few checkpoints have."""
    return bool(call.node.args) and "scale" in ast.unparse(call.node.args[0])
