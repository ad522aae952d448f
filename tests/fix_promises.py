"""What a fix promises of a file's bytes, tree and comments, checked without pplint's own code."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from pplint.finding import Edit, Finding, Fix
from pplint.fixes import fix_source
from pplint.source.text import Source

OURS = re.compile(r"\s*# pplint:.*")


def alone(before: bytes, fix: Fix) -> None:
    """What is promised of one fix, safe or not."""
    outcome = fix_source(Source.of("case.py", before), [fix])
    assert not outcome.refused
    edits = sorted(set(fix.edits), reverse=True)
    assert outcome.data == spliced(before, edits)
    same_but_for(before, outcome.data, edits)


def same_but_for(before: bytes, after: bytes, edits: list[Edit]) -> None:
    """The trees differ in the edited nodes only, and the comments that are not pplint's own are equal."""
    new = {
        edit.span.line + shift
        for edit in edits
        if edit.span[:2] == edit.span[2:]
        for shift in range(edit.text.count("\n"))
    }
    source = Source.of("case.py", before)
    assert only_edits_differ(ast.parse(before), ast.parse(after), {edit.span for edit in edits}, new, source)
    assert comments(before) == comments(after)


def before_text(data: bytes) -> str:
    return Source.of("case.py", data).text


def edits_of(findings: list[Finding], safeties: set[str]) -> list[Edit]:
    chosen = [one.fix for one in findings if one.fix is not None and one.fix.safety in safeties]
    return sorted({edit for fix in chosen for edit in fix.edits}, reverse=True)


def spliced(data: bytes, edits: list[Edit]) -> bytes:
    """The edits made on the lines of the text, from the end; written without pplint's own code."""
    source = Source.of("case.py", data)
    text = data.decode(source.encoding if not source.bom else "utf-8-sig")
    starts = [0]
    for line in io.StringIO(text, newline=""):
        starts.append(starts[-1] + len(line))
    for edit in edits:
        one, column, last, end_column = edit.span
        start, end = starts[one - 1] + column - 1, starts[last - 1] + end_column - 1
        text = text[:start] + edit.text.replace("\n", line_end(text[starts[one - 1] :])) + text[end:]
    return source.bom + text.encode(source.encoding)


def line_end(text: str) -> str:
    """The end of the first line."""
    first = io.StringIO(text, newline="").readline()
    return first[len(first.rstrip("\r\n")) :]


def only_edits_differ(
    old: object, new: object, spans: set[tuple[int, ...]], added: set[int], source: Source
) -> bool:
    """Whether two trees are equal but for the nodes at `spans`, and for statements on `added` lines."""
    if isinstance(old, ast.AST):
        if edited(old, spans, source):
            return True
        return type(old) is type(new) and all(
            only_edits_differ(getattr(old, name, None), getattr(new, name, None), spans, added, source)
            for name in old._fields
        )
    if isinstance(old, list):
        if not isinstance(new, list):
            return False
        kept = [one for one in new if not (isinstance(one, ast.stmt) and first_line(one) in added)]
        # An argument that is edited may become two.
        grown = next((at for at, one in enumerate(old) if edited(one, spans, source)), len(old) - 1) + 1
        kept[grown : grown + len(kept) - len(old)] = []
        return len(old) == len(kept) and all(
            only_edits_differ(*pair, spans, added, source) for pair in zip(old, kept, strict=True)
        )
    return bool(old == new)


def edited(node: object, spans: set[tuple[int, ...]], source: Source) -> bool:
    return isinstance(node, ast.expr) and tuple(source.span(node)) in spans


def first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def comments(data: bytes) -> list[str]:
    """The comments of a file without those that pplint may take out."""
    text = before_text(data).replace("\r\n", "\n").replace("\r", "\n")
    found = [
        OURS.sub("", one.string)
        for one in tokenize.generate_tokens(io.StringIO(text).readline)
        if one.type == tokenize.COMMENT
    ]
    return [comment for comment in found if comment]
