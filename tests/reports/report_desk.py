"""A desk to build findings on, placed by the text that they stand on."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from pplint.finding import ERROR, SAFE, Edit, Finding, Fix, Span
from pplint.reports.report import Report, render
from pplint.rules.base import Example, RuleInfo
from pplint.source.text import Source, SourceError

TWO_HITS = "s = '\U0001f600\u00e9'; v = pool.get_value_buffer(0); w = pool.get_key_buffer(0)\n"

NAMES = {"PPL101": "literal-layer-id", "PPL201": "literal-layer-index", "PPL702": "hidden-stage-range"}


def rule(code: str = "PPL101", severity: str = ERROR, **changes: Any) -> RuleInfo:
    return RuleInfo(
        code,
        NAMES.get(code, "some-rule"),
        severity,
        "high",
        "A literal reaches a parameter that takes a GLOBAL layer id",
        "Finds a literal such as `0` that is given as a GLOBAL layer id.",
        "A stage owns `[start_layer, end_layer)`; on every later stage layer 0 is somewhere else.",
        "Ask the pool for its `start_layer`.",
        "Local indexing such as `pool.k_buffer[0]`.",
        "safe",
        (
            Example(
                "First value buffer",
                bad="v = pool.get_value_buffer(0)\n",
                fixed="v = pool.get_value_buffer(pool.start_layer)\n",
                safety=SAFE,
            ),
        ),
    )._replace(**changes)


class Desk:
    """A repository in a temporary folder, in which findings are placed by the text that they stand on."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".git").mkdir(parents=True)

    def file(self, name: str, content: str | bytes) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def span(self, path: str, needle: str, nth: int = 1) -> Span:
        """The place of the nth `needle` (in one line) of a file."""
        for number, line in enumerate(Source.read(path).lines, 1):
            start = -1
            while (start := line.find(needle, start + 1)) >= 0:
                nth -= 1
                if nth == 0:
                    return Span(number, start + 1, number, start + 1 + len(needle))
        raise AssertionError(f"{needle} is not in {path}")

    def finding(
        self, path: str, needle: str, nth: int = 1, *, to: str = "", safety: str = SAFE, **over: Any
    ) -> Finding:
        span = self.span(path, needle, nth)
        fix = Fix(safety, f"Ask the pool: `{to}`", (Edit(span, to),)) if to else None
        code = over.pop("code", "PPL101")
        finding = Finding(
            code,
            NAMES.get(code, "some-rule"),
            ERROR,
            path,
            span,
            "Backend.__init__",
            "`get_value_buffer` takes a GLOBAL layer id and is given the literal 0",
            fix=fix,
            fingerprint=f"{code}-{Path(path).name}-{span.line}-{span.column}",
        )
        return finding._replace(**over)

    def report(self, *findings: Finding, **over: Any) -> Report:
        values: dict[str, Any] = {
            "findings": findings,
            "rules": (rule("PPL101"), rule("PPL201"), rule("PPL702", "warning")),
            "sources": _read,
            "cwd": str(self.root),
            "repository": str(self.root),
            "version": "1.2.3",
            "files_checked": 3,
            "colour": None,
        }
        return Report(**{**values, **over})


def _read(path: str) -> Source | None:
    try:
        return Source.read(path)
    except SourceError:
        return None


def rendered(format_name: str, report: Report) -> str:
    out = io.StringIO()
    render(format_name, report, out)
    return out.getvalue()


def run_of(report: Report) -> Any:
    log = json.loads(rendered("sarif", report))
    assert len(log["runs"]) == 1
    return log["runs"][0]


def only_result(report: Report) -> Any:
    (result,) = run_of(report)["results"]
    return result
