"""One process's share of the files: reads, filters, parses and summarises them, and lets the rules judge them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pplint.engine.accessors import COMMON_METHODS, GLOBAL, LOCAL, Accessors
from pplint.engine.asking import compared_rows
from pplint.engine.paths import is_test, module_name
from pplint.engine.pools import all_mappings, shifted_names
from pplint.engine.project import Project
from pplint.engine.shape import with_fingerprints
from pplint.engine.summary import Summary, summarise
from pplint.engine.trim import trim
from pplint.engine.vocabulary import MISSING_LAYER
from pplint.finding import Finding, Trouble
from pplint.judge.wanted import Wanted
from pplint.records import Record
from pplint.source.bodies import Skeleton
from pplint.source.text import LARGEST_BYTES, Source, SourceError

if TYPE_CHECKING:
    import ast

    from pplint.engine.facts import Facts
    from pplint.engine.names import Rows
    from pplint.rules.base import Rule

FACT_WORDS = (
    b"start_layer",
    b"end_layer",
    b"make_layers",
    b"PPMissingLayer",
    b"pp_proxy_tensors",
    b"PPProxyTensors",
    b"layer_num",
)
"""A file without any of these says nothing about stages that another file could need."""

MARK = b"pplint:"

KEPT_WHOLE = 300_000
"""So many characters of source, and the bodies in them, are kept as trees."""
KEPT_CHARACTERS = 8_000_000
"""So many may be kept on any machine. Beyond what is kept, files are parsed again."""


class Verdict(Record):
    """What the rules say of some files, and what they asked for in each (by path)."""

    findings: list[Finding]
    asked: dict[str, tuple[str, ...]]


Kept = dict[str, "tuple[Source, ast.Module]"]
"""Parsed files by path; of many, bodies that no rule will look into, by the look of them, are parsed when one does."""


class Share:
    """The files that one process looks after.

    `root` is the folder that module names start from, `packages` their first parts, `ready` files whose summaries are
    known and left empty, `kept` what was parsed already, `keep` how many characters of source may stay as trees, `marked`
    the files met so far that hold a comment of pplint's.
    """

    def __init__(
        self,
        root: str,
        overlay: Mapping[str, bytes],
        packages: frozenset[str],
        ready: Collection[str],
        kept: Kept,
        tests_too: bool,
        keep: int = KEPT_CHARACTERS,
    ) -> None:
        self.root = root
        self.tests_too = tests_too
        self.ready = ready
        self.marked: set[str] = set()
        self.packages = packages
        self.overlay = overlay
        self._facts: Facts | None = None
        self.troubles: list[Trouble] = []
        self.kept = kept
        self._keep_characters = keep
        self._kept_characters = 0
        self._skeletons: dict[str, tuple[int, Skeleton]] = {}

    def first_facts(self, paths: Sequence[str]) -> dict[str, tuple[str, Summary]]:
        """Summaries by module, with the path, of the files that say something about stages."""
        found: dict[str, tuple[str, Summary]] = {}
        for path in paths:
            data = self._read(path)
            if data is None:
                continue
            if MARK in data:
                self.marked.add(path)
            if any(word in data for word in FACT_WORDS) and not self._has_no_say(path):
                self._summarise(path, data, found)
        return found

    def more_facts(self, paths: Sequence[str], wanted: Wanted) -> dict[str, tuple[str, Summary]]:
        """Summaries of the files among some that use what was learnt."""
        found: dict[str, tuple[str, Summary]] = {}
        for path in paths:
            data = None if self._has_no_say(path) else self._read(path)
            if data is None:
                continue
            if module_name(self.root, path) in wanted.modules or wanted.worth_a_look(data):
                self._summarise(path, data, found)
        return found

    def again(self, paths: Sequence[str], wanted: Sequence[Wanted]) -> list[dict[str, tuple[str, Summary]]]:
        """Summaries of those files that an earlier look, which wanted that, would have taken into view, by round."""
        rounds = [self.first_facts(paths)]
        for number, one in enumerate(wanted):
            taken = {path for found in rounds for path, _ in found.values()}
            rest = [path for path in paths if path not in taken]
            rounds.append(self.more_facts(rest, one.beyond(wanted[number - 1]) if number else one))
        return rounds

    def _has_no_say(self, path: str) -> bool:
        return not self.tests_too and is_test(self.root, path)

    def check_syntax(self, paths: Iterable[str]) -> None:
        """Parse waiting files for nothing but their troubles."""
        for path in paths:
            data = self._read(path)
            if data is not None:
                self._parse(path, data)

    def take(self, facts: Facts) -> None:
        """Judge by these facts from now on."""
        self._facts = facts

    def judge(self, paths: Iterable[str], codes: Iterable[str]) -> Verdict:
        """Let the rules walk each of the files by the facts that were taken."""
        from pplint.rules.registry import rules_for

        facts = self._facts
        assert facts is not None
        findings: list[Finding] = []
        asked: dict[str, tuple[str, ...]] = {}
        asking = facts.project.asking
        for path in paths:
            parsed = self.kept.pop(path, None)
            if parsed is None:
                data = self._read(path)
                parsed = self._parse(path, data) if data is not None else None
            if parsed is not None:
                asking.keys = set()
                findings += self._walk(facts, module_name(self.root, path), parsed, rules_for(codes))
                asked[path] = tuple(asking.keys)
        return Verdict(findings, asked)

    def compared(self) -> dict[str, Rows]:
        """The answers to compared questions that were found so far."""
        return compared_rows(self._facts.project.asking) if self._facts is not None else {}

    def _walk(
        self, facts: Facts, module: str, parsed: tuple[Source, ast.Module], rules: list[Rule]
    ) -> list[Finding]:
        from pplint.engine.context import Walk, crash

        path = parsed[0].path
        walk = Walk(facts, module, *parsed, rules)
        try:
            walk.walk()
        except Exception as error:
            statement = walk.flow.statement
            line = statement.lineno if statement is not None else 0
            self.troubles.append(crash(path, line, "the rules' walk", error))
        scope = os.path.relpath(path, self.root).replace(os.sep, "/")
        findings = with_fingerprints(walk.findings, scope)
        self.troubles += walk.troubles
        # The walk and its syntax tree refer to each other, and the collector is paused.
        vars(walk.flow).clear()
        vars(walk).clear()
        return findings

    def _read(self, path: str) -> bytes | None:
        data = self.overlay.get(path)
        if data is not None:
            return data
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            self.troubles.append(Trouble(path, 0, f"cannot be read: {error.strerror or error}"))
            return None
        if len(data) > LARGEST_BYTES or 0 in data:
            self._parse(path, data)  # says why it is none of ours, whether or not a rule needs the file
            return None
        return data

    def _parse(self, path: str, data: bytes) -> tuple[Source, ast.Module] | None:
        try:
            source = Source.of(path, data)
            of, skeleton = self._skeletons.pop(path, (0, None))
            return source, skeleton.parse(source) if skeleton and of == hash(data) else source.parse()
        except SourceError as error:
            self.troubles.append(Trouble(path, error.line, str(error)))
            return None

    def _summarise(self, path: str, data: bytes, found: dict[str, tuple[str, Summary]]) -> None:
        module = module_name(self.root, path)
        if module in found and found[module][0] > path:
            return  # `x/__init__.py` hides `x.py`, as in Python
        if path in self.ready:
            found[module] = path, {}
            return
        parsed = self._parse(path, data)
        if parsed is None:
            return
        tree = parsed[1]
        try:
            summary = summarise(tree)
        except Exception as error:
            from pplint.engine.context import crash

            self.troubles.append(crash(path, 0, "the summary of this file", error))
            return
        found[module] = path, trim(summary, self.packages)
        self._keep(path, *parsed)

    def _keep(self, path: str, source: Source, tree: ast.Module) -> None:
        """Keep of a file what the rules will want to see, or at least where that is."""
        if self._kept_characters < KEPT_WHOLE:
            self._kept_characters += len(source.text)
            self.kept[path] = source, tree
            return
        skeleton = Skeleton(source, tree)
        if self._kept_characters < self._keep_characters:
            self._kept_characters += skeleton.strip(source, tree, _may_be_looked_at)
            self.kept[path] = source, tree
        else:
            self._skeletons[path] = hash(source.data), skeleton


def _may_be_looked_at(body: str) -> bool:
    """Whether the rules may look into a function: only a guess, which costs time or memory where it is wrong."""
    return "layer" in body or "super().__init__" in body or "lm_head" in body


def wanted_by(project: Project, accessors: Accessors, modules: Iterable[str]) -> Wanted:
    """The words that a rule would look at, given the facts of `modules`."""
    names = {
        name
        for name in (accessors.names[GLOBAL] | accessors.names[LOCAL]) - COMMON_METHODS
        # What is private to a class, or a stage of its forward, is called where the class is.
        if not name.startswith(("_", "forward")) or not project.definers(name)
    }
    attributes = {name for name in names if project.definers(name)}
    attributes |= {name for name in {*shifted_names(project), *all_mappings(project)} if "_" in name}
    keepers = {class_id for kind in ("unpacked", MISSING_LAYER) for class_id, _ in project.assigned[kind]}
    kept = {name for one in keepers for name in project.missing_modules(one)} | project.padded_names()
    return Wanted(
        frozenset(name.encode() for name in attributes),
        tuple(sorted(name.encode() + b"(" for name in names if not project.definers(name))),
        frozenset(name.encode() for name in kept),
        frozenset(project.module_of(one).rpartition(".")[2].encode() for one in keepers),
        project.unseen_bases(modules),
    )
