"""Tests of a stage range that filter nothing, since what they ask for is nowhere."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pplint.engine import values as v
from pplint.engine.names import Place
from pplint.engine.project import Project
from pplint.engine.reach import may_have
from pplint.engine.vocabulary import is_start
from pplint.records import Record


class Vain(Record):
    """A test that filters nothing: it asks for `attribute`, which no instance of the class `lacks` has."""

    test: ast.expr
    attribute: str
    lacks: str


def asked_in_vain(project: Project, place: Place, test: ast.expr, parts: Iterable[ast.AST]) -> Vain | None:
    """What the parts of a test ask for with `hasattr(self.model, "start_layer")`, where nothing there has it."""
    for part in parts:
        if not isinstance(part, ast.Call) or v.dotted(part.func) != ("hasattr",) or len(part.args) != 2:
            continue
        path, asked = v.dotted(part.args[0]), part.args[1]
        name = str(asked.value) if isinstance(asked, ast.Constant) else ""
        if path is None or not is_start(name):
            continue
        kinds = project.types_of(place, path)
        if kinds and not any(may_have(project, one, name) for one in kinds):
            return Vain(test, f"{'.'.join(path)}.{name}", project.class_name(min(kinds)))
    return None
