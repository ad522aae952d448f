"""Which conditions in a loader decide by the stage, or by what the stage has."""

from __future__ import annotations

import ast
import re

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.flow import Flow, Listener
from pplint.engine.leaving import not_left
from pplint.engine.lookups import LOADER, is_parameters
from pplint.engine.names import Place
from pplint.engine.predicates import stage_asking, tells_stage
from pplint.engine.project import Project
from pplint.engine.stage_sets import is_of_stage
from pplint.engine.vain import Vain, asked_in_vain
from pplint.engine.values import Atom, Value
from pplint.engine.vocabulary import MISSING_LAYER, is_end, is_start
from pplint.engine.weight_names import says_layer, says_no_layer
from pplint.records import Record
from pplint.source.blocks import FunctionNode

_MEMBERS = r"param|buffer|state_dict|\.keys\(|local_names|own"
_FILTER = r"pp_|_pp|stage|missing|local|owned|skip|filter|belong"

Names = tuple[str, ...]


class Reply(Record):
    """What a function (qualified name) of the module answers: it `holds` only for what the stage has, or has not."""

    function: Names
    holds: bool


Replies = frozenset[Reply]


class Filters(Listener):
    """Judges the conditions of one module; `names` are those of all its functions, `known` the answers known before."""

    def __init__(
        self, project: Project, module: str, names: frozenset[str], known: Replies = frozenset()
    ) -> None:
        self.project = project
        self.names = names
        self.module = module
        self.functions: set[Names] = set()
        self.asked: set[Names] = set()
        """The functions of the module whose answers conditions hang on."""
        self._known = known
        self._replies: dict[Reply, bool] = {}
        self._filtering: dict[Atom, tuple[bool, Vain | None]] = {}
        self._vain: Vain | None = None

    def enter(self, flow: Flow, node: FunctionNode) -> None:
        self.functions.add(flow.names)

    def returned(self, flow: Flow, node: ast.Return, found: tuple[Value, ...]) -> None:
        """Take down whether what a function answers is decided by what the stage has."""
        if node.value is None or not flow.functions or re.match(LOADER, flow.names[-1]):
            return
        for holds in (True, False):
            said = self._replied(flow, node.value, holds)
            if said is not None:
                reply = Reply(flow.names, holds)
                self._replies[reply] = said and self._replies.get(reply, True)

    def _replied(self, flow: Flow, answer: ast.expr, holds: bool) -> bool | None:
        """Whether a result that is `holds` is decided so; None where it is not that."""
        if isinstance(answer, ast.Constant):
            if bool(answer.value) is not holds:
                return None
            said = any(map(says_no_layer, flow.guards))
        else:
            said = any(self._filters(flow, one) for one in g.atoms(answer, holds))
        # Whether something handed in is a placeholder tells nothing about names.
        before = (
            one for one in (*flow.guards, *not_left(flow, answer)) if not _asks_kind_of_parameter(flow, one)
        )
        return said or any(self._filters(flow, one) for one in before)

    @property
    def replies(self) -> Replies:
        """The answers that are decided by what the stage has, as far as is known."""
        return frozenset(reply for reply, said in self._replies.items() if said)

    # Conditions ----------------------------------------------------------------------------------------

    def _filtered(self, flow: Flow, node: ast.expr) -> bool:
        """Whether a condition that holds at a place decides by the stage or by membership."""
        if g.stage_facts(flow.guards):
            return True
        return any(self._filters(flow, atom) for atom in (*flow.guards, *not_left(flow, node)))

    def _filters(self, flow: Flow, atom: Atom) -> bool:
        # One condition stands before many lookups and calls.
        known = self._filtering.get(atom)
        if known is None:
            before, self._vain = self._vain, None
            known = self._filtering[atom] = self._decides(flow, atom), self._vain
            self._vain = before
        self._vain = known[1] or self._vain
        return known[0]

    def _decides(self, flow: Flow, atom: Atom) -> bool:
        test, holds = atom
        parts = list(ast.walk(test))
        vain = asked_in_vain(self.project, self._place(flow), test, parts)
        if vain is not None:
            self._vain = vain
            return False
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
            if isinstance(test.ops[0], ast.In) is holds and self._is_collection(flow, test):
                return True
        for part in parts:
            name = part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
            if isinstance(part, (ast.Attribute, ast.Name)) and (is_start(name) or is_end(name)):
                return True
            if isinstance(part, ast.Name) and (name == MISSING_LAYER or is_bound(flow, part)):
                return True
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and not holds:
            rest = [part for part in test.values if not says_layer(part)]
            if len(rest) < 2 and rest != test.values:
                return all(any(self._filters(flow, one) for one in g.atoms(part, False)) for part in rest)
        if isinstance(test, ast.BoolOp):
            rest = [part for part in test.values if not says_no_layer(Atom(part, True))]
            some = isinstance(test.op, ast.Or) and holds and len(rest) < 2 and rest != test.values
            return some and all(any(self._filters(flow, one) for one in g.atoms(part, True)) for part in rest)
        return self._compares_with_own(flow, test) or (
            isinstance(test, ast.Call) and self._told(flow, test, holds)
        )

    def _compares_with_own(self, flow: Flow, test: ast.expr) -> bool:
        """Whether a name, or its layer, is compared with those that the stage has, or has not."""
        collections: list[ast.expr] = []
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
            collections = test.comparators
        elif isinstance(test, ast.Call) and g.last_name(test) == "startswith":
            collections = test.args
        elif isinstance(test, ast.Call) and g.last_name(test) in ("any", "all") and test.args:
            if isinstance(test.args[0], (ast.ListComp, ast.GeneratorExp)):
                collections = [generator.iter for generator in test.args[0].generators]
        return any(self._is_of_stage(flow, one) for part in collections for one in flow.evaluate(part))

    def _is_of_stage(self, flow: Flow, value: Value) -> bool:
        """Whether a collection follows from the stage: its range, what holds for its layers, what a function told."""
        if value.kind == v.CALL:
            return isinstance(value.node, ast.Call) and self._asks(flow, value.node)
        if value.kind == v.PATH:
            return tells_stage(self.project, self._place(flow), value.data)
        return is_of_stage(flow, value)

    def _told(self, flow: Flow, call: ast.Call, holds: bool) -> bool:
        """Whether what a called function answers decides it."""
        callee = self._callee(flow, call)
        if callee is not None:
            self.asked.add(callee)
            if Reply(callee, holds) in self._known:
                return True
        return self._asks(flow, call)

    def _is_collection(self, flow: Flow, test: ast.Compare) -> bool:
        right = test.comparators[0]
        if isinstance(test.left, ast.Constant) or isinstance(right, (ast.Tuple, ast.List, ast.Constant)):
            return False
        if any(is_parameters(one) for one in flow.evaluate(right)):
            return True
        return re.search(_MEMBERS, ast.unparse(right)) is not None

    def _asks(self, flow: Flow, call: ast.Call) -> bool:
        """Whether a called function looks at the stage; an unseen one is believed by its name."""
        path = v.dotted(call.func)
        if path is None:
            return False
        if any(is_bound(flow, k.value) for k in call.keywords) or any(is_bound(flow, a) for a in call.args):
            return True
        asks = stage_asking(self.project, self._place(flow), list(path))
        if asks is None and path[-1] not in self.names:
            return re.search(_FILTER, path[-1]) is not None and "weight_loader" not in path[-1]
        return bool(asks)

    def _took_some(self, flow: Flow, node: ast.AST | None) -> bool:
        """Whether a comprehension takes weights only that pass a test of the stage or of membership."""
        return isinstance(node, (ast.ListComp, ast.GeneratorExp)) and any(
            self._filters(flow, atom)
            for generator in node.generators
            for test in generator.ifs
            for atom in g.atoms(test, True)
        )

    # Where we are --------------------------------------------------------------------------------------

    def _place(self, flow: Flow) -> Place:
        return Place(self.module, self._owner(flow.names), flow.names[-1])

    def _owner(self, names: Names) -> str:
        for cut in range(len(names), 0, -1):
            found = f"{self.module}:{'.'.join(names[:cut])}"
            if found in self.project.classes:
                return found
        return ""

    def _callee(self, flow: Flow, node: ast.Call) -> Names | None:
        path = v.dotted(node.func)
        if path is None:
            return None
        if len(path) == 1:
            for cut in range(len(flow.names), -1, -1):
                if (*flow.names[:cut], path[0]) in self.functions:
                    return (*flow.names[:cut], path[0])
            return path
        if path[0] == "self" and len(path) == 2:
            owner = self._owner(flow.names)
            return (*owner.partition(":")[2].split("."), path[1]) if owner else None
        return None


def _asks_kind_of_parameter(flow: Flow, atom: Atom) -> bool:
    """`isinstance(model, ...)` of a parameter."""
    test = atom.test
    asks = isinstance(test, ast.Call) and g.last_name(test) == "isinstance" and bool(test.args)
    return asks and all(one.kind == v.PARAM for one in flow.evaluate(test.args[0]))  # type: ignore[attr-defined]


def is_bound(flow: Flow, node: ast.expr) -> bool:
    return any(is_start(path[-1]) or is_end(path[-1]) for path in v.paths(flow.evaluate(node)))
