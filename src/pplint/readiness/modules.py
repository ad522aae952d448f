"""Where a model keeps its embedding, its final norm and its output head, and on which stages they are real."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pplint.engine.guards import FIRST, LAST, SINGLE
from pplint.engine.modules import StageModule, stage_module
from pplint.engine.project import Project
from pplint.engine.vocabulary import MISSING_LAYER
from pplint.readiness.models import Model
from pplint.records import Record

EMBEDDING = re.compile(
    r"^(embed_tokens|embed_token|embed_in|word_embeddings?|tok_embeddings|token_embeddings?|wte|embeddings?|embed)$"
)
_NORM = re.compile(
    r"^(norm|norm_f|ln_f|layer_norm|embedding_norm|final_norm|final_layer_?norm|last_layer_?norm|output_norm"
    r"|model_norm)$"
)
HEAD = re.compile(r"^(lm_head|output|embed_out|output_layer|lm_head_\w+|head)$")
_BUILDS_EMBEDDING = re.compile(r"embed", re.IGNORECASE)
_BUILDS_NORM = re.compile(r"")
_BUILDS_HEAD = re.compile(r"Head|Linear|Embedding")
_PLACEHOLDER = ["call", [MISSING_LAYER]]
_ABSENT = frozenset({MISSING_LAYER, "Identity"})


class EndModule(Record):
    """A module that belongs to the first or the last stage: who assigns it, and where it is built.

    `stage` says on which stages it is real, None when that is not known or every stage has it; `placed` is true when
    it is built under a test of the stage even if which one is not known.
    """

    owner: str
    attribute: str
    line: int
    stage: StageModule | None
    placed: bool


Finder = Callable[[Project, str], Iterator[EndModule]]


def end_modules(project: Project, model: Model, finder: Finder) -> list[EndModule]:
    """The modules of one kind in a model: those of the classes nearest to its layers that have any.

    What an outer class has under such a name is part of something else, such as an encoder.
    """
    found: dict[EndModule, None] = {}
    for layers in model.layers:
        chains = [layers.path[:length] for length in range(len(layers.path), -1, -1)]
        for chain in chains:
            classes = [one for path, one in model.inner if path == chain]
            nearest = [module for one in classes for module in finder(project, one)]
            if nearest:
                found.update(dict.fromkeys(nearest))
                break
    return list(found)


def embeddings(project: Project, class_id: str) -> Iterator[EndModule]:
    """The embeddings of tokens that a class or a base builds."""
    return _modules(project, class_id, EMBEDDING, _BUILDS_EMBEDDING)


def norms(project: Project, class_id: str) -> Iterator[EndModule]:
    """The norms after the last layer that a class or a base builds."""
    return _modules(project, class_id, _NORM, _BUILDS_NORM)


def heads(project: Project, class_id: str) -> Iterator[EndModule]:
    """The output heads that a class or a base builds (a head that is only tied is none)."""
    return _modules(project, class_id, HEAD, _BUILDS_HEAD)


def _modules(
    project: Project, class_id: str, names: re.Pattern[str], builder: re.Pattern[str]
) -> Iterator[EndModule]:
    attributes = dict.fromkeys(
        name for one in project.mro(class_id) for name in project.classes[one]["attrs"] if names.match(name)
    )
    for attribute in attributes:
        for one in project.mro(class_id):
            entries = project.classes[one]["attrs"].get(attribute, ())
            built = [entry for entry in entries if _builds(entry["v"], builder)]
            if built:
                placed = any(entry["v"][:2] == _PLACEHOLDER for entry in entries)
                placed = placed or all(
                    _under_test(entry) or _in_method(project, one, entry["v"]) for entry in built
                )
                yield EndModule(
                    one, attribute, built[0]["line"], stage_module(project, one, attribute), placed
                )
                break


def _builds(value: list[Any], builder: re.Pattern[str]) -> bool:
    """Whether a value is a constructor's call of such a module, and no placeholder."""
    return value[0] == "call" and value[1][-1] not in _ABSENT and builder.search(value[1][-1]) is not None


def _under_test(entry: dict[str, Any]) -> bool:
    """Whether a module is built on one end of the pipeline only: where both tests hold, there is one stage."""
    on = set(entry.get("on", ()))
    return len(on & {FIRST, LAST}) == 1 and SINGLE not in on


def _in_method(project: Project, class_id: str, value: list[Any]) -> bool:
    """Whether a method of the class builds the module on some stages and returns a placeholder on others."""
    found = project.method(class_id, value[1][1]) if value[1][0] == "self" and len(value[1]) == 2 else None
    made = [one[1][-1] for one in found[1]["returns"] if one[0] == "call"] if found is not None else []
    return not _ABSENT.isdisjoint(made) and not set(made) <= _ABSENT
