"""Summaries as they stand on disk: what a function does not say, which is most of what it could, is left out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pplint.engine.declarations import FunctionFacts, function_facts
from pplint.engine.summary import Summary

_KINDS = {
    "imports": dict, "constants": dict, "classes": dict, "functions": dict,
    "entry": list, "builds": list, "handed": list, "prepared": list, "soft": list,
    "choices": dict,
}  # fmt: skip

_SAYS_NOTHING: FunctionFacts = function_facts(ast.parse("def f(): return").body[0])  # type: ignore[arg-type]


def packed(summary: Summary) -> Summary:
    """The summary without what says nothing."""
    return _with_functions(summary, lambda facts: {name: said for name, said in facts.items() if said})


def unpacked(data: Any) -> Summary:
    """The summary that was packed. Raises TypeError or another one of WRONG for what is none."""
    if not isinstance(data, dict) or not all(
        isinstance(data.get(part), kind) for part, kind in _KINDS.items()
    ):
        raise TypeError("a summary is none")
    return _with_functions(data, lambda facts: _SAYS_NOTHING | facts)


def _with_functions(summary: Summary, change: Callable[[FunctionFacts], FunctionFacts]) -> Summary:
    def changed(functions: dict[str, FunctionFacts]) -> dict[str, FunctionFacts]:
        return {name: change(facts) for name, facts in functions.items()}

    classes = {name: {**one, "methods": changed(one["methods"])} for name, one in summary["classes"].items()}
    return {**summary, "classes": classes, "functions": changed(summary["functions"])}
