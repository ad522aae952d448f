"""`# pylint: disable=...`, honoured by the command line too: for a line, a block, the next line, a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from pplint.finding import Finding
from pplint.ignore_comments import reach
from pplint.rules.catalogue import RuleName
from pplint.source.text import Comment, Source, SourceError

MARK = b"pylint:"
_PRAGMA = re.compile(
    r"#[^#]*?pylint:[ \t]*(skip-file|disable-next|disable|enable)\b[ \t]*(?:=[ \t]*([^#;]*))?"
)


class Pragma(NamedTuple):
    """One pragma. It holds for statements whose lines meet `first` to `last` (1-based, inclusive)."""

    disable: bool
    names: frozenset[str]
    first: int
    last: int
    text: str


def pragmas(source: Source) -> list[Pragma]:
    """Return the pragmas of a file in order; an unparsable file has none."""
    if MARK not in source.data:
        return []
    found = [(comment, match) for comment in source.comments() for match in _PRAGMA.finditer(comment.text)]
    if not found:
        return []
    try:
        tree = source.parse()
    except SourceError:
        return []
    end = len(source.lines)
    blocks = [(1, end), *_blocks(tree)]
    simple = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and not isinstance(node, ast.Match)
    ]
    return [_pragma(comment, match, blocks, simple, end) for comment, match in found]


def _pragma(
    comment: Comment,
    match: re.Match[str],
    blocks: list[tuple[int, int]],
    simple: list[tuple[int, int]],
    end: int,
) -> Pragma:
    line = comment.line
    kind, names = match[1], match[2] or ""
    words = frozenset(part.split()[0] for part in names.split(",") if part.strip())
    text = " ".join(match[0].lstrip("# \t").split())
    if kind == "skip-file":
        return Pragma(True, frozenset({"all"}), 1, end, text)
    if kind == "disable-next":
        return Pragma(True, words, line + 1, line + 1, text)
    statement = [lines for lines in simple if lines[0] <= line <= lines[1]]
    if statement and not comment.alone:
        return Pragma(kind == "disable", words, *statement[-1], text)
    last = min(
        (block for block in blocks if block[0] <= line <= block[1]), key=lambda block: block[1] - block[0]
    )[1]
    return Pragma(kind == "disable", words, line, last, text)


def _blocks(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the lines of each block: from its header, or the end of the block before it, to its last one."""
    for node in ast.walk(tree):
        start = getattr(node, "lineno", None)
        if start is None and isinstance(node, ast.match_case):
            start = node.pattern.lineno
        if start is None:
            continue
        for field in ("body", "handlers", "orelse", "finalbody", "cases"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                last = block[-1].body[-1] if isinstance(block[-1], ast.match_case) else block[-1]
                end = int(last.end_lineno or start)
                if field not in ("handlers", "cases"):
                    yield start, end
                start = end + 1


def silenced_by(finding: Finding, rule: RuleName | None, found: list[Pragma], source: Source) -> str:
    """Return the text of the pragma that silences `finding`, or ""; the last one that reaches it decides."""
    names = {finding.code, finding.name, "all"}
    if rule is not None:
        names |= {rule.message_id, rule.message_id[0]}
    lines = reach(finding, source)
    text = ""
    for pragma in found:
        if pragma.names & names and pragma.first <= lines.last and lines.first <= pragma.last:
            text = pragma.text if pragma.disable else ""
    return text
