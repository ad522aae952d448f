"""What pplint asks of others it keeps itself: no findings, imports that point one way, nothing that is too long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from pplint.cli import run

SRC = Path(__file__).parents[1] / "src"

FLOORS = (
    ("pplint", "pplint.records"),
    ("pplint.finding",),
    (
        "pplint.source",
        "pplint.rules.base",
        "pplint.rules.catalogue",
    ),  # the base says which events the engine calls
    ("pplint.git", "pplint.patch", "pplint.files"),
    ("pplint.engine",),
    ("pplint.judge.learnt", "pplint.judge.wanted", "pplint.known"),
    ("pplint.rules",),
    ("pplint.judge",),  # this runs the rules
    ("pplint.readiness",),
    (
        "pplint.settings",
        "pplint.fixes",
        "pplint.reports",
        "pplint.progress",
        "pplint.impact",
        "pplint.impact_summary",
    ),
    (
        "pplint.ignore_comments",
        "pplint.pylint_blocks",
        "pplint.pylint_comments",
        "pplint.ignores",
        "pplint.baseline",
    ),
    (
        "pplint.request",
        "pplint.sieve",
        "pplint.changed_facts",
        "pplint.look",
        "pplint.repair",
        "pplint.add_ignore",
    ),
    ("pplint.run", "pplint.pylint_here", "pplint.checkup"),
    ("pplint.cli", "pplint.commands", "pplint.hosted", "pplint.pylint_plugin", "pplint.__main__"),
)
"""The rooms from the ground up: a module imports from its own floor and from those below."""

ROOMS = {room: number for number, floor in enumerate(FLOORS) for room in floor}
MODULES = sorted(
    ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
    for path in SRC.rglob("*.py")
)


def room_of(module: str) -> str:
    """The room with the longest name that `module` is or is in; `pplint` itself only is `pplint`."""
    name = module
    while name not in ROOMS:
        name = name.rpartition(".")[0]
    assert name != "pplint" or module == "pplint", f"{module} is in no room: add it to FLOORS"
    return name


def imported(module: str) -> Iterator[str]:
    """The modules of pplint that a module imports when it runs, also inside of functions."""
    path = SRC / (module.replace(".", "/") + ".py")
    if not path.exists():
        path = path.with_suffix("") / "__init__.py"
    nodes: list[ast.AST] = [ast.parse(path.read_bytes())]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            nodes += node.orelse
            continue
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} imports relatively"
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else str(node.module) for name in inside)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        nodes += ast.iter_child_nodes(node)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    floor = ROOMS[room_of(module)]
    ours = {name for name in imported(module) if name.split(".")[0] == "pplint"}
    assert not {name for name in ours if ROOMS[room_of(name)] > floor}


def test_imports_run_in_no_circle() -> None:
    below = {module: set(imported(module)) & set(MODULES) - {module} for module in MODULES}
    list(TopologicalSorter(below).static_order())  # CycleError tells the circle


def test_every_room_exists() -> None:
    built = {room for room in ROOMS if room in MODULES}
    assert set(ROOMS) - built <= {"pplint.impact"}, "a room of the list is gone"


BANNED = {"utils", "helpers", "common", "manager", "misc"}


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_a_name_that_says_something(module: str) -> None:
    assert not BANNED & set(module.split("."))


def test_no_file_has_more_than_300_lines() -> None:
    files = [one for one in (SRC / "pplint").rglob("*.*") if one.is_file() and "__pycache__" not in one.parts]
    lengths = {str(path.relative_to(SRC)): len(path.read_bytes().splitlines()) for path in files}
    assert not {name: length for name, length in lengths.items() if length > 300}


def test_no_function_has_more_than_40_lines() -> None:
    lengths = {
        f"{path.relative_to(SRC)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in SRC.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert not {name: length for name, length in lengths.items() if length > 40}


def test_pplint_has_no_findings_in_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--no-cache", "--no-progress", "--show-info", str(SRC)]) == 0, capsys.readouterr().out
