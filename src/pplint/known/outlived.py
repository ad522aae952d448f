"""Which answers outlive a change of facts: those of files that asked for nothing that changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from pplint.engine.interest import KINDS
from pplint.engine.names import in_view
from pplint.engine.summary import Summary
from pplint.known.answers import Answers
from pplint.known.lines import lines_aside, moved_lines
from pplint.known.rows import Answer
from pplint.known.snapshot import Snapshot
from pplint.known.tables import complete, differs, is_row

_HEAD = ("constants", "entry", "choices")
_PARTS = ("classes", "functions", "imports")

Went = dict[str, dict[int, int]]
"""For each path of a moved file: where each line went."""
Mentioning = Callable[[Collection[str]], frozenset[str]]
"""The paths of the files in view that hold one of some names."""


def outlived(old: Snapshot, new: Snapshot, question: str, mentioning: Mentioning) -> Answers:
    """The answers under the facts of `old` that hold under those of `new`, their reasons on the new lines. Raises Lost."""
    known = old.answers(question)
    changed = [path for path in old.views.keys() | new.views.keys() if not old.says_as(new, path)]
    if not changed:
        return known
    keys: set[str] = set()
    went: Went = {}
    for path in changed:
        was, now = (one.views.get(path) for one in (old, new))
        before = None if was is None else old.summary(was.module)
        after = None if now is None else new.summary(now.module)
        view = was or now
        assert view is not None
        keys |= changed_keys(view.module, before, after)
        if before is not None and after is not None:
            went[path] = moved_lines(before, after)
    gone = _gone(old, new, known, keys, mentioning) if keys else frozenset()
    gone |= old.views.keys() ^ new.views.keys()
    return known.outliving(gone, went, lambda answer: _moved(answer, went))


def _gone(
    old: Snapshot, new: Snapshot, known: Answers, keys: set[str], mentioning: Mentioning
) -> frozenset[str]:
    """The paths of the answers that do not hold where the facts of some `keys` changed."""
    before, after = old.facts(), new.facts()
    for facts in (before, after):
        if not facts.project.lazy:
            complete(facts)
    asked = known.asked
    rows = {key for found in asked.values() for key in found if is_row(key)}
    changed = keys | {key for key in rows if differs(before, after, key)}
    names: set[str] = set()
    for kind in KINDS:
        names |= set(before.project.tables["names"][kind]) ^ set(after.project.tables["names"][kind])
    gone = frozenset(path for path, found in asked.items() if not changed.isdisjoint(found))
    return gone | mentioning(names) if names else gone


def changed_keys(module: str, before: Summary | None, after: Summary | None) -> set[str]:
    """The keys of a module whose facts differ in more than lines; None where it is not in view.

    What a name is in the module (defined there or imported) has a key of its own.
    """
    if before is None or after is None:
        summary = before or after or {}
        return {module, in_view(module), *(f"{module}:{name}" for kind in _PARTS for name in summary[kind])}
    with lines_aside(before), lines_aside(after):
        found = {module} if _head(before) != _head(after) else set()
        for kind in _PARTS:
            left, right = before[kind], after[kind]
            found.update(
                f"{module}:{name}" for name in left.keys() | right.keys() if left.get(name) != right.get(name)
            )
    return found


def _head(summary: Mapping[str, Any]) -> list[Any]:
    return [summary[part] for part in _HEAD]


def _moved(answer: Answer, went: Went) -> Answer | None:
    """The answer with the lines of its reasons where they went, or None where that is not known."""
    findings = []
    for finding in answer.findings:
        trace = []
        for step in finding.trace:
            if step.path in went and step.path != finding.path:
                line = went[step.path].get(step.line)
                if line is None:
                    return None
                step = step._replace(line=line)
            trace.append(step)
        findings.append(finding._replace(trace=tuple(trace)))
    return answer._replace(findings=tuple(findings))
