"""From the facts of a tree to the rows of its models: which files are walked, and what makes each cell."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence

from pplint.engine.accessors import Accessors
from pplint.engine.deep import with_room
from pplint.engine.facts import Facts
from pplint.engine.project import Project
from pplint.engine.reach import entries_above, named_entries
from pplint.finding import INFO
from pplint.readiness.cells import Structure
from pplint.readiness.duties import COLUMNS, NOT_APPLICABLE, UNKNOWN, Cell, Matrix, Row, is_below, verdict_of
from pplint.readiness.models import MODEL, Model, model_of
from pplint.readiness.rules import CODES, ENDS, PROXIES, Judgement
from pplint.readiness.runs import Runs
from pplint.readiness.sources import Sources
from pplint.readiness.walk import Seen, walked
from pplint.readiness.whatif import as_if_split

_UNSPLIT = frozenset({"PPL303"})


def rows_below(project: Project, paths: Sequence[str]) -> Matrix:
    """The rows of the classes that modules at or below some absolute paths name in `EntryClass`."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _Rows(project, paths).matrix()
    except RecursionError:
        return with_room(lambda: _Rows(project, paths).matrix())
    finally:
        if collecting:
            gc.enable()


class _Rows:
    def __init__(self, project: Project, paths: Sequence[str]) -> None:
        self.project = project
        self.sources = Sources(project.files)
        self.models: list[Model] = []
        self.unseen: list[tuple[str, str]] = []
        for module, name, class_id in named_entries(project):
            if is_below(project.files[module], paths):
                if class_id is None:
                    self.unseen.append((module, name))
                else:
                    self.models.append(model_of(project, class_id))
        self.whatif = as_if_split(project, self.models)
        asked = [one for one in self.models if one.kind == MODEL]
        self.runs = {one.class_id: Runs(self.whatif, self.sources, one) for one in asked}
        modules = dict.fromkeys(module for runs in self.runs.values() for module in runs.modules)
        self.seen = self._walk(self.whatif, modules, CODES)
        whole = dict.fromkeys(
            project.module_of(layers.owner)
            for one in asked
            for layers in one.layers
            if not layers.split and any(map(project.accepts_pp, entries_above(project, layers.owner)))
        )
        unsplit = frozenset(
            (module, finding.span.line)
            for module, seen in self._walk(project, whole, _UNSPLIT).items()
            for finding in seen.findings
            if finding.code in _UNSPLIT and finding.severity != INFO
        )
        self.structure = Structure(project, self.whatif, self.sources, unsplit)

    def matrix(self) -> Matrix:
        """The rows by path and line, and the rules that crashed on the way."""
        found = {self._row(model) for model in self.models}
        found |= {self._unseen(module, name) for module, name in self.unseen}
        rows = tuple(sorted(found, key=lambda row: (row.path, row.line, row.name)))
        return Matrix(rows, tuple(sorted({one for seen in self.seen.values() for one in seen.troubles})))

    def _unseen(self, module: str, name: str) -> Row:
        """The row of a class that a module names and that is defined nowhere in view."""
        path = self.project.files[module]
        cells = (Cell(UNKNOWN, path, 1, "", f"`{name}` is not defined in view"),) * len(COLUMNS)
        return Row(name, path, 1, verdict_of(cells), cells)

    def _walk(self, project: Project, modules: Iterable[str], codes: frozenset[str]) -> dict[str, Seen]:
        facts = Facts(project, Accessors(project))
        found: dict[str, Seen] = {}
        for module in modules:
            parsed = self.sources.parsed(module)
            if parsed is not None:
                found[module] = walked(facts, module, *parsed, codes)
        return found

    def _file(self, model: Model) -> str:
        return self.project.files[self.project.module_of(model.class_id)]

    def _row(self, model: Model) -> Row:
        line = self.project.classes[model.class_id]["line"]
        name = self.project.class_name(model.class_id)
        cells = self._cells(model)
        return Row(name, self._file(model), line, verdict_of(cells), cells)

    def _cells(self, model: Model) -> tuple[Cell, ...]:
        if model.kind != MODEL:
            return (Cell(NOT_APPLICABLE, "", 0, "", model.why),) * len(COLUMNS)
        structure = self.structure
        judgement = Judgement(self.whatif, self.sources, self.runs[model.class_id], self.seen)
        return (
            judgement.gap(PROXIES, model) or structure.refused(model) or structure.proxies(model),
            structure.split(model),
            structure.range(model),
            judgement.gap(ENDS, model) or structure.ends(model),
            judgement.tied(model),
            structure.loader(model),
            judgement.indices(model),
            judgement.loops(model),
        )
