"""What a rule says about itself: the one text that the command line, the docs and SARIF all print."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pplint.records import Record
from pplint.rules.catalogue import RuleName

if TYPE_CHECKING:
    from pplint.engine.context import Context
    from pplint.engine.values import Values
    from pplint.source.blocks import FunctionNode


class Example(Record):
    """A sample file of a rule: `bad` is reported, `good` is not, `fixed` is what fixes make of `bad`.

    `files` are further files (path below the package root to text) that the sample needs in view.
    """

    title: str
    bad: str = ""
    good: str = ""
    fixed: str = ""
    safety: str = ""
    path: str = "srt/sample.py"
    files: tuple[tuple[str, str], ...] = ()


class RuleInfo(Record):
    """A rule's identity and its text.

    `severity` is the usual level (`finding.SEVERITIES`); `precision` one of very-high, high, medium, low.
    `what`, `why`, `how` and `silent` are Markdown paragraphs: what the rule finds, why and on which stage it
    breaks, how to repair it, what is not reported.
    """

    code: str
    name: str
    severity: str
    precision: str
    summary: str
    what: str
    why: str
    how: str
    silent: str
    fixable: str = ""
    examples: tuple[Example, ...] = ()

    @property
    def message_id(self) -> str:
        """The pylint id: the level's letter, then 7, family and number (`PPL101` is `E7101`)."""
        return RuleName(self.code, self.name, self.severity).message_id


class Rule:
    """A rule's reasoning. Each event is called at a place, whose state is in `context.flow`."""

    info: RuleInfo
    everywhere = False
    """Whether it has to hear of functions too in which `engine.interest` sees nothing of interest."""

    def module(self, context: Context, tree: ast.Module) -> None:
        """The file as a whole, before the walk."""

    def call(self, context: Context, node: ast.Call) -> None:
        """A call, after its arguments."""

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """A subscript, read or written."""

    def attribute(self, context: Context, node: ast.Attribute) -> None:
        """An attribute that is read."""

    def compare(self, context: Context, node: ast.Compare) -> None:
        """A comparison."""

    def binary(self, context: Context, node: ast.BinOp) -> None:
        """An arithmetic operation."""

    def loop(self, context: Context, target: ast.expr, iterable: ast.expr, found: Values) -> None:
        """A loop, or one of a comprehension, before its body; `found` are the iterable's alternatives."""

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """An assignment of alternatives to one target."""

    def define(self, context: Context, node: ast.ClassDef) -> None:
        """The start of a class, before its body."""

    def enter(self, context: Context, node: FunctionNode) -> None:
        """The start of a function."""

    def leave(self, context: Context, node: FunctionNode) -> None:
        """The end of a function; the environment is that of its last line."""
