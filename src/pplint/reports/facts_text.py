"""What was learnt from a tree, for a reader: accessors, lists, ranges, and the lines that prove them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pplint.engine.accessors import GLOBAL, LOCAL
from pplint.engine.facts import Facts
from pplint.engine.root import Root
from pplint.reports.harmless import harmless


def facts_lines(facts: Facts, root: Root) -> Iterator[str]:
    """The facts of a tree, one a line, grouped by kind; files are named below the root."""
    yield from map(harmless, _parameters(facts, root))
    yield from map(harmless, _classes(facts, root))


def _parameters(facts: Facts, root: Root) -> Iterator[str]:
    project, accessors = facts
    for space in (GLOBAL, LOCAL):
        noun = "layer id" if space == GLOBAL else "index"
        yield f"# parameters that take a {space} {noun}"
        for function in sorted(accessors.spaces[space]):
            for parameter, evidence in sorted(accessors.spaces[space][function].items()):
                proof = accessors.chain(evidence)[-1]
                where = _where(project.files.get(proof.module, ""), proof.line, root)
                yield f"{function}({parameter})  {proof.text}  [{where}]"
        yield ""


def _classes(facts: Facts, root: Root) -> Iterator[str]:
    project = facts.project
    lists, mappings, missing, owners, accepting = [], [], [], [], []
    for class_id, one in sorted(project.classes.items()):
        where = project.files.get(project.module_of(class_id), "")
        for attribute, entries in sorted(one["attrs"].items()):
            line = entries[0]["line"]
            padded = project.padded_attribute(class_id, attribute)
            if padded is not None and padded.owner == class_id:
                text = f"range: {padded.start or '?'}, {padded.end or '?'}"
                lists.append(f"{class_id}.{attribute}  {text}  [{_where(where, padded.line, root)}]")
            if any(entry["v"] == ["mapping"] for entry in entries):
                mappings.append(f"{class_id}.{attribute}  [{_where(where, line, root)}]")
        for attribute, line in sorted(project.missing_modules(class_id).items()):
            if any(entry["line"] == line for entry in one["attrs"].get(attribute, ())):
                missing.append(f"{class_id}.{attribute}  [{_where(where, line, root)}]")
        if "start_layer" in one["attrs"] or one["methods"].get("start_layer", {}).get("property"):
            owners.append(f"{class_id}")
        if one["methods"].get("forward", {}).get("proxy"):
            accepting.append(class_id)
    yield from _section("padded layer lists", lists)
    yield from _section("dictionaries from GLOBAL layer ids to DENSE ids", mappings)
    yield from _section("modules that are placeholders on some stage", missing)
    yield from _section("classes that say their start_layer", owners)
    yield from _section("classes whose forward takes stage proxies", accepting)


def _section(title: str, lines: list[str]) -> Iterator[str]:
    yield f"# {title}"
    yield from lines
    yield ""


def _where(path: str, line: int, root: Root) -> str:
    return f"{os.path.relpath(path, root.path).replace(os.sep, '/')}:{line}" if path else "sglang.toml"
