"""The facts as they would be if every top-level model took part in pipeline parallelism.

With them the rules say what would break in a model that is not split today: the same rules, the same questions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pplint.engine.guards import FIRST, LAST
from pplint.engine.project import Project
from pplint.engine.vocabulary import MISSING_LAYER
from pplint.readiness.models import MODEL, LayerList, Model, leads
from pplint.readiness.modules import embeddings, norms


def as_if_split(project: Project, models: Iterable[Model]) -> Project:
    """A project in which the models accept stage proxies, and those that keep all layers are split."""
    changed: dict[str, dict[str, Any]] = {}
    for model in models:
        if model.kind != MODEL:
            continue
        for layers in model.layers:
            if not layers.split:
                _split(project, layers, changed)
        for path, one in model.inner:
            for base in project.mro(one):
                _accept(project, base, changed)
            split = {layers.split for layers in model.layers if leads(project, one, layers, len(path))}
            _place(project, one, split == {False}, changed)
    summaries = dict(project.summaries)
    for class_id, facts in changed.items():
        module, name = project.module_of(class_id), project.class_name(class_id)
        summary = summaries[module]
        summaries[module] = {**summary, "classes": {**summary["classes"], name: facts}}
    return Project(summaries, project.files)


def _changed(project: Project, class_id: str, changed: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The class's facts to change: a copy as far as this module changes it."""
    if class_id not in changed:
        facts = project.classes[class_id]
        changed[class_id] = {**facts, "methods": dict(facts["methods"]), "attrs": dict(facts["attrs"])}
    return changed[class_id]


def _accept(project: Project, class_id: str, changed: dict[str, dict[str, Any]]) -> None:
    forward = project.classes[class_id]["methods"].get("forward")
    if forward is not None and not forward["proxy"]:
        _changed(project, class_id, changed)["methods"]["forward"] = {**forward, "proxy": True}


def _split(project: Project, layers: LayerList, changed: dict[str, dict[str, Any]]) -> None:
    """Let the list be made by a maker that is told the stage, with its range beside it."""
    attributes = _changed(project, layers.owner, changed)["attrs"]
    call = ["call", ["make_layers"], ["pp_rank", "pp_size"], False, layers.line, 4]
    known = {"line": layers.line, "method": "__init__"}
    attributes[layers.attribute] = [{**known, "v": ["unpacked", call, "start_layer", "end_layer"]}]
    for position, name in enumerate(("start_layer", "end_layer"), 1):
        attributes.setdefault(name, [{**known, "v": ["item", call, position]}])


def _place(project: Project, class_id: str, whole: bool, changed: dict[str, dict[str, Any]]) -> None:
    """Let the embedding stay on the first stage and the final norm on the last.

    Those of a model whose layers are `whole`, and those that are placed by a test which is not understood.
    """
    for stage, modules in ((FIRST, embeddings), (LAST, norms)):
        for module in modules(project, class_id):
            if module.stage is None and (whole or module.placed):
                entries = project.classes[module.owner]["attrs"][module.attribute]
                attributes = _changed(project, module.owner, changed)["attrs"]
                real = [{**entry, "method": "__init__", "on": [stage]} for entry in entries]
                absent = ["call", [MISSING_LAYER], [], False, module.line, 0]
                placeholder = {"v": absent, "line": module.line, "method": "__init__", "off": [stage]}
                attributes[module.attribute] = [
                    *(one for one in real if one["v"][:2] != absent[:2]),
                    placeholder,
                ]
