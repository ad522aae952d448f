"""What conditions and texts say about the name of a weight: is it that of a layer?"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.parts import UNKNOWN, Parts
from pplint.engine.values import Atom, Value

_ELSEWHERE = (
    r"embed|lm_head|visual|vision|audio|vit\b|tower|projector|mm_|image|video|score|classif|patch|talker"
    r"|code2wav|^norm|final"
)
_LAYER_PART = r"(^|\.)(language_model|text_model|layers|model)\b"


_MATCHES = ("match", "m", "found", "search")
"""What the match of an expression with a name is called."""


def is_elsewhere(text: str) -> bool:
    """Whether a text names another part of the model than its layers."""
    return re.search(_ELSEWHERE, text) is not None


def is_layer_of_name(value: Value) -> bool:
    """Whether a number is the layer id in a weight's name: `int(name.split(".")[2])`, `get_layer_id(name)`."""
    if value.kind == v.SUB:
        return any(one.kind == v.CALL and _called(one) == "split" for one in value.data[0])
    if value.kind != v.CALL:
        return False
    name = _called(value)
    return name == "group" or re.fullmatch(r"_*(get|extract|parse)_layer_(id|idx|index)\w*", name) is not None


def _called(call: Value) -> str:
    """The last name of what is called, or ""."""
    return g.last_name(call.node) if isinstance(call.node, ast.Call) else ""


def says_elsewhere(atom: Atom, parts: Callable[[], Parts] = lambda: UNKNOWN) -> bool:
    """Whether a condition says that the name is that of another part of the model, whose `parts` these are, than a layer."""
    test, holds = atom
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.Or) is holds:
            return all(
                any(says_elsewhere(one, parts) for one in g.atoms(part, holds)) for part in test.values
            )
        return False
    texts: list[str] = []
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        if isinstance(test.ops[0], (ast.NotIn, ast.NotEq)):
            holds = not holds
        texts = _texts([test.left, *test.comparators])
    elif isinstance(test, ast.Call) and g.last_name(test) in ("startswith", "endswith", "match", "search"):
        texts = _texts(test.args)
    if not texts:
        return False
    if holds:
        return all(is_elsewhere(text) or parts().tells_other(text) for text in texts)
    return g.last_name(test) != "endswith" and any(
        re.search(_LAYER_PART, text) or _is_of_all(test, text, parts) for text in texts
    )


def _is_of_all(test: ast.expr, text: str, parts: Callable[[], Parts]) -> bool:
    """Whether the names of all layers pass a test for a text, as a model with these `parts` calls them."""
    if g.last_name(test) == "startswith":
        return parts().begins_all(text)
    within = isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn))
    return within and parts().stands_in_all(text)


def says_layer(test: ast.expr) -> bool:
    """Whether a condition holds for the name of each layer's weight: `layer_id is not None`, `"layers." in name`."""
    if isinstance(test, (ast.Name, ast.Attribute)):
        return "layer" in g.last_name(test)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        if isinstance(test.ops[0], ast.IsNot) and isinstance(right, ast.Constant) and right.value is None:
            return "layer" in g.last_name(test.left) or g.last_name(test.left) in _MATCHES
        return isinstance(test.ops[0], ast.In) and _all_layers(test.left)
    called = isinstance(test, ast.Call) and g.last_name(test) == "startswith" and len(test.args) == 1
    return called and isinstance(test, ast.Call) and _all_layers(test.args[0])


def says_no_layer(atom: Atom) -> bool:
    """Whether a condition says that a name has no layer: `layer_id is None`, `"layers." not in name`."""
    test, holds = atom
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return says_no_layer(Atom(test.operand, not holds))
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return not holds and says_layer(test)
    opposites: dict[type[ast.cmpop], ast.cmpop] = {ast.Is: ast.IsNot(), ast.NotIn: ast.In()}
    opposite = opposites.get(type(test.ops[0]))
    if opposite is None:
        return not holds and says_layer(test)
    return holds and says_layer(ast.Compare(test.left, [opposite], test.comparators))


def _all_layers(node: ast.expr) -> bool:
    """Whether a text stands in the names of all layers' weights."""
    return isinstance(node, ast.Constant) and re.fullmatch(r"(.*\.)?layers\.?", str(node.value)) is not None


def _texts(nodes: Iterable[ast.expr]) -> list[str]:
    return [
        part.value
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
