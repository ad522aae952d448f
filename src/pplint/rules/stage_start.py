"""How a place can write the first layer id of its stage: the layer's own, or that of a pool at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.vocabulary import is_start
from pplint.source.blocks import blocks_of

_POOL = r"(^|_)pool$"


def keeps_layer(context: Context) -> bool:
    """Whether `self` is one layer: it keeps its own layer id."""
    owner = context.class_id
    return bool(owner) and any(
        "layer_id" in context.project.classes[one]["attrs"] for one in context.project.mro(owner)
    )


def is_argument(context: Context, name: str) -> bool:
    """Whether a name is a parameter of the function we are in."""
    arguments = context.flow.functions[-1].args
    return any(a.arg == name for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def start_in_scope(context: Context) -> tuple[str, bool] | None:
    """An expression for the first layer of the stage that can be written here, and whether it is certain."""
    owner = context.class_id
    if owner and any(
        is_start(name) for one in context.project.mro(owner) for name in context.project.classes[one]["attrs"]
    ):
        if not context.project.owns_start(owner):
            return None
        if keeps_layer(context):
            return "self.start_layer", True
    function = context.flow.functions[-1]
    chains = [chain for chain in map(_pool_chain, ast.walk(function)) if chain is not None]
    for chain in chains:
        if chain[0] == "self" or is_argument(context, chain[0]):
            owners = context.project.types_of(context.place, chain)
            certain = bool(owners) and all(context.project.owns_start(one) for one in owners)
            return ".".join((*chain, "start_layer")), certain
    return _pool_of_class(context) or _pool_of_call(context)


def _pool_chain(node: ast.AST) -> tuple[str, ...] | None:
    if not isinstance(node, ast.Attribute):
        return None
    chain = v.dotted(node)
    return (
        chain
        if chain is not None and len(chain) > 1 and re.search(_POOL, chain[-1]) and "req" not in chain[-1]
        else None
    )


def _pool_of_class(context: Context) -> tuple[str, bool] | None:
    owner = context.class_id
    for one in context.project.mro(owner) if owner else ():
        for name in context.project.classes[one]["attrs"]:
            if re.search(_POOL, name) and "req" not in name:
                owners = context.project.attribute_types(owner, name)
                certain = bool(owners) and all(context.project.owns_start(each) for each in owners)
                return f"self.{name}.start_layer", certain
    return None


def _imported(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that the statements of a block import, those of functions and classes in it left out."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name for alias in node.names)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for block in blocks_of(node):
                yield from _imported(block)


def _pool_of_call(context: Context) -> tuple[str, bool] | None:
    """`get_token_to_kv_pool()` and the like, where the module uses it; a call is evaluated again, so it is not certain."""
    imports = {*_imported(context.tree.body), *_imported(context.flow.functions[0].body)}
    for node in ast.walk(context.tree):
        if isinstance(node, ast.Call) and not node.args and not node.keywords:
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if re.search(_POOL, name) and "req" not in name and name in imports:
                return f"{name}().start_layer", False
    return None
