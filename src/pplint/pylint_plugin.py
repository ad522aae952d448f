"""pplint's rules as pylint checkers: `pylint --load-plugins=pplint.pylint_plugin`.

pylint is a host: what it read goes to pplint's own engine, and each finding is reported on the astroid node
at its place, so that pylint's comments, scopes and options hold for it.
"""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pylint.checkers import BaseChecker
from pylint.constants import WarningScope

from pplint.finding import Finding, Trouble
from pplint.hosted import NOTHING, REFUSALS, Answer, Hosted, Wishes
from pplint.ignore_comments import Reach, reach
from pplint.rules.base import RuleInfo
from pplint.rules.catalogue import HOUSEKEEPING
from pplint.rules.registry import RULES, find_rule
from pplint.source.text import Source, SourceError

if TYPE_CHECKING:
    from astroid import nodes  # type: ignore[import-untyped,unused-ignore]
    from pylint.lint import PyLinter
    from pylint.typing import MessageDefinitionTuple, Options

NAME = "pplint"
"""The name of all checkers, so that `--enable=pplint` enables every message."""

OPTIONS: Options = (
    (
        "pplint-sglang",
        {
            "type": "path",
            "default": "",
            "metavar": "<path>",
            "help": "Where SGLang's sources are, for facts; by default the package that the file is in. "
            "Nothing is imported.",
        },
    ),
    (
        "pplint-show-info",
        {
            "type": "yn",
            "default": False,
            "metavar": "<y or n>",
            "help": "Report findings of level info too: latent ones.",
        },
    ),
    (
        "pplint-include-tests",
        {
            "type": "yn",
            "default": False,
            "metavar": "<y or n>",
            "help": "Check test and benchmark code too.",
        },
    ),
)


def register(linter: PyLinter) -> None:
    """Add a checker per family of rules; pylint calls this when it loads the plugin.

    Older pylints call it again in the processes of `-j`, where a second set would double each finding.
    """
    if any(isinstance(checker, FamilyChecker) for checker in linter.get_checkers()):
        return
    engine = _Engine(linter)
    options = OPTIONS
    for _, family in groupby(RULES, key=lambda rule: rule.code[3]):
        linter.register_checker(FamilyChecker(linter, engine, tuple(family), options))
        options = ()


class FamilyChecker(BaseChecker):
    """The findings of one family of pplint's rules: their message ids share the first two digits."""

    name = NAME

    def __init__(
        self, linter: PyLinter, engine: _Engine, rules: tuple[RuleInfo, ...], options: Options
    ) -> None:
        self.options = options
        self.msgs = {rule.message_id: _message(rule) for rule in rules}
        self.codes = frozenset(rule.code for rule in rules)
        self.engine = engine
        super().__init__(linter)

    def leave_module(self, node: nodes.Module) -> None:
        """Report the module's findings of this family."""
        answer = self.engine.answer(node)
        for finding in answer.findings:
            if finding.code in self.codes:
                self._report(node, finding)
        for finding in answer.suppressed:
            if finding.code in self.codes:
                self._note_suppressed(node, finding)
        for trouble in answer.troubles:
            if trouble.code in self.codes:
                self._tell(trouble)

    def _note_suppressed(self, module: nodes.Module, finding: Finding) -> None:
        """Let pylint count its own comment as used, so that it does not call it a useless suppression."""
        source = self.engine.source
        span = reach(finding, source) if source else Reach(0, finding.span.line, finding.span.line)
        for line in range(span.first, span.last + 1):
            if not self.linter.is_message_enabled(finding.name, line):
                node = None if finding.code in HOUSEKEEPING else module
                self.linter.add_ignored_message(finding.name, line, node)
                return

    def _report(self, module: nodes.Module, finding: Finding) -> None:
        line, column, end_line, end_column = self.engine.place(finding)
        has_node = finding.code not in HOUSEKEEPING
        self.add_message(
            finding.name,
            line=line,
            node=_node_at(module, (line, column), (end_line, end_column)) if has_node else None,
            args=(f"{finding.message} [{finding.severity}]",),
            col_offset=column,
            end_lineno=end_line,
            end_col_offset=end_column,
        )

    def _tell(self, trouble: Trouble) -> None:
        rule = find_rule(trouble.code)
        if rule is not None:
            self.add_message(rule.name, line=max(trouble.line, 1), args=(trouble.message,))


class _Engine:
    """pplint's engine, asked once for each module although every family's checker wants the answer."""

    def __init__(self, linter: PyLinter) -> None:
        from pplint.commands.options import cache_folder

        self.linter = linter
        self.hosted = Hosted(cache_folder({"no_cache": False, "cache_dir": None}))
        self.refused: set[str] = set()
        self.module: nodes.Module | None = None
        self.source: Source | None = None
        self.last: Answer = NOTHING

    def answer(self, module: nodes.Module) -> Answer:
        """Return what is known of a module's file, as pylint read it."""
        if module is not self.module:
            self.module = module
            self.source = None
            self.last = self._ask(module)
        return self.last

    def place(self, finding: Finding) -> tuple[int, int, int, int]:
        """Return line, column, end line and end column as ast counts: columns in UTF-8 bytes from 0."""
        span = finding.span
        if self.source is None:
            return span.line, span.column - 1, span.end_line, span.end_column - 1
        return (
            span.line,
            self.source.utf8_offset(span.line, span.column),
            span.end_line,
            self.source.utf8_offset(span.end_line, span.end_column),
        )

    def _ask(self, module: nodes.Module) -> Answer:
        if not module.file:
            return NOTHING
        path = os.path.realpath(module.file)
        unsaved = module.file_bytes is not None
        with module.stream() as stream:
            data = stream.read()
        if unsaved:
            data = _as_file(data)
        try:
            answer = self.hosted.ask(path, data, self._wishes(), unsaved=unsaved)
        except REFUSALS as error:
            self._refuse(str(error))
            return NOTHING
        if answer is not NOTHING:
            try:
                self.source = Source.of(path, data)
            except SourceError:
                self.source = None  # a trouble says so
        return answer

    def _wishes(self) -> Wishes:
        config = self.linter.config
        sglang = config.pplint_sglang
        return Wishes(
            frozenset(rule.code for rule in RULES if self.linter.is_message_enabled(rule.message_id)),
            os.path.realpath(sglang) if sglang else None,
            config.pplint_include_tests,
            config.pplint_show_info,
        )

    def _refuse(self, reason: str) -> None:
        """Say once why nothing can be checked; `--disable=all` leaves this message on."""
        if reason not in self.refused:
            self.refused.add(reason)
            self.linter.add_message("config-parse-error", line=1, args=f"pplint: {reason}")


def _message(rule: RuleInfo) -> MessageDefinitionTuple:
    description = f"{rule.what} {rule.how} ({rule.code})"
    if rule.code in HOUSEKEEPING:
        # These are about comments and files, which have no astroid node.
        return "%s", rule.name, description, {"scope": WarningScope.LINE}
    return "%s", rule.name, description


def _as_file(buffer: bytes) -> bytes:
    """Return what a file with this text would hold: pylint has a buffer as UTF-8, whatever it declares."""
    from io import BytesIO
    from tokenize import detect_encoding

    try:
        encoding = detect_encoding(BytesIO(buffer).readline)[0]
    except SyntaxError:
        return buffer
    # A character that the encoding lacks must not move the columns after it.
    return buffer if encoding.startswith("utf-8") else buffer.decode("utf-8").encode(encoding, "replace")


def _node_at(module: nodes.Module, start: tuple[int, int], end: tuple[int, int]) -> Any:
    """Return the innermost node from `start` to `end` (line, UTF-8 column), or the module."""
    found: Any = module
    todo = list(module.get_children())
    while todo:
        node = todo.pop()
        if node.lineno is None or node.col_offset is None:
            todo.extend(node.get_children())  # arguments, comprehensions: without a place of their own
        elif (node.lineno, node.col_offset) <= start and end <= (
            node.end_lineno or node.lineno,
            node.end_col_offset or 0,
        ):
            found = node
            todo = list(node.get_children())
    return found
