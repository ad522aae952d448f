"""What makes two places the same: for fingerprints (locals renamed) and for clones (all names of variables gone)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Container, Iterable

from pplint.finding import Finding, report_order
from pplint.source.digest import digest_of


def shape_of(node: ast.AST, local_names: Container[str]) -> tuple[str, str]:
    """Two normal forms of a node's code: without the names of locals, and without the names of any variable."""
    return _text(node, local_names), _text(node, _Everything())


class _Everything:
    def __contains__(self, name: object) -> bool:
        return True


def _text(node: ast.AST, hidden: Container[str]) -> str:
    parts: list[str] = []
    stack: list[object] = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, ast.Name):
            parts.append("_" if one.id in hidden and one.id != "self" else one.id)
        elif isinstance(one, ast.AST):
            parts.append(type(one).__name__)
            stack += [
                getattr(one, name, None)
                for name in reversed(one._fields)
                if name not in ("ctx", "kind", "type_comment")
            ]
        elif isinstance(one, list):
            stack += reversed(one)
        elif one is not None:
            parts.append(repr(one) if not isinstance(one, str) else one)
    return " ".join(parts)


def with_fingerprints(findings: Iterable[Finding], scope: str) -> list[Finding]:
    """Give each finding of a file its `pplint/v1` fingerprint; until then that field holds its normal form.

    It is made of the rule, the file as the project sees it, the enclosing symbol, the normal form and a running number
    among equals, so that moved lines, layout and renamed locals keep it.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    done = []
    for finding in sorted(findings, key=report_order):
        key = (finding.code, scope, finding.symbol, finding.fingerprint)
        seen[key] += 1
        text = "\0".join((*key, str(seen[key])))
        done.append(finding._replace(fingerprint=digest_of(text)))
    return done
