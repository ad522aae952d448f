"""The facts that readiness asks: those of `check`, from the same cache, and those of models that say nothing of stages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from pplint.engine.names import absolute
from pplint.engine.paths import is_test, module_name, packages_of
from pplint.engine.project import Project
from pplint.engine.root import Root
from pplint.engine.vocabulary import PROXY_PARAMETER
from pplint.files.discover import find_python_files
from pplint.finding import Trouble
from pplint.judge.check import JudgeRequest, facts_of, judge
from pplint.known.snapshot import load
from pplint.known.stamps import Stamp, is_file, stamps_of
from pplint.known.store import Lost, Store
from pplint.readiness.files import Files
from pplint.readiness.models import in_other_runtime
from pplint.records import Record
from pplint.source.digest import digest_of

_ASKED = frozenset({"PPL702"})
"""To ask for one rule in one file is the way to have the facts of a tree learnt and kept."""


class Tree(Record):
    """The Python files of a tree with their stamps."""

    root: Root
    stamps: dict[str, Stamp]

    @property
    def key(self) -> str:
        """A name for the tree as it is now, "" while a file was changed too recently to tell."""
        if not all(map(is_file, self.stamps.values())):
            return ""
        return digest_of(repr(sorted(self.stamps.items())))


def tree_of(root: Root, paths: Iterable[str]) -> Tree:
    """The Python files of a tree, and those at or below some paths, as they are now."""
    folders = [root.folder, *map(os.path.realpath, paths)]
    files = find_python_files(folders, exclude=(), base=root.folder, respect_gitignore=False).files
    return Tree(root, stamps_of(files, {}))


def project_of(tree: Tree, jobs: int, cache_dir: str | None) -> tuple[Project, list[Trouble]]:
    """All facts of a tree: what `check` knows, with the files of top-level models and what these build on.

    Beside them the files with models that cannot be read or parsed.
    """
    root = tree.root.path
    store = Store(cache_dir, root) if cache_dir else None
    read = Files(tree.stamps, packages_of(root, tree.stamps), store)
    known = _known(tree, jobs, cache_dir)
    summaries, files = dict(known.summaries), dict(known.files)
    by_module = {module_name(root, path): path for path in tree.stamps}
    wanted = [
        module
        for module, path in by_module.items()
        if module not in summaries and not is_test(root, path) and read.names_models(path)
    ]
    named = frozenset(wanted)
    troubles: list[Trouble] = []
    tried: set[str] = set()
    while True:
        tried.update(wanted)
        for module in wanted:
            found = read.summary(by_module[module], not in_other_runtime(module) or module not in named)
            if isinstance(found, Trouble):
                troubles.append(found)
            else:
                summaries[module], files[module] = found, by_module[module]
        homes = {f"{module.rpartition('.')[0]}." for module in _models(summaries)}
        wanted = sorted((set(_sources(summaries, homes)) & by_module.keys()) - summaries.keys() - tried)
        if not wanted:
            break
    read.save()
    return Project(dict(sorted(summaries.items())), files), troubles


def _known(tree: Tree, jobs: int, cache_dir: str | None) -> Project:
    """The facts that `check` has of a tree: from the cache, else learnt now and kept there."""
    if not cache_dir:
        return facts_of(tree.root, jobs).project
    found = _cached(tree, cache_dir)
    if found is None and tree.stamps:
        file = next(iter(tree.stamps))
        judge(JudgeRequest(tree.root.path, (file,), {}, _ASKED, jobs=jobs, cache_dir=cache_dir))
        found = _cached(tree, cache_dir)
    return found if found is not None else facts_of(tree.root, jobs).project


def _cached(tree: Tree, cache_dir: str) -> Project | None:
    snapshot = load(Store(cache_dir, tree.root.path))
    if snapshot is None or _inside(tree, snapshot.stamps) != _inside(tree, tree.stamps):
        return None
    try:
        found = snapshot.summaries()
    except Lost:
        return None
    summaries = {module: summary for module, (_, summary) in found.items()}
    return Project(summaries, {module: path for module, (path, _) in found.items()})


def _inside(tree: Tree, stamps: dict[str, Stamp]) -> dict[str, Stamp]:
    below = tree.root.folder + os.sep
    return {path: stamp for path, stamp in stamps.items() if path.startswith(below)}


def _models(summaries: dict[str, dict[str, Any]]) -> Iterator[str]:
    return (module for module, one in summaries.items() if one["entry"] and not in_other_runtime(module))


def _sources(summaries: dict[str, dict[str, Any]], homes: Iterable[str]) -> Iterator[str]:
    """The modules beside the models from which they import a class, and those whose functions they give proxies to."""
    near = tuple(homes)
    for module, summary in summaries.items():
        if not module.startswith(near):
            continue
        given = {
            path[0]
            for facts in _functions(summary)
            for name, path, *_ in facts["passes"]
            if name == PROXY_PARAMETER
        }
        for name, (source, imported) in summary["imports"].items():
            found = absolute(module, source)
            if name in given or (imported[:1].isupper() and found.startswith(near)):
                yield found


def _functions(summary: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from summary["functions"].values()
    for one in summary["classes"].values():
        yield from one["methods"].values()
