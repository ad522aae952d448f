"""What was learnt from a tree: accessors, lists, ranges, and the lines that prove them; for readers and for programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from pplint.engine.accessors import GLOBAL, LOCAL
from pplint.engine.facts import Facts
from pplint.engine.root import Root
from pplint.reports.harmless import harmless

VERSION = 1
_TITLES = {
    "padded_lists": "padded layer lists",
    "mappings": "dictionaries from GLOBAL layer ids to DENSE ids",
    "missing_modules": "modules that are placeholders on some stage",
    "owners": "classes that say their start_layer",
    "accepting": "classes whose forward takes stage proxies",
}


def facts_data(facts: Facts, root: Root) -> dict[str, Any]:
    """The facts of a tree as plain data, ready for JSON.

    Paths are relative to `root`; path and line are None for what `sglang.toml` says.
    """
    parameters = list(_parameters(facts, root))
    return {"version": VERSION, "root": root.path, "parameters": parameters, **_classes(facts, root)}


def facts_lines(facts: Facts, root: Root) -> Iterator[str]:
    """The facts of a tree, one a line, grouped by kind; files are named below the root."""
    data = facts_data(facts, root)
    for space in (GLOBAL, LOCAL):
        yield f"# parameters that take a {space} {'layer id' if space == GLOBAL else 'index'}"
        for one in data["parameters"]:
            if one["space"] == space:
                yield harmless(f"{one['function']}({one['parameter']})  {one['text']}  [{_shown(one)}]")
        yield ""
    for key, title in _TITLES.items():
        yield f"# {title}"
        for one in data[key]:
            if isinstance(one, str):
                yield harmless(one)
            else:
                stage = f"  range: {one['start'] or '?'}, {one['end'] or '?'}" if "start" in one else ""
                yield harmless(f"{one['attribute']}{stage}  [{_shown(one)}]")
        yield ""


def _parameters(facts: Facts, root: Root) -> Iterator[dict[str, Any]]:
    project, accessors = facts
    for space in (GLOBAL, LOCAL):
        for function, found in sorted(accessors.spaces[space].items()):
            for parameter, evidence in sorted(found.items()):
                proof = accessors.chain(evidence)[-1]
                yield {
                    "function": function,
                    "parameter": parameter,
                    "space": space,
                    "text": proof.text,
                    **_where(project.files.get(proof.module, ""), proof.line, root),
                }


def _classes(facts: Facts, root: Root) -> dict[str, list[Any]]:
    project = facts.project
    found: dict[str, list[Any]] = {key: [] for key in _TITLES}
    for class_id, one in sorted(project.classes.items()):
        file = project.files.get(project.module_of(class_id), "")
        for attribute, entries in sorted(one["attrs"].items()):
            name = {"attribute": f"{class_id}.{attribute}"}
            padded = project.padded_attribute(class_id, attribute)
            if padded is not None and padded.owner == class_id:
                stage = {"start": padded.start or None, "end": padded.end or None}
                found["padded_lists"].append({**name, **stage, **_where(file, padded.line, root)})
            if any(entry["v"] == ["mapping"] for entry in entries):
                found["mappings"].append({**name, **_where(file, entries[0]["line"], root)})
        for attribute, (setter, line) in sorted(project.missing_modules(class_id).items()):
            if setter == class_id:
                found["missing_modules"].append(
                    {"attribute": f"{class_id}.{attribute}", **_where(file, line, root)}
                )
        if "start_layer" in one["attrs"] or one["methods"].get("start_layer", {}).get("property"):
            found["owners"].append(class_id)
        if one["methods"].get("forward", {}).get("proxy"):
            found["accepting"].append(class_id)
    return found


def _where(path: str, line: int, root: Root) -> dict[str, Any]:
    if not path:
        return {"path": None, "line": None}
    return {"path": os.path.relpath(path, root.path).replace(os.sep, "/"), "line": line}


def _shown(one: dict[str, Any]) -> str:
    return f"{one['path']}:{one['line']}" if one["path"] else "sglang.toml"
