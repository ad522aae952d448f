"""From files to findings: summaries, joined facts, rules."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pplint.engine.accessors import COMMON_METHODS, GLOBAL, LOCAL, Accessors
from pplint.engine.context import Facts, Walk
from pplint.engine.project import Project
from pplint.engine.root import find_root
from pplint.engine.summary import summarise
from pplint.engine.vocabulary import TEST_PATH
from pplint.finding import Finding, Trouble
from pplint.source.text import Source, SourceError

FACT_WORDS = (
    b"start_layer", b"end_layer", b"make_layers", b"PPMissingLayer", b"pp_proxy_tensors", b"layer_num", b"_layer_id",
)  # fmt: skip
"""A file without any of these says nothing about stages that another file could need."""

RULE_WORDS = (b"first_rank", b"last_rank", b"layer_id ==", b"== layer_id")


class JudgeRequest(NamedTuple):
    """What to judge: `root` as `find_root` gives it, `files` absolute real paths, `overlay` contents that replace them."""

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


class Tree:
    """The files of one run: their texts, syntax trees and summaries."""

    def __init__(self, request: JudgeRequest) -> None:
        self.request = request
        self.sources: dict[str, Source] = {}
        self.trees: dict[str, Any] = {}
        self.troubles: list[Trouble] = []
        self.modules: dict[str, str] = {}
        self.summaries: dict[str, dict[str, Any]] = {}

    def read(self, path: str) -> bytes | None:
        data = self.request.overlay.get(path)
        if data is not None:
            return data
        try:
            with open(path, "rb") as file:
                return file.read()
        except OSError:
            return None

    def parsed(self, path: str, data: bytes) -> Any:
        if path not in self.trees:
            self.trees[path] = None
            try:
                source = Source.of(path, data)
                self.trees[path] = source.parse()
                self.sources[path] = source
            except SourceError as error:
                self.troubles.append(Trouble(path, error.line, str(error)))
        return self.trees[path]

    def summarise(self, path: str, data: bytes) -> None:
        tree = self.parsed(path, data)
        if tree is not None:
            module = module_name(self.request.root, path)
            self.modules[module] = path
            self.summaries[module] = summarise(tree)


def module_name(root: str, path: str) -> str:
    """The dotted module name of a file as imports below `root` write it."""
    relative = os.path.relpath(path, root)
    name = os.path.splitext(relative)[0].replace(os.sep, ".")
    return name[: -len(".__init__")] if name.endswith(".__init__") else name


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
    from pplint.files.discover import find_python_files
    from pplint.rules.registry import rules_for

    tree = Tree(request)
    folder = find_root((request.root,), None).folder
    everything = sorted(
        {
            *find_python_files((folder,), exclude=(), base=folder, respect_gitignore=False).files,
            *request.files,
        }
    )
    contents = {path: data for path in everything if (data := tree.read(path)) is not None}
    for path in request.files:
        if path not in contents:
            tree.troubles.append(Trouble(path, 0, "cannot be read"))
    rest = []
    for path, data in contents.items():
        if any(word in data for word in FACT_WORDS):
            tree.summarise(path, data)
        else:
            rest.append(path)
    facts = _solve(tree, contents, rest)
    findings: list[Finding] = []
    rules = rules_for(request.select)
    judged = set(request.files)
    for module, path in sorted(tree.modules.items()):
        if path not in judged or (not request.include_tests and is_test(request.root, path)):
            continue
        findings += Walk(facts, module, tree.sources[path], tree.trees[path], rules).walk()
    return Judged(tuple(findings), tuple(t for t in tree.troubles if t.path in judged), len(tree.trees))


def is_test(root: str, path: str) -> bool:
    """Whether a file is test code, judged by its path below the root."""
    return TEST_PATH.search(os.path.relpath(path, root).replace(os.sep, "/")) is not None


def _solve(tree: Tree, contents: Mapping[str, bytes], rest: list[str]) -> Facts:
    """Join the facts; files that use what was learnt may hold further facts, so they are summarised too."""
    while True:
        project = Project(tree.summaries, tree.modules)
        accessors = Accessors(project)
        wanted = _needles(project, accessors)
        bases = project.unseen_bases()
        root = tree.request.root
        more = [path for path in rest if wanted(contents[path]) or module_name(root, path) in bases]
        if not more:
            return Facts(project, accessors)
        chosen = set(more)
        rest = [path for path in rest if path not in chosen]
        for path in more:
            tree.summarise(path, contents[path])


def _needles(project: Project, accessors: Accessors) -> Callable[[bytes], bool]:
    """A test of a file's bytes for any name that a rule would look at."""
    names = (accessors.names[GLOBAL] | accessors.names[LOCAL]) - COMMON_METHODS
    words = [*RULE_WORDS, *(name.encode() for name in sorted(names))]
    lists = [re.compile(rb"\." + name.encode() + rb"\b(?!\.)") for name in sorted(project.padded_names())]
    return lambda data: any(word in data for word in words) or any(one.search(data) for one in lists)
