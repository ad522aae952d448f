"""Which functions run in a model: its classes with their methods as they inherit them, and the layers that it builds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.builds import is_super
from pplint.engine.dispatch import built_elements
from pplint.engine.names import Place
from pplint.engine.project import Project
from pplint.readiness.models import LayerList, Model, kept_classes
from pplint.readiness.sources import Sources

_DEPTH = 2


class Runs:
    """The functions of one model: `modules` are those to look at, `holds` tells whether a symbol runs in it."""

    def __init__(self, project: Project, sources: Sources, model: Model) -> None:
        self.project = project
        self.sources = sources
        classes = dict.fromkeys(one for _, one in model.inner)
        for layers in model.layers:
            for one in self._elements(layers):
                classes.update(dict.fromkeys(self._parts(one, _near(project, model.class_id), 0)))
        self._methods: set[tuple[str, str]] = set()
        self.modules: dict[str, None] = {}
        for one in classes:
            self._add(one)
        self._functions = {project.module_of(one) for _, one in model.inner}

    def holds(self, module: str, symbol: str) -> bool:
        """Whether the function at a symbol of a module (`Class.method`, `function`) runs in the model."""
        parts = symbol.split(".")
        for cut in range(len(parts), 0, -1):
            class_id = f"{module}:{'.'.join(parts[:cut])}"
            if class_id in self.project.classes:
                return (class_id, (parts[cut:] or [""])[0]) in self._methods
        return module in self._functions

    def _add(self, class_id: str) -> None:
        project, above = self.project, set()
        for one in project.mro(class_id):
            self.modules[project.module_of(one)] = None
            self._methods.add((one, ""))
            for method, facts in project.classes[one]["methods"].items():
                if method not in above or (one, method) in self._methods:
                    self._methods.add((one, method))
                above.add(method)
                if method in facts["supers"]:
                    above.discard(method)
            if "__init__" in project.classes[one]["methods"] and _builds_above(project, one):
                above.discard("__init__")

    def _elements(self, layers: LayerList) -> set[str]:
        """The classes whose instances a list of layers holds."""
        module = self.project.module_of(layers.owner)
        place = Place(module, layers.owner, "__init__", layers.holder)
        found: set[str] = set()
        for call in _makers(self.sources.around(module, layers.line)):
            path = v.dotted(call.func)
            if path is not None:
                found |= self.project.callee_classes(place, list(path))
        padded = self.project.padded_attribute(layers.holder, layers.attribute)
        return found.union(*built_elements(self.project, padded, layers.holder) if padded is not None else ())

    def _parts(self, class_id: str, near: str, depth: int) -> Iterator[str]:
        """A layer's class and those of its attributes, as far as they lie where the models are."""
        module = self.project.module_of(class_id)
        if module.rpartition(".")[0].startswith(near) and depth <= _DEPTH:
            yield class_id
            names = {
                name for one in self.project.mro(class_id) for name in self.project.classes[one]["attrs"]
            }
            for name in sorted(names):
                for kind in sorted(kept_classes(self.project, class_id, name)):
                    yield from self._parts(kind, near, depth + 1)


def _near(project: Project, class_id: str) -> str:
    return project.module_of(class_id).rpartition(".")[0]


def _builds_above(project: Project, class_id: str) -> bool:
    """Whether a class calls the constructor of its base."""
    module, name = project.module_of(class_id), project.class_name(class_id)
    return any(
        is_super(build) and build["in"] == [name, "__init__"] for build in project.summaries[module]["builds"]
    )


def _makers(around: list[ast.stmt]) -> Iterator[ast.Call]:
    """The calls in the statement that makes a list, and in the functions beside it that it names."""
    if not around or not isinstance(around[-1], ast.Assign):
        return
    made = around[-1].value
    names = {part.id for part in ast.walk(made) if isinstance(part, ast.Name)}
    beside = [
        one
        for outer in around
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef))
        for one in outer.body
        if isinstance(one, ast.FunctionDef) and one.name in names
    ]
    for part in (part for one in (made, *beside) for part in ast.walk(one)):
        if isinstance(part, ast.Call):
            yield part
