"""The cells of a row that the structure of a model decides: proxies, split, range, ends, loader."""

from __future__ import annotations

import ast
from typing import Any

from pplint.engine.guards import FIRST, SINGLE, required, stage_facts
from pplint.engine.project import Project
from pplint.engine.reach import forwards_range, hidden, may_have, tells_nothing
from pplint.readiness.duties import MET, MISSING, UNKNOWN, Cell
from pplint.readiness.loader import LoaderUse
from pplint.readiness.models import LayerList, Model, kept_along, kept_classes
from pplint.readiness.modules import EndModule, embeddings, end_modules, heads, norms
from pplint.readiness.proxies import ProxyUse
from pplint.readiness.sources import Sources

_RANGE = ("start_layer", "end_layer")
_STATES = {True: MET, False: MISSING, None: UNKNOWN}


class Structure:
    """Answers for one tree; `unsplit` are the places that PPL303 reports (module and line)."""

    def __init__(
        self, project: Project, whatif: Project, sources: Sources, unsplit: frozenset[tuple[str, int]]
    ) -> None:
        self.project = project
        self.sources = sources
        self.unsplit = unsplit
        self.proxies_of = ProxyUse(project, sources)
        self.loader_of = LoaderUse(whatif, sources)

    def cell(self, state: str, module: str, line: int, reason: str, code: str = "") -> Cell:
        """A cell with a place in a module."""
        return Cell(state, self.project.files.get(module, ""), line, code, reason)

    def at_class(self, state: str, class_id: str, reason: str, code: str = "") -> Cell:
        """A cell at the first line of a class."""
        line = self.project.classes[class_id]["line"]
        return self.cell(state, self.project.module_of(class_id), line, reason, code)

    def refused(self, model: Model) -> Cell | None:
        """The test without which the model cannot be made, where it asks for a single stage."""
        for class_id in (model.class_id, *(layers.owner for layers in model.layers)):
            module, name = self.project.module_of(class_id), self.project.class_name(class_id)
            parsed = self.sources.parsed(module)
            body = parsed[1].body if parsed is not None else []
            classes = {one.name: one for one in body if isinstance(one, ast.ClassDef)}
            for atom in required(classes[name], classes) if name in classes else ():
                if SINGLE in stage_facts([atom]):
                    reason = (
                        f"`{name}` cannot be made on several stages: its constructor asks for a single one"
                    )
                    return self.cell(MISSING, module, atom.test.lineno, reason)
        return None

    def proxies(self, model: Model) -> Cell:
        """Forward takes proxies and uses them."""
        answer = self.proxies_of.of(model.class_id)
        return self.cell(_STATES[answer.used], answer.module, answer.line, answer.reason)

    def split(self, model: Model) -> Cell:
        """The layers are split by stage."""
        if not model.layers:
            return self.at_class(UNKNOWN, model.class_id, "no list of layers is in view")
        for layers in model.layers:
            module, name = self.project.module_of(layers.owner), self.project.class_name(layers.owner)
            constant = self._told(layers) if layers.split else ""
            if constant or not layers.split:
                code = "PPL303" if (module, layers.line) in self.unsplit else ""
                said = f"told {constant}" if constant else "not told the stage"
                reason = f"`{layers.attribute}` of `{name}` is made whole: its maker is {said}"
                return self.cell(MISSING, module, layers.line, reason, code)
        first = model.layers[0]
        name = self.project.class_name(first.owner)
        reason = f"`{first.attribute}` of `{name}` holds the layers of one stage"
        return self.cell(MET, self.project.module_of(first.owner), first.line, reason)

    def _told(self, layers: LayerList) -> str:
        """What a maker is told in place of the stage's rank, where that is a number."""
        module = self.project.module_of(layers.owner)
        around = self.sources.around(module, layers.line)
        call = around[-1].value if around and isinstance(around[-1], ast.Assign) else None
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg == "pp_rank" and isinstance(keyword.value, ast.Constant):
                return f"`pp_rank={keyword.value.value!r}` on every stage"
        return ""

    def range(self, model: Model) -> Cell:
        """`start_layer` and `end_layer` are exposed."""
        project, class_id = self.project, model.class_id
        name = project.class_name(class_id)
        found = [self._exposed(class_id, one) for one in _RANGE]
        if found[0] is not None and found[1] is not None:
            wrong = next((one for one in found if one is not None and one.state != MET), None)
            return wrong or found[0]
        forwarder = project.method(class_id, "__getattr__")
        if forwarder is not None and forwards_range(project, class_id):
            reason = f"`{name}` forwards them with `__getattr__`"
            state = MET if self._range_inside(class_id) else UNKNOWN
            return self.cell(state, project.module_of(forwarder[0]), forwarder[1]["line"], reason)
        lacks = " and ".join(f"`{one}`" for one, cell in zip(_RANGE, found, strict=True) if cell is None)
        told = hidden(project, class_id) is None and not tells_nothing(project, class_id)
        return self.at_class(MISSING, class_id, f"`{name}` exposes no {lacks}", "" if told else "PPL702")

    def _range_inside(self, class_id: str) -> bool:
        """Whether an inner object is known to have a range."""
        names = {name for one in self.project.mro(class_id) for name in self.project.classes[one]["attrs"]}
        return any(
            self.project.owns_start(kind)
            for name in names
            for kind in kept_classes(self.project, class_id, name)
        )

    def _exposed(self, class_id: str, name: str) -> Cell | None:
        """How a class exposes one end of its range, or None."""
        project = self.project
        for one in project.mro(class_id):
            module = project.module_of(one)
            facts, owner = project.classes[one], project.class_name(one)
            method = facts["methods"].get(name)
            if method is not None and method["property"]:
                wrong = self._wrong(class_id, name, method["returns"])
                reason = wrong or f"`{owner}.{name}` is a property"
                return self.cell(MISSING if wrong else MET, module, method["line"], reason)
            entries = facts["attrs"].get(name)
            if entries:
                wrong = self._wrong(class_id, name, [entry["v"] for entry in entries])
                reason = wrong or f"`{owner}` assigns `{name}`"
                telling = next((entry for entry in entries if entry["v"][0] != "int"), entries[0])
                return self.cell(MISSING if wrong else MET, module, telling["line"], reason)
        return None

    def _wrong(self, class_id: str, name: str, values: list[list[Any]]) -> str:
        """Why what is exposed is not the stage's range, or ""."""
        if values and all(value[0] == "int" for value in values):
            return f"`{name}` is the number {values[0][1]} on every stage"
        for value in values:
            path = value[1] if value[0] == "path" else []
            if len(path) > 2 and path[0] == "self" and path[-1] == name:
                kinds = kept_along(self.project, class_id, path[1:-1])
                lacking = [one for one in sorted(kinds) if not may_have(self.project, one, name)]
                if lacking:
                    inner = self.project.class_name(lacking[0])
                    return f"`{name}` is taken from `{inner}`, which has none"
        return ""

    def ends(self, model: Model) -> Cell:
        """Embedding, final norm and output head are placed by stage."""
        project = self.project
        found = [end_modules(project, model, kind) for kind in (embeddings, norms, heads)]
        modules = [module for one in found for module in one]
        if not found[0] or not found[1]:
            what = "embedding" if not found[0] else "norm after the last layer"
            return self.at_class(UNKNOWN, model.class_id, f"no {what} is in view")
        everywhere = [one for one in modules if one.stage is None and not one.placed]
        if everywhere:
            names = " and ".join(dict.fromkeys(f"`{one.attribute}`" for one in everywhere))
            many = "are" if len({one.attribute for one in everywhere}) > 1 else "is"
            return self._at(MISSING, everywhere[0], f"{names} {many} built on every stage")
        said = ", ".join(dict.fromkeys(f"`{one.attribute}` {_stages(one)}" for one in modules))
        return self._at(MET, modules[0], said)

    def _at(self, state: str, module: EndModule, reason: str) -> Cell:
        return self.cell(state, self.project.module_of(module.owner), module.line, reason)

    def loader(self, model: Model) -> Cell:
        """The weight loader filters by stage."""
        parts = frozenset(one for _, one in model.inner)
        answer = self.loader_of.of(model.class_id, parts)
        code = "PPL302" if answer.filters is False else ""
        return self.cell(_STATES[answer.filters], answer.module, answer.line, answer.reason, code)


def _stages(module: EndModule) -> str:
    if module.stage is None:
        return "under a test of the stage"
    if len(module.stage.surely_on) > 1:
        return "on the first and the last stage"
    return f"on the {'first' if FIRST in module.stage.surely_on else 'last'} stage"
