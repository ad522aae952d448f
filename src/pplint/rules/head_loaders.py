"""Which loaders of weights give a weight to a head that is tied to the embedding on one stage only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import last_name
from pplint.source.blocks import FunctionNode

_HANDS_OUT = r"^_?(get|set)_\w*(embed|head)"
"""Methods for the workers of draft models, which are called when all is loaded."""
_READERS = frozenset({
    "filter", "map", "dict", "list", "tuple", "sorted", "set", "iter", "next", "zip", "enumerate", "len", "tqdm",
    "isinstance", "chain",
})  # fmt: skip


class HeadLoader:
    """A loader of weights with the functions of its file that it calls, `reached`."""

    def __init__(self, context: Context, node: FunctionNode, lineage: list[ast.ClassDef]) -> None:
        self.node = node
        self.lineage = lineage
        parts = [*context.tree.body, *(part for one in lineage for part in one.body)]
        self._known = {
            one.name: one for one in parts if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        self.reached = [node]
        for function in self.reached:
            for call in _calls(function):
                inner = self._known.get(last_name(call.func))
                if inner is not None and inner not in self.reached:
                    self.reached.append(inner)

    @classmethod
    def of(cls, context: Context) -> HeadLoader | None:
        """The loader that the class we are in runs, where this file defines it."""
        project = context.project
        found = project.method(context.class_id, "load_weights")
        if found is None or project.module_of(found[0]) != context.module:
            return None
        names = [project.class_name(one) for one in project.mro(context.class_id)]
        lineage = [one for one in context.tree.body if isinstance(one, ast.ClassDef) and one.name in names]
        owner = next((one for one in lineage if one.name == project.class_name(found[0])), None)
        nodes = (part for part in owner.body if getattr(part, "name", "") == "load_weights") if owner else ()
        node = next((part for part in nodes if isinstance(part, ast.FunctionDef)), None)
        return cls(context, node, lineage) if node is not None else None

    def feeds(self, head: str) -> bool:
        """Whether the head may get a weight: from the embedding's, from another loader, or in another method."""
        if any(_routes(function) or self._hands_on(function) for function in self.reached):
            return True
        read = {name for function in self.reached for name in v.names_in(function)}
        tables = [
            part for one in self.lineage for part in one.body if isinstance(part, (ast.Assign, ast.AnnAssign))
        ]
        if any(
            _speaks(one, "embed") and _speaks(one, "head") and not read.isdisjoint(v.names_in(one))
            for one in tables
        ):
            return True
        methods = [part for one in self.lineage for part in one.body if isinstance(part, ast.FunctionDef)]
        return any(map(_refuses, methods)) or any(
            _writes(one, head)
            for one in methods
            if one.name != "__init__" and not re.match(_HANDS_OUT, one.name)
        )

    def _hands_on(self, function: FunctionNode) -> bool:
        """Whether weights are handed on to what is not in view."""
        weights = {one.arg for one in function.args.args if "weights" in one.arg}
        for call in _calls(function):
            name = last_name(call.func)
            given = {part.id for one in call.args for part in ast.walk(one) if isinstance(part, ast.Name)}
            if name == "load_weights" or (
                given & weights and name not in self._known and name not in _READERS
            ):
                return True
        return False


def _calls(function: FunctionNode) -> Iterator[ast.Call]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Call))


def _routes(function: FunctionNode) -> bool:
    """Whether a function tests for an embedding's name and then speaks of a head, has both in one table, or tells
    another function of the embedding."""
    for node in ast.walk(function):
        if isinstance(node, (ast.If, ast.IfExp)) and _speaks(node.test, "embed"):
            body = node.body if isinstance(node.body, list) else [node.body]
            if any(_speaks(one, "head") for one in body):
                return True
        tells_both = isinstance(node, (ast.Tuple, ast.Dict, ast.match_case)) or _replaces(node)
        if tells_both and _speaks(node, "embed") and _speaks(node, "head"):
            return True
        told = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in _READERS
        if told and any(_speaks(one, "embed") for one in ast.iter_child_nodes(node)):
            return True
    return False


def _replaces(node: ast.AST) -> bool:
    """`name.replace("model.embed_tokens", "lm_head")`"""
    return isinstance(node, ast.Call) and last_name(node) in ("replace", "sub", "replace_prefix")


def _speaks(node: ast.AST, word: str) -> bool:
    """Whether a text or a name in an expression, functions in it left out, has a word; the flag of a tie does not count."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        said = (
            part.value if isinstance(part, ast.Constant) else getattr(part, "id", getattr(part, "attr", ""))
        )
        if isinstance(said, str) and word in said.replace("tie_word_embeddings", ""):
            return True
        if not isinstance(part, ast.Lambda):
            waiting += ast.iter_child_nodes(part)
    return False


def _refuses(function: FunctionNode) -> bool:
    """Whether a function raises for a tied model on several stages."""
    for node in ast.walk(function):
        if (isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise)) or isinstance(
            node, ast.Assert
        ):
            words = v.names_in(node.test)
            if any("tie" in word for word in words) and any("size" in word or "pp" in word for word in words):
                return True
    return False


def _writes(function: FunctionNode, head: str) -> bool:
    """Whether a function gives a head a weight: `self.lm_head.weight = ...`, `self.lm_head.weight.copy_(...)`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            targets: list[ast.expr] = node.targets
        elif isinstance(node, ast.Call):
            own = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            targets = [*own, *node.args]
        else:
            continue
        for one in targets:
            chain = v.dotted(one.value if isinstance(one, ast.Subscript) else one) or ()
            if head in chain and "weight" in chain:
                return True
    return False
