"""The cells of a row that the rules decide: a tied head, literal layers, loops; and reads of modules that are not there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pplint.engine.guards import LAST
from pplint.engine.modules import stage_module
from pplint.engine.project import Project
from pplint.engine.readiness import MET, MISSING, NOT_APPLICABLE, UNKNOWN, Cell
from pplint.engine.ready_models import Model, kept_classes
from pplint.engine.ready_modules import EMBEDDING, HEAD
from pplint.engine.ready_runs import Runs
from pplint.engine.ready_walk import (
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
from pplint.finding import INFO, Finding

TIED = ("PPL502", "PPL705")
INDICES = ("PPL101", "PPL201", "PPL202", "PPL203", "PPL601", "PPL706")
LOOPS = ("PPL301", "PPL402", "PPL403", "PPL602")
ENDS = ("PPL501",)
CODES = frozenset((*TIED, *INDICES, *LOOPS, *ENDS))


class Judgement:
    """What the rules and the recorder saw in the functions that run in one model."""

    def __init__(self, project: Project, runs: Runs, seen: Mapping[str, Seen]) -> None:
        self.project = project
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

    def gap(self, codes: Iterable[str]) -> Cell | None:
        """The first finding of some rules as a cell, with how many more there are; or None."""
        found = [one for one in self.findings if one.code in codes]
        if not found:
            return None
        first = min(found, key=lambda one: (tuple(codes).index(one.code), one.path, one.span.line))
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return Cell(MISSING, first.path, first.span.line, first.code, f"{_short(first.message)}{more}")

    def indices(self, model: Model) -> Cell:
        """No layer is named by a literal."""
        gap = self.gap(INDICES)
        if gap is not None:
            return gap
        if not model.layers:
            return self._unknown(model, "no list of layers is in view")
        for module, note in self._noted(LITERAL):
            said = f"`{note.text}` in `{note.symbol}` names a layer by a number, untested"
            return Cell(MISSING, self.project.files[module], note.line, "", said)
        taken = [one for kind in (INDEX, GUARDED, STAGE_LOOP, WHOLE_LOOP) for one in self._noted(kind)]
        if not taken:
            return self._unknown(model, "no place is seen that takes a layer from its list")
        module, note = taken[0]
        places = f"{len(taken)} place{'s' if len(taken) > 1 else ''} that take layers, such as `{note.text}`"
        guarded = self._noted(GUARDED)
        said = f"`{guarded[0][1].text}` stands under a test" if guarded else "no literal"
        return Cell(MET, self.project.files[module], note.line, "", f"{places}: {said}")

    def loops(self, model: Model) -> Cell:
        """Loops run over the layers of the stage only."""
        gap = self.gap(LOOPS)
        if gap is not None:
            return gap
        whole = [
            (m, n) for m, n in self._noted(WHOLE_LOOP) if n.symbol.rpartition(".")[2].startswith("forward")
        ]
        if whole:
            module, note = whole[0]
            said = f"`{note.symbol}` runs over `{note.text}`, all layers of the model"
            return Cell(MISSING, self.project.files[module], note.line, "", said)
        stage = self._noted(STAGE_LOOP)
        if not stage:
            return self._unknown(model, "no loop over the layers is seen")
        module, note = min(stage, key=lambda one: not one[1].symbol.endswith(".forward"))
        return Cell(
            MET, self.project.files[module], note.line, "", f"`{note.symbol}` runs over `{note.text}`"
        )

    def tied(self, model: Model) -> Cell:
        """A tied head is guarded."""
        gap = self.gap(TIED)
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
            for attribute, line, path in _tied_attributes(self.project, one):
                return self._unguarded(one, attribute, line, path)
        if not model.layers:
            return self._unknown(model, "the model's parts are not in view")
        return Cell(NOT_APPLICABLE, "", 0, "", "no head is tied to the embedding")

    def _unguarded(self, class_id: str, attribute: str, line: int, path: tuple[str, ...]) -> Cell:
        """A tie that the rule lets pass: right where the last stage has the embedding as well."""
        kinds = frozenset({class_id})
        for name in path[:-1]:
            kinds = frozenset(k for one in kinds for k in kept_classes(self.project, one, name))
        file = self.project.files[self.project.module_of(class_id)]
        named = ".".join(("self", *path))
        if kinds and not any(_keeps(self.project, one, path[-1]) for one in kinds):
            owner = self.project.class_name(min(kinds))
            said = f"`{attribute}` is `{named}`, untested, and `{owner}` has no `{path[-1]}`"
            return Cell(MISSING, file, line, "", said)
        stages = [stage_module(self.project, one, path[-1]) for one in sorted(kinds)]
        if kinds and all(one is None or LAST in one.real_on for one in stages):
            said = f"`{attribute}` is `{named}`, which the last stage has as well"
            return Cell(MET, file, line, "", said)
        return Cell(
            UNKNOWN, file, line, "", f"`{attribute}` is `{named}`; on which stages that is, is not known"
        )

    def _noted(self, kind: str) -> list[tuple[str, Note]]:
        return [one for one in self.notes if one[1].kind == kind]

    def _unknown(self, model: Model, reason: str) -> Cell:
        module = self.project.module_of(model.class_id)
        return Cell(
            UNKNOWN, self.project.files[module], self.project.classes[model.class_id]["line"], "", reason
        )


def _tied_attributes(project: Project, class_id: str) -> list[tuple[str, int, tuple[str, ...]]]:
    """The heads of a class that are assigned from an embedding: attribute, line, the chain after `self`."""
    found = []
    for one in project.mro(class_id):
        for attribute, entries in project.classes[one]["attrs"].items():
            for entry in entries if HEAD.match(attribute) else ():
                path = entry["v"][1] if entry["v"][0] == "path" else []
                if len(path) > 1 and path[0] == "self" and EMBEDDING.match(path[-1]):
                    found.append((attribute, int(entry["line"]), tuple(path[1:])))
    return found


def _keeps(project: Project, class_id: str, attribute: str) -> bool:
    known = (project.classes[one] for one in project.mro(class_id))
    return any(attribute in facts["attrs"] or attribute in facts["methods"] for facts in known)


def _short(message: str) -> str:
    """The first part of a finding's message."""
    return message.split(": ")[0]
