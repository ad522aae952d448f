"""A judge for tests of all that is not the engine: it reports each literal given to `get_value_buffer`.

The receiver's name decides the rest: `latent` is info, `undo` has a fix without an end, `broken` one that
does not parse, `crash` makes the rule fail, `stop` interrupts the run; a call as the receiver has no fix.
`-1` has an unsafe fix.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from pplint.finding import ERROR, INFO, SAFE, UNSAFE, Edit, Finding, Fix, Span, Trouble
from pplint.judge.case import Judged, JudgeRequest
from pplint.source.text import Source, SourceError


class Root(NamedTuple):
    path: str
    folder: str
    how: str


class RootError(Exception):
    pass


def find_root(paths: tuple[str, ...], sglang: str | None) -> Root:
    return Root("/", str(Path.cwd()), "nowhere")


def judge(request: JudgeRequest) -> Judged:
    findings: list[Finding] = []
    troubles: list[Trouble] = []
    marked: set[str] = set()
    for path in request.files:
        try:
            source = Source.of(path, request.overlay[path]) if path in request.overlay else Source.read(path)
            if b"pplint:" in source.data:
                marked.add(path)
            found = list(_findings(source))
        except SourceError as error:
            troubles.append(Trouble(path, error.line, str(error)))
        except ZeroDivisionError:
            troubles.append(Trouble(path, 1, "rule PPL101 crashed: ZeroDivisionError"))
        else:
            findings += [finding for finding in found if finding.code in request.select]
    return Judged(tuple(findings), tuple(troubles), len(request.files), frozenset(marked))


def said(request: JudgeRequest, path: str, content: bytes | None = None) -> str:
    return "" if content is None else ast.dump(Source.of(path, content).parse())


def _findings(source: Source) -> Iterator[Finding]:
    seen: Counter[str] = Counter()
    tree = source.parse()
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        literal = node.args[0]
        if node.func.attr != "get_value_buffer" or not isinstance(literal, ast.Constant | ast.UnaryOp):
            continue
        receiver = ast.unparse(node.func.value)
        if receiver == "stop":
            raise KeyboardInterrupt
        if receiver == "crash":
            raise ZeroDivisionError
        span = source.span(literal)
        place = (literal.lineno, literal.col_offset)
        inside = [
            item
            for item in statements
            if (item.lineno, item.col_offset) <= place <= (item.end_lineno or 0, item.end_col_offset or 0)
        ]
        text = ast.unparse(node)
        key = f"{text} {seen[text]}"
        seen[text] += 1
        fix, no_fix = _fix(receiver, ast.unparse(literal), span)
        yield Finding(
            "PPL101",
            "literal-layer-id",
            INFO if receiver == "latent" else ERROR,
            source.path,
            span,
            "",
            f"{text} is the first stage's only",
            fix=fix,
            no_fix=no_fix,
            statement=_header(source, inside[-1]),
            fingerprint=hashlib.sha256(key.encode()).hexdigest(),
        )


def _fix(receiver: str, literal: str, span: Span) -> tuple[Fix | None, str]:
    if receiver == "undo":
        return Fix(SAFE, "Turn it round", (Edit(span, "1" if literal == "0" else "0"),)), ""
    if receiver == "broken":
        return Fix(SAFE, "Break it", (Edit(span, "("),)), ""
    if not receiver.replace(".", "").isidentifier():
        return None, "the receiver would run twice"
    if literal == "-1":
        return Fix(UNSAFE, "Use end_layer - 1", (Edit(span, f"{receiver}.end_layer - 1"),)), ""
    return Fix(SAFE, "Use start_layer", (Edit(span, f"{receiver}.start_layer"),)), ""


def _end(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None)
    head = [getattr(statement, name).end_lineno for name in ("test", "iter") if hasattr(statement, name)]
    return max([statement.lineno, *head]) if body else statement.end_lineno or statement.lineno


def _header(source: Source, statement: ast.stmt) -> Span:
    span = source.span(statement)
    end = _end(statement)
    return span if end == span.end_line else Span(span.line, span.column, end, len(source.lines[end - 1]) + 1)


def install(patch: pytest.MonkeyPatch) -> None:
    """Put this judge, and a root that is the root of everything, in the engine's place."""
    check, root = ModuleType("pplint.judge.check"), ModuleType("pplint.engine.root")
    check.judge, check.JudgeRequest, check.said = judge, JudgeRequest, said  # type: ignore[attr-defined]
    check.is_test = lambda root, path: path.endswith("/test_a.py")  # type: ignore[attr-defined]
    check.findings_then = lambda request, find: find()  # type: ignore[attr-defined]
    root.find_root, root.RootError = find_root, RootError  # type: ignore[attr-defined]
    patch.setitem(sys.modules, "pplint.judge.check", check)
    root.PACKAGE = "sglang"  # type: ignore[attr-defined]
    patch.setitem(sys.modules, "pplint.engine.root", root)


if __name__ == "__main__":
    from pplint.__main__ import main

    install(pytest.MonkeyPatch())
    main()
