"""From the conditions on the path to a place to a level: is there a flag or a platform that must be on?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pplint.engine import values as v
from pplint.engine.flow import Flow, Listener
from pplint.engine.values import Atom
from pplint.finding import ERROR, WARNING, Finding

_FLAG = re.compile(
    r"^_?(is_(hip|npu|cuda|cpu|xpu|hpu|gfx\w*|mps|musa|blackwell\w*|sm\d+\w*)\b|use_|enable_|can_run_|should_|support)"
    r"|^_?(use|enable|is)_.*(aiter|npu|hip|gfx|tbo|eplb|deepep|hicache|hisparse)"
    r"|^_?(USE|ENABLE|IS|HAS|SUPPORTS?)_[A-Z]|[a-z]_enable_"
)

_CONFIG = re.compile(r"^_?((model|hf|hf_text|text)_)?config$")

_KEPT = "_pplint_flag"
"""Where a test keeps its source if it is a flag, else ""."""


def flag_on_path(known: Iterable[Atom]) -> str:
    """The source of the first condition that is a flag or a platform and must be true, or ""."""
    for test, holds in known:
        if holds:
            # All calls under a test ask it.
            flag: str | None = vars(test).get(_KEPT)
            if flag is None:
                flag = ast.unparse(test) if any(map(_FLAG.search, _names(test))) else ""
                vars(test)[_KEPT] = flag
            if flag:
                return flag
    return ""


def _names(test: ast.expr) -> list[str]:
    if isinstance(test, ast.Compare) and any(isinstance(op, (ast.Is, ast.Eq)) for op in test.ops):
        sides = [test.left, *test.comparators]
        if any(isinstance(side, ast.Constant) and side.value in (None, False) for side in sides):
            return []
    return v.names_in(test)


def names_config(path: Iterable[str]) -> bool:
    """Whether a chain leads through a model's configuration."""
    return any(_CONFIG.match(name) for name in path)


def comes_from_config(node: ast.expr) -> bool:
    """Whether a value is read from a model's configuration and from nothing else that is asked."""
    chains = [path for part in ast.walk(node) if isinstance(part, ast.Attribute) and (path := v.dotted(part))]
    calls = any(isinstance(part, ast.Call) for part in ast.walk(node))
    return not calls and any(names_config(path[:-1]) for path in chains)


def on_by_default(tree: ast.Module, name: str) -> bool:
    """Whether a name at the top of a module is read from the environment with a default that is true."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            if any(isinstance(target, ast.Name) and target.id == name for target in statement.targets):
                given = [*statement.value.args, *(keyword.value for keyword in statement.value.keywords)]
                constants = [one.value for one in given if isinstance(one, ast.Constant)]
                return any(str(one).lower() in ("true", "1") for one in constants)
    return False


def may_be_lowered(finding: Finding) -> bool:
    """Whether the callers of a finding's place have a say in its level."""
    return finding.severity == ERROR and finding.symbol.rpartition(".")[2].startswith("_")


class Callers(Listener):
    """The calls of a file's private methods: under which flags, and from where."""

    def __init__(self) -> None:
        self._calls: dict[str, list[tuple[str, str]]] = {}

    def call(self, flow: Flow, node: ast.Call) -> None:
        """Take down a call `self._method(...)`."""
        if not isinstance(node.func, ast.Attribute) or not node.func.attr.startswith("_"):
            return
        path = v.dotted(node.func)
        if path is None or len(path) != 2 or path[0] != "self":
            return
        if path[1].startswith("_") and not path[1].endswith("__"):
            owner = ".".join(one.name for one in flow.classes)
            self._calls.setdefault(f"{owner}.{path[1]}", []).append((flag_on_path(flow.guards), flow.symbol))

    def flag(self, symbol: str, depth: int = 0) -> str:
        """The flag that every call of a private method depends on, or ""."""
        calls = self._calls.get(symbol)
        if not calls or depth > 3:
            return ""
        flags = [flag or self.flag(caller, depth + 1) for flag, caller in calls]
        return flags[0] if all(flags) else ""

    def lowered(self, finding: Finding) -> Finding:
        """The finding as a warning, where its place is reached under a flag only."""
        flag = self.flag(finding.symbol) if may_be_lowered(finding) else ""
        if not flag:
            return finding
        name = finding.symbol.rpartition(".")[2]
        message = f"{finding.message} (only when `{flag}` leads to `{name}`)"
        return finding._replace(severity=WARNING, message=message)
