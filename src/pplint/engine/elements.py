"""Whether a read of a padded list's element is guarded by a test of that element."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pplint.engine.guards import subject_tests
from pplint.engine.values import Atom
from pplint.engine.vocabulary import MISSING_LAYER

if TYPE_CHECKING:
    from pplint.engine.context import Context

_PLACEHOLDERS = frozenset({MISSING_LAYER, "Identity"})


def guarded(context: Context, *subjects: ast.expr) -> bool:
    """Whether a dominating test says that the element (in any of its spellings) is a real layer."""
    return any(
        _says_real(atom)
        for subject in subjects
        for atom in subject_tests(context.flow.guards, ast.dump(subject))
    )


def _says_real(atom: Atom) -> bool:
    test, holds = atom
    if isinstance(test, ast.Compare):
        return _type_comparison(test, holds)
    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name):
        return False
    if test.func.id in ("hasattr", "getattr"):
        return holds
    if test.func.id == "isinstance" and len(test.args) == 2:
        classes = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else _union(test.args[1])
        names = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in classes}
        # A placeholder test must fail; a test for a real layer class must hold.
        return not holds if names & _PLACEHOLDERS else holds
    return False


def _type_comparison(test: ast.Compare, holds: bool) -> bool:
    words = ast.dump(test)
    if MISSING_LAYER not in words and "Identity" not in words:
        return isinstance(test.ops[0], ast.IsNot) is holds and "getattr" in words
    return isinstance(test.ops[0], (ast.IsNot, ast.NotEq)) is holds


def _union(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_union(node.left), *_union(node.right)]
    return [node]
