"""The cells of a row that the rules decide: a tied head, literal layers, loops; and reads of modules that are not there."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping, Sequence

from pplint.engine import values as v
from pplint.engine.guards import LAST
from pplint.engine.modules import stage_module
from pplint.engine.project import Project
from pplint.engine.reach import may_have
from pplint.finding import INFO, Finding
from pplint.readiness.duties import MET, MISSING, NOT_APPLICABLE, UNKNOWN, Cell
from pplint.readiness.models import Model, kept_along
from pplint.readiness.modules import EMBEDDING, HEAD
from pplint.readiness.runs import Runs
from pplint.readiness.sources import Sources
from pplint.readiness.walk import (
    GUARDED,
    INDEX,
    LITERAL,
    NO_TIE,
    STAGE_LOOP,
    TIE,
    WHOLE_LOOP,
    Note,
    Seen,
)
from pplint.records import Record

PROXIES = ("PPL707",)
TIED = ("PPL502", "PPL503", "PPL705")
INDICES = ("PPL101", "PPL102", "PPL201", "PPL202", "PPL203", "PPL601", "PPL706")
LOOPS = ("PPL301", "PPL402", "PPL403", "PPL602", "PPL708", "PPL709")
ENDS = ("PPL501",)
_SHOWN = 6
CODES = frozenset((*PROXIES, *TIED, *INDICES, *LOOPS, *ENDS))


class Tie(Record):
    """A head that is assigned from an embedding: who assigns it where, and the chain after `self`."""

    owner: str
    attribute: str
    line: int
    path: tuple[str, ...]


class Judgement:
    """What the rules and the recorder saw in the functions that run in one model."""

    def __init__(self, project: Project, sources: Sources, runs: Runs, seen: Mapping[str, Seen]) -> None:
        self.project = project
        self.sources = sources
        self.runs = runs
        self.findings: list[Finding] = []
        self.notes: list[tuple[str, Note]] = []
        for module in runs.modules:
            found = seen.get(module)
            if found is not None:
                self.findings += [
                    one for one in found.findings
                    if one.severity != INFO and runs.holds(module, one.symbol)
                ]  # fmt: skip
                self.notes += [(module, one) for one in found.notes if runs.holds(module, one.symbol)]

    def gap(self, codes: Sequence[str], model: Model) -> Cell | None:
        """The first finding of some rules as a cell, with how many more there are; or None."""
        found = [one for one in self.findings if one.code in codes]
        if not found:
            return None
        first = min(found, key=lambda one: (codes.index(one.code), one.path, one.span.line))
        more = _more(first, sorted(set(found) - {first}, key=lambda one: (one.path, one.span.line)))
        once = "" if any(one.split for one in model.layers) else "once the layers are split, "
        return Cell(MISSING, first.path, first.span.line, first.code, f"{once}{_short(first.message)}{more}")

    def indices(self, model: Model) -> Cell:
        """No layer is named by a literal."""
        gap = self.gap(INDICES, model)
        if gap is not None:
            return gap
        if not model.layers:
            return self._unknown(model, "no list of layers is in view")
        for module, note in self._noted(LITERAL):
            said = f"`{note.text}` in `{note.symbol}` names a layer by a number, untested"
            return Cell(MISSING, self.project.files[module], note.line, "", said)
        loops = [
            one for kind in (STAGE_LOOP, WHOLE_LOOP) for one in self._noted(kind) if not _is_range(one[1])
        ]
        taken = [*self._noted(INDEX), *self._noted(GUARDED), *loops]
        taken.sort(key=lambda one: not _in_forward(one[1]))
        if not taken:
            return self._unknown(model, "no place is seen that takes a layer from its list")
        module, note = taken[0]
        many = f"{len(taken)} places take" if len(taken) > 1 else "1 place takes"
        places = f"{many} layers, such as `{note.text}`"
        guarded = self._noted(GUARDED)
        said = f"`{guarded[0][1].text}` stands under a test" if guarded else "no literal"
        return Cell(MET, self.project.files[module], note.line, "", f"{places}: {said}")

    def loops(self, model: Model) -> Cell:
        """Loops run over the layers of the stage only, and what they carry is sent on."""
        gap = self.gap(LOOPS, model)
        if gap is not None:
            return gap
        whole = [
            (m, n) for m, n in self._noted(WHOLE_LOOP) if n.symbol.rpartition(".")[2].startswith("forward")
        ]
        if whole:
            module, note = whole[0]
            said = f"`{note.symbol}` runs over `{note.text}`, all layers of the model"
            return Cell(MISSING, self.project.files[module], note.line, "", said)
        stage = [one for one in self._noted(STAGE_LOOP) if _in_forward(one[1])]
        if not stage:
            return self._unknown(model, "no forward that runs over the layers is in view")
        module, note = min(stage, key=lambda one: not one[1].symbol.endswith(".forward"))
        return Cell(
            MET, self.project.files[module], note.line, "", f"`{note.symbol}` runs over `{note.text}`"
        )

    def tied(self, model: Model) -> Cell:
        """A tied head is guarded."""
        gap = self.gap(TIED, model)
        if gap is not None:
            return gap
        never = self._noted(NO_TIE)
        if never:
            module, note = never[0]
            said = "the class itself sets `tie_word_embeddings` to False"
            return Cell(NOT_APPLICABLE, self.project.files[module], note.line, "", said)
        guarded = self._noted(TIE)
        if guarded:
            module, note = guarded[0]
            said = f"`{note.text}` becomes the head only where there is one stage"
            return Cell(MET, self.project.files[module], note.line, "", said)
        for _, one in model.inner:
            for tie in _ties(self.project, one):
                return self._unguarded(one, tie)
        for _, one in model.inner:
            if (unclear := self._unclear(one)) is not None:
                return unclear
        if not model.layers:
            return self._unknown(model, "the model's parts are not in view")
        return Cell(NOT_APPLICABLE, "", 0, "", "no head is tied to the embedding")

    def _unguarded(self, class_id: str, tie: Tie) -> Cell:
        """A tie that the rule lets pass: right where the last stage has the embedding as well."""
        kinds = kept_along(self.project, class_id, tie.path[:-1])
        file = self.project.files[self.project.module_of(tie.owner)]
        head, last = tie.attribute, tie.path[-1]
        named = ".".join(("self", *tie.path))
        if kinds and not any(may_have(self.project, one, last) for one in kinds):
            owner = self.project.class_name(min(kinds))
            said = f"`{head}` is `{named}`, untested, and `{owner}` has no `{last}`"
            return Cell(MISSING, file, tie.line, "", said)
        stages = [stage_module(self.project, one, last) for one in sorted(kinds)]
        if kinds and all(one is None or LAST in one.real_on for one in stages):
            said = f"`{head}` is `{named}`, which the last stage has as well"
            return Cell(MET, file, tie.line, "", said)
        said = f"`{head}` is `{named}`; on which stages that is, is not known"
        return Cell(UNKNOWN, file, tie.line, "", said)

    def _unclear(self, class_id: str) -> Cell | None:
        """A head, or the weight of one, that is assigned from an embedding in a way that is not understood."""
        for one in self.project.mro(class_id):
            module = self.project.module_of(one)
            for node in self.sources.class_body(one):
                text = _from_embedding(node)
                if text and self.runs.holds(module, f"{self.project.class_name(one)}.__init__"):
                    said = f"`{text}`; on which stages that is, is not known"
                    return Cell(UNKNOWN, self.project.files[module], node.lineno, "", said)
        return None

    def _noted(self, kind: str) -> list[tuple[str, Note]]:
        return [one for one in self.notes if one[1].kind == kind]

    def _unknown(self, model: Model, reason: str) -> Cell:
        module = self.project.module_of(model.class_id)
        return Cell(
            UNKNOWN, self.project.files[module], self.project.classes[model.class_id]["line"], "", reason
        )


def _ties(project: Project, class_id: str) -> Iterator[Tie]:
    """The heads of a class that are assigned from an embedding."""
    for one in project.mro(class_id):
        for attribute, entries in project.classes[one]["attrs"].items():
            for entry in entries if HEAD.match(attribute) else ():
                path = entry["v"][1] if entry["v"][0] == "path" else []
                if len(path) > 1 and path[0] == "self" and EMBEDDING.match(path[-1]):
                    yield Tie(one, attribute, int(entry["line"]), tuple(path[1:]))


def _from_embedding(node: ast.stmt) -> str:
    """The text of a statement that gives a head something of an embedding, or ""."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return ""
    path = v.dotted(node.targets[0]) or ()
    head = path[1:2] if path[:1] == ("self",) and path[2:] in ((), ("weight",)) else ()
    source = node.value.func if isinstance(node.value, ast.Call) else node.value
    return ast.unparse(node) if head and HEAD.match(head[0]) and "embed" in ast.unparse(source) else ""


def _in_forward(note: Note) -> bool:
    return "forward" in note.symbol.rpartition(".")[2]


def _is_range(note: Note) -> bool:
    return note.text.startswith("range(")


def _more(first: Finding, others: Sequence[Finding]) -> str:
    """Where further findings of the same kind are, for the end of a sentence."""
    places = []
    for one in others:
        file = "" if one.path == first.path else f"{os.path.basename(one.path)}:"
        code = "" if one.code == first.code else f" ({one.code})"
        places.append(f"{file}{one.span.line}{code}")
    places = list(dict.fromkeys(places))
    if not places:
        return ""
    rest = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return f", also in line {', '.join(places[:_SHOWN])}{rest}"


def _short(message: str) -> str:
    """The first part of a finding's message."""
    return message.split(": ")[0]
