"""How a place can write the first layer id of its stage: the layer's own, or that of a pool at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.declarations import defaulted
from pplint.engine.project import Project
from pplint.engine.reach import runs_base
from pplint.engine.vocabulary import is_start
from pplint.source.blocks import blocks_of, statements

_POOL = r"(^|_)pool$"


def tells_start(project: Project, owner: str) -> bool:
    """Whether instances of a class say their first layer: by the class, or a mixin's by all classes that it is in."""
    hosts = project.children(owner)
    if not project.owns_start(owner):
        return bool(hosts) and all(project.owns_start(host) for host in hosts)
    for one in project.mro(owner):
        facts = project.classes[one]
        entries = facts["attrs"].get("start_layer", ())
        if entries and "start_layer" not in facts["methods"]:
            made_here = any(entry["method"] != "__init__" for entry in entries)
            return made_here or runs_base(project, owner, one, "__init__")
    return True


def has_start(context: Context, owner: str, receiver: tuple[str, ...]) -> bool:
    """Whether the object at a chain, of that class (an id), says its first layer where we are."""
    if not tells_start(context.project, owner):
        return False
    functions, statement = context.flow.functions, context.flow.statement
    if receiver != ("self",) or not functions or functions[0].name != "__init__" or statement is None:
        return True
    before = [one for one in statements(functions[0].body) if one.lineno < statement.lineno]
    return any(map(_sets_start, before))


def _sets_start(statement: ast.stmt) -> bool:
    """Whether a statement of a constructor sets the first layer, or runs the constructor of a base."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    for one in (part for target in targets if target is not None for part in ast.walk(target)):
        if isinstance(one, ast.Attribute) and is_start(one.attr) and v.dotted(one.value) == ("self",):
            return True
    call = getattr(statement, "value", None)
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"
    )


def keeps_layer(context: Context) -> bool:
    """Whether `self` is one layer: it keeps its own layer id."""
    owner = context.class_id
    return bool(owner) and any(
        "layer_id" in context.project.classes[one]["attrs"] for one in context.project.mro(owner)
    )


def is_argument(context: Context, name: str) -> bool:
    """Whether a name is a parameter of the function we are in."""
    given = context.flow.functions[-1].args
    return any(one.arg == name for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))


def stays_argument(context: Context, name: str) -> bool:
    """Whether a name is a parameter of the function we are in, which never rebinds it."""
    return bool(context.flow.functions) and is_argument(context, name) and name not in context.written.names


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
            certain = bool(owners) and all(has_start(context, one, chain) for one in owners)
            return ".".join((*chain, "start_layer")), certain and not _may_be_none(context, chain)
    return _pool_of_class(context) or _pool_of_call(context)


def _may_be_none(context: Context, chain: tuple[str, ...]) -> bool:
    """Whether the code around asks if there is something at a chain, or takes it as an argument that may be left out."""
    around = context.flow.classes[-1] if context.flow.classes else context.flow.functions[-1]
    optional: set[str] = set()
    for node in ast.walk(around):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            if v.dotted(node.left) == chain:
                return True
        elif isinstance(node, (ast.If, ast.IfExp, ast.UnaryOp)):
            if v.dotted(node.operand if isinstance(node, ast.UnaryOp) else node.test) == chain:
                return True
        elif isinstance(node, ast.arguments):
            optional |= {one.arg for one, default in defaulted(node) if isinstance(default, ast.Constant)}
    stored = context.stored(chain[1]) if len(chain) == 2 and chain[0] == "self" else []
    return (
        chain[-1] in optional
        if len(chain) == 1
        else any(isinstance(one, ast.Name) and one.id in optional for one in stored)
    )


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
                certain = bool(owners) and all(has_start(context, each, ("self", name)) for each in owners)
                return f"self.{name}.start_layer", certain and not _may_be_none(context, ("self", name))
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
