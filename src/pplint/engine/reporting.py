"""How a rule reports a conflict at a place: the level, the steps that prove it, the finding."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

from pplint.engine import values as v
from pplint.engine.accessors import Evidence
from pplint.engine.facts import Facts
from pplint.engine.levels import comes_from_config, flag_on_path, names_config, on_by_default
from pplint.engine.project import Padded
from pplint.engine.reach import entries_above, is_entry
from pplint.engine.shape import shape_of
from pplint.engine.surroundings import Surroundings
from pplint.engine.values import Value
from pplint.finding import ERROR, INFO, WARNING, Asks, Edit, Finding, Fix, Span, Step
from pplint.source.headers import last_header_line

if TYPE_CHECKING:
    from pplint.rules.base import Rule
    from pplint.source.text import Placed, Source


class Reporter(Surroundings):
    """A place where conflicts are reported; `findings` are those so far, each rule's once at each span."""

    def __init__(self, facts: Facts, module: str, source: Source, tree: ast.Module) -> None:
        super().__init__(facts, module, source, tree)
        self.findings: list[Finding] = []
        self._told: set[tuple[str, Span]] = set()

    # How bad it is ---------------------------------------------------------------------------------------

    def level(self, owner: str = "", *more: Value) -> tuple[str, str]:
        """The level that reach gives, and the sentence that says which condition made it so.

        `owner` is the class that must accept PP for the place to be reached, `more` are values that were chosen under
        conditions of their own.
        """
        barred = next((one for one in (owner, self.class_id) if self._bars(one, one != owner)), "")
        if barred:
            name = self.project.class_name(barred)
            return (
                INFO,
                f"latent: `{name}` does not accept pipeline parallelism today (no `pp_proxy_tensors` in its forward)",
            )
        deaf = self._deaf()
        if deaf:
            method = self.flow.functions[0].name
            return (
                INFO,
                f"latent: nothing reaches `{method}` here, which `{self.project.class_name(deaf)}` does not hand on",
            )
        known = [*self.flow.guards, *(atom for value in more for atom in value.guards)]
        flag = flag_on_path(atom for atom in known if not self._no_choice(atom.test))
        return (WARNING, f"only when `{flag}`") if flag else (ERROR, "")

    def level_of(self, padded: Padded, *more: Value) -> tuple[str, str]:
        """The same for a read of a padded list."""
        severity, condition = self.level(padded.owner, *more)
        if padded.served and severity == ERROR:
            return (
                WARNING,
                f"where the served model has such a list, as `{self.project.class_name(padded.owner)}` has",
            )
        return severity, condition

    def _deaf(self) -> str:
        """A top-level class that should hand on a call of the inner model's method we are in, where none does; or ""."""
        functions, owner = self.flow.functions, self.class_id
        name = functions[0].name if functions and owner else ""
        if not name or name.startswith("_") or f".{name}(" in self.source.text:
            return ""
        above = entries_above(self.project, owner)
        if not above or owner in above or any(self.project.method(one, name) for one in above):
            return ""
        asked = any(is_entry(self.project, one) for one in self.project.definers(name))
        return above[0] if asked else ""

    def _no_choice(self, test: ast.expr) -> bool:
        """Whether a condition is no flag: the model's configuration decides, or it holds unless somebody says no."""
        path = v.dotted(test)
        if path is None:
            return False
        if len(path) == 1:
            return on_by_default(self.tree, path[0])
        if len(path) != 2 or path[0] != "self" or not self.flow.classes:
            return names_config(path[:-1])
        stored = self.stored(path[1])
        return bool(stored) and all(comes_from_config(one) for one in stored)

    def _bars(self, class_id: str, entries_only: bool) -> bool:
        """Whether a class (of those that are models by themselves) has a forward that refuses PP."""
        if not class_id or self.project.accepts_pp(class_id) is not False:
            return False
        if not entries_only:
            return True
        name = self.project.class_name(class_id)
        entries = self.project.summaries[self.project.module_of(class_id)]["entry"]
        heirs = self.project.children(class_id)
        return name in entries and not any(self.project.accepts_pp(one) for one in heirs)

    # The steps that prove it -----------------------------------------------------------------------------

    def steps(self, evidence: Evidence) -> list[Step]:
        """The steps that prove a parameter's space."""
        return [self.fact_step(one.module, one.line, one.text) for one in self.accessors.chain(evidence)]

    def span(self, node: ast.AST) -> Span:
        """The place of a node that has one: an expression, a statement, a keyword, an argument."""
        return self.source.span(cast("Placed", node))

    def step(self, node: ast.AST, text: str) -> Step:
        """A step at a node of this file."""
        return Step(self.source.path, getattr(node, "lineno", 1), self.span(node).column, text)

    def fact_step(self, class_id: str, line: int, text: str) -> Step:
        """A step at a line of the file that defines a class, or of a module."""
        return Step(self.project.files.get(self.project.module_of(class_id), ""), line, 1, text)

    # The finding and its fix -----------------------------------------------------------------------------

    def holds_comment(self, span: Span) -> bool:
        """Whether a comment stands inside a place; it takes more than one line for that."""
        return span.line < span.end_line and any(
            (span.line, span.column) <= (comment.line, comment.column) < (span.end_line, span.end_column)
            for comment in self.source.comments()
        )

    def bare_argument(self, call: ast.Call) -> bool:
        """Whether nothing but the call's own bracket stands before its first argument."""
        function, argument = self.span(call.func), self.span(call.args[0])
        start = self.source.index(function.end_line, function.end_column)
        end = self.source.index(argument.line, argument.column)
        return self.source.text[start:end].strip() == "("

    def edit(self, node: ast.AST, text: str) -> Edit:
        """Replace a node's text; a space keeps it apart from a word that follows at once (`0if x`)."""
        span = self.span(node)
        end = self.source.index(span.end_line, span.end_column)
        glued = text[-1:].isidentifier() and self.source.text[end : end + 1].isidentifier()
        return Edit(span, f"{text} " if glued else text)

    def report(
        self,
        rule: Rule,
        node: ast.AST,
        message: str,
        *,
        severity: str,
        trace: list[Step] | None = None,
        fix: Fix | None = None,
        no_fix: str = "",
        around: ast.AST | None = None,
        statement: ast.stmt | None = None,
        asks: Asks | None = None,
    ) -> None:
        """Report a conflict at `node`; `around` is the expression that identifies it (default: the node).

        `statement` is the statement that holds the node where that is not the current one. `asks` is what the place
        asks each stage for, where what it gets follows from the range of the stage.
        """
        span = self.span(node)
        if (rule.info.code, span) in self._told:
            return
        self._told.add((rule.info.code, span))
        if fix is not None and any(self.holds_comment(edit.span) for edit in fix.edits):
            fix, no_fix = None, "a comment stands in what would be replaced"
        normal, shape = shape_of(around or node, self.flow.env)
        self.findings.append(
            Finding(
                code=rule.info.code, name=rule.info.name, severity=severity, path=self.source.path, span=span,
                symbol=self.flow.symbol, message=message, trace=tuple(trace or ()), fix=fix, no_fix=no_fix,
                statement=self._header(statement), shape=f"{rule.info.code} {shape}", fingerprint=normal,
                asks=asks,
            )
        )  # fmt: skip

    def _header(self, statement: ast.stmt | None) -> Span | None:
        statement = statement or self.flow.statement
        if statement is None:
            return None
        span = self.source.span(statement)
        last = last_header_line(statement)
        return (
            span if last is None else Span(span.line, span.column, last, len(self.source.lines[last - 1]) + 1)
        )
