"""`# pylint:` comments reach as far on the command line as pylint lets them, on blocks of every kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from pylint_desk import Linted, Place, checkout, command_line, pylint, python_files
from pylint_reach import CALL, module

SEEDS = range(60)


class Desk:
    """What pylint and the command line say of all modules."""

    def __init__(self, folder: Path) -> None:
        root = checkout(folder, {f"layers/case{seed}.py": module(seed) for seed in SEEDS})
        enable = ("--disable=all", "--enable=literal-layer-id,open-lines", "--load-plugins=pylint_reach")
        files = python_files(root / "python/sglang/srt/layers")
        self.linted: Linted = pylint(files, cwd=root, enable=enable)
        self.here: list[Place] = command_line(["--select", "PPL101", "."], cwd=root)
        self.open = {other.removeprefix("open-line: ") for other in self.linted.others}

    def closed(self, seed: int, lines: range) -> bool:
        """Whether pylint itself lets no message through on any of the lines."""
        return any(f"case{seed}.py:{line}" not in self.open for line in lines)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("reach"))


def hits(text: str) -> Iterator[tuple[int, range]]:
    """The line of each literal, with the lines of its simple statement or of its header."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        elif isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Match)):
            lines = range(node.lineno, node.lineno + 1)
        else:
            continue
        rows = text.split("\n")
        yield from ((line, lines) for line in lines if CALL in rows[line - 1])


def test_both_say_the_same(desk: Desk) -> None:
    assert desk.linted.places == desk.here


@pytest.mark.parametrize("seed", SEEDS)
def test_what_pylint_lets_through_is_reported(seed: int, desk: Desk) -> None:
    reported = {place.line for place in desk.here if Path(place.path).name == f"case{seed}.py"}
    for line, lines in hits(module(seed)):
        if desk.closed(seed, range(line, line + 1)):
            assert line not in reported
        elif not desk.closed(seed, lines):
            assert line in reported
