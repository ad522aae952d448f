"""`# pylint: disable=...`, honoured by the command line too, with the reach that it has in pylint."""

from __future__ import annotations

import ast
import re

from pplint.finding import Finding
from pplint.ignore_comments import reach
from pplint.pylint_blocks import block_at
from pplint.records import Record
from pplint.rules.catalogue import CATALOGUE, RuleName, find_name
from pplint.source.text import Source, SourceError

MARK = b"pylint:"
CHECKER = "pplint"
"""The name of our checkers in pylint, which stands for all their messages."""

_PRAGMA = re.compile(
    r"#[^#]*?\bpylint:[ \t]*(skip-file|disable-next|disable|enable)\b[ \t]*(?:=[ \t]*([^#;]*))?"
)
_OURS = frozenset(
    word.upper()
    for words in (("all", CHECKER), *((one.name, one.message_id, one.message_id[0]) for one in CATALOGUE))
    for word in words
)
"""What a pragma has to name, in capitals, to say anything of our findings."""


class Pragma(Record):
    """One pragma on a line (1-based). `action` is skip-file, disable-next, disable or enable."""

    action: str
    names: frozenset[str]
    line: int
    text: str


class Pragmas(Record):
    """The pragmas of a file in order, and its tree."""

    found: tuple[Pragma, ...]
    tree: ast.Module


def pragmas(source: Source) -> Pragmas | None:
    """Return the pragmas of a file; None when none could be about a finding of ours. An unparsable file has none."""
    if MARK not in source.data:
        return None
    # To find comments takes a hundred times as long. What looks like a pragma in the text has at least the names of it.
    if not any(_may_be_ours(match) for match in _PRAGMA.finditer(source.text)):
        return None
    found = []
    for comment in source.comments():
        matches = list(_PRAGMA.finditer(comment.text))
        if matches:  # the last one in a comment counts
            found.append(_pragma(matches[-1], comment.line, source))
    try:
        return Pragmas(tuple(found), source.parse()) if found else None
    except SourceError:
        return None


def _may_be_ours(match: re.Match[str]) -> bool:
    return match[1] == "skip-file" or any(word.upper() in _OURS for word in _words(match))


def _words(match: re.Match[str]) -> frozenset[str]:
    """The names that a pragma gives."""
    return frozenset(part.split()[0] for part in (match[2] or "").split(",") if part.strip())


def _pragma(match: re.Match[str], line: int, source: Source) -> Pragma:
    words = _words(match)
    if line > 1 and source.lines[line - 2].endswith("\\"):
        line -= 1  # pylint takes the two lines as one
    action = "skip-file" if match[1] == "disable" and "all" in words else match[1]
    return Pragma(action, words, line, " ".join(match[0].lstrip("# \t").split()))


def silenced_by(finding: Finding, known: Pragmas, source: Source, by_line: bool) -> str:
    """Return the text of the pragma that silences `finding`, or "".

    What is said of the finding's own line decides; if nothing is, any line of its statement's header does.
    `by_line` says that the finding is about a line and not about code, where pylint's reach is another.
    """
    rule = find_name(finding.code)
    said: dict[int, Pragma] = {}
    for pragma in known.found:
        if _names(pragma, finding, rule):
            if pragma.action == "skip-file":
                return pragma.text
            _tell(pragma, known.tree, said, by_line)
    lines = reach(finding, source)
    own = said.get(finding.span.line)
    for line in [finding.span.line] if own else range(lines.first, lines.last + 1):
        if line in said and said[line].action != "enable":
            return said[line].text
    return ""


def _names(pragma: Pragma, finding: Finding, rule: RuleName | None) -> bool:
    if pragma.action == "skip-file" or "all" in pragma.names or finding.name in pragma.names:
        return True
    names = {name.upper() for name in pragma.names}
    ids = {rule.message_id, rule.message_id[0]} if rule is not None else set()
    return bool(names & {CHECKER.upper(), *ids})


def _tell(pragma: Pragma, tree: ast.Module, said: dict[int, Pragma], by_line: bool) -> None:
    """Note for each line what a pragma says of it; the last word counts."""
    if pragma.action == "disable-next":
        said[pragma.line + 1] = pragma
        return
    block = block_at(tree, pragma.line)
    if block is None:
        return
    if by_line:
        block = block._replace(first=pragma.line, last=block.end)
    above = pragma if pragma.line <= block.body else pragma._replace(action="enable")
    for line in range(block.first, block.last + 1):
        if block.kept_from <= line < pragma.line and line in said:
            continue
        said[line] = above if line < pragma.line else pragma
