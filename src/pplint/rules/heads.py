"""How output heads and the embeddings that they are tied to are written."""

from __future__ import annotations

import ast
import re

from pplint.engine.context import Context

_HEAD = r"(head|unembed|embed_out|output_proj|^output$)"


def head_name(target: ast.expr) -> str:
    """The name of the head that an assignment to `x.lm_head` or to `x.lm_head.weight` is about, or ""."""
    if isinstance(target, ast.Attribute) and target.attr == "weight":
        target = target.value
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return name if re.search(_HEAD, name) else ""


def tied_value(statement: ast.stmt | None, node: ast.expr) -> bool:
    """Whether a read is the right side of `lm_head.weight = embed_tokens.weight`: one defect, that of the tie."""
    return (
        isinstance(statement, ast.Assign)
        and statement.value is node
        and any(isinstance(target, ast.Attribute) and head_name(target) for target in statement.targets)
    )


def never_tied(context: Context, value: ast.expr) -> int:
    """The line before a tie in its function that sets the configuration's `tie_word_embeddings` to False, or 0."""
    for part in ast.walk(context.flow.functions[-1]) if context.flow.functions else ():
        if (
            isinstance(part, ast.Assign)
            and isinstance(part.value, ast.Constant)
            and part.value.value is False
        ):
            names = [target.attr for target in part.targets if isinstance(target, ast.Attribute)]
            if "tie_word_embeddings" in names and part.lineno < value.lineno:
                return part.lineno
    return 0
