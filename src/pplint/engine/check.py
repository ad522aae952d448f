"""From files to findings: summaries, joined facts, rules."""

from __future__ import annotations

import gc
import os
from collections.abc import Mapping
from typing import NamedTuple

from pplint.engine.accessors import Accessors
from pplint.engine.context import Facts
from pplint.engine.project import Project
from pplint.engine.reading import is_test, wanted_by
from pplint.engine.root import Root, find_root
from pplint.engine.workers import Found, Workers
from pplint.finding import Finding, Trouble, report_order

__all__ = ["JudgeRequest", "Judged", "is_test", "judge"]

ROUNDS = 2
"""How far facts reach beyond the files that speak of stages: their users, and the users' own bases."""

SYNTAX_BYTES = 4_000_000
"""Files that no rule needs are parsed for their troubles as long as they are no more than this in all."""


class JudgeRequest(NamedTuple):
    """What to judge: `root` as `find_root` gives it, `files` absolute real paths, `overlay` contents that replace them.

    `jobs` 0 means as many processes as there are cores.
    """

    root: str
    files: tuple[str, ...]
    overlay: Mapping[str, bytes]
    select: frozenset[str]
    include_tests: bool = False
    jobs: int = 1
    cache_dir: str | None = None
    facts_file: bool = True


class Judged(NamedTuple):
    """The findings of the files in report order, and what went wrong."""

    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    parsed: int


def judge(request: JudgeRequest) -> Judged:
    """Judge the files of a request."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _judge(request)
    finally:
        if collecting:
            gc.enable()


def _judge(request: JudgeRequest) -> Judged:
    sizes = _sizes(request)
    with Workers(request.root, request.overlay, sizes, request.jobs) as workers:
        found, facts = solve(workers)
        asked = set(request.files)
        modules = {
            module: path
            for module, (path, _) in found.items()
            if path in asked and (request.include_tests or not is_test(request.root, path))
        }
        looked_at = {path for path, _ in found.values()}
        idle = [path for path in request.files if path not in looked_at]
        if sum(sizes[path] for path in idle) <= SYNTAX_BYTES:
            workers.check_syntax(idle)
        findings = workers.judge(facts, modules, request.select)
        troubles = {trouble for trouble in workers.troubles() if trouble.path in asked}
    ordered = tuple(sorted(findings, key=report_order))
    return Judged(ordered, tuple(sorted(troubles)), len(found))


def _sizes(request: JudgeRequest) -> dict[str, int]:
    from pplint.files.discover import find_python_files

    folder = find_root((request.root,), None).folder
    everything = find_python_files((folder,), exclude=(), base=folder, respect_gitignore=False).files
    sizes = {}
    for path in sorted({*everything, *request.files}):
        if path in request.overlay:
            sizes[path] = len(request.overlay[path])
            continue
        try:
            sizes[path] = os.stat(path).st_size
        except OSError:
            sizes[path] = 0
    return sizes


def solve(workers: Workers) -> tuple[Found, Facts]:
    """Join the facts; files that use what was learnt may hold further facts, so they are summarised too."""
    found = workers.first_facts()
    first = list(found)
    for _ in range(ROUNDS):
        facts = _joined(found)
        more = workers.more_facts(wanted_by(*facts, first))
        if not more:
            return found, facts
        found = dict(sorted({**found, **more}.items()))
    return found, _joined(found)


def facts_of(root: Root, jobs: int = 0) -> Facts:
    """The facts of a tree."""
    request = JudgeRequest(root.path, (), {}, frozenset(), jobs=jobs)
    with Workers(root.path, {}, _sizes(request), jobs) as workers:
        return solve(workers)[1]


def _joined(found: Found) -> Facts:
    project = Project({m: one for m, (_, one) in found.items()}, {m: path for m, (path, _) in found.items()})
    return Facts(project, Accessors(project))
