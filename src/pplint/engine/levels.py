"""From the conditions on the path to a place to a level: is there a flag or a platform that must be on?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pplint.engine.values import Atom

_FLAG = re.compile(
    r"^_?(is_(hip|npu|cuda|cpu|xpu|hpu|gfx\w*|mps|musa|blackwell\w*|sm\d+\w*)\b|use_|enable_|can_run_|should_|support)"
    r"|^_?(use|enable|is)_.*(aiter|npu|hip|gfx|tbo|eplb|deepep|hicache|hisparse)"
)


def flag_on_path(known: Iterable[Atom]) -> str:
    """The source of the first condition that is a flag or a platform and must be true, or ""."""
    for atom in known:
        if atom.holds and any(_FLAG.search(name) for name in _names(atom.test)):
            return ast.unparse(atom.test)
    return ""


def _names(test: ast.expr) -> list[str]:
    if isinstance(test, ast.Compare) and any(isinstance(op, (ast.Is, ast.Eq)) for op in test.ops):
        sides = [test.left, *test.comparators]
        if any(isinstance(side, ast.Constant) and side.value in (None, False) for side in sides):
            return []
    return [
        part.attr if isinstance(part, ast.Attribute) else part.id
        for part in ast.walk(test)
        if isinstance(part, (ast.Attribute, ast.Name))
    ]
