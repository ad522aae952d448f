"""A pylint plugin that tells each line on which pylint itself lets a message of ours through, and modules to try it on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from pylint.checkers import BaseChecker

CALL = "pool.get_value_buffer(0)"
_NAMES = ("literal-layer-id,open-line", "E7101,E9801")
_PRAGMAS = ("disable", "disable", "disable-next", "enable")
_HEADERS = (
    "def g():",
    "def g(pool):",
    "async def g(pool, b):",
    "def g(\n    pool,\n):",
    "def g(pool,\n      b) -> int:",
    "def g(\n    *a,\n    b=(\n        1\n    ),\n):",
    "def g(a=(\n    1\n)):",
    "@one\n@two(\n    1)\ndef g(pool):",
    "class G:",
    "class G(Pool):",
    "@one\nclass G(Pool):",
)


class OpenLines(BaseChecker):
    """Says on each line what a pragma has not disabled there."""

    name = "open-lines"
    msgs = {"E9801": ("%s", "open-line", "The line is open.")}  # noqa: RUF012

    def leave_module(self, node: Any) -> None:
        with node.stream() as stream:
            lines = stream.read().count(b"\n")
        for line in range(1, lines + 1):
            self.add_message("open-line", node=node, line=line, args=(f"{Path(node.file).name}:{line}",))


def register(linter: Any) -> None:
    linter.register_checker(OpenLines(linter))


def module(seed: int) -> str:
    """A module of nested blocks with hits, and a few pragmas at random places."""
    random_ = random.Random(seed)
    lines: list[str] = []
    for number in range(2):
        doc = ['    """Doc."""'] if random_.random() < 0.2 else []
        body = _indented(_block(random_, 2))
        lines += [f"def f{number}(pool):", *doc, *body, ""]
    for _ in range(random_.randint(1, 3)):
        at = random_.randrange(len(lines))
        pragma = f"# pylint: {random_.choice(_PRAGMAS)}={random_.choice(_NAMES)}"
        if random_.random() < 0.5 and lines[at].strip() and "#" not in lines[at]:
            lines[at] += f"  {pragma}"
        else:
            indent = len(lines[at]) - len(lines[at].lstrip())
            lines.insert(at, " " * indent + pragma)
    return "\n".join(lines) + "\n"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _block(random_: random.Random, depth: int) -> list[str]:
    out: list[str] = []
    for _ in range(random_.randint(1, 3)):
        out += _statement(random_, depth)
    return out


def _statement(random_: random.Random, depth: int) -> list[str]:
    def body() -> list[str]:
        return _indented(_block(random_, depth - 1))

    tested = CALL if random_.random() < 0.3 else "pool"
    kind = random_.randint(0, 12 if depth else 2)
    if kind == 0:
        return [f"use({CALL})"]
    if kind == 1:
        return ["use(", f"    {CALL},", ")"]
    if kind == 2:
        return ["v = 1"]
    otherwise = ["else:", *body()] if random_.random() < 0.4 else []
    if kind < 5:
        middle = [f"elif {tested}:", *body()] if kind == 4 else []
        return [f"if {tested}:", *body(), *middle, *otherwise]
    if kind == 5:
        return [f"for i in {tested}:", *body(), *otherwise]
    if kind == 6:
        return [f"while {tested}:", *body(), *otherwise]
    if kind < 9:
        caught = random_.choice((["except KeyError:"], ["except KeyError as e:"], ["except:"]))
        finally_ = ["finally:", *body()] if kind == 8 else []
        return ["try:", *body(), *caught, *body(), *otherwise, *finally_]
    if kind == 9:
        return ["try:", *body(), "finally:", *body()]
    if kind == 10:
        return [f"with {tested} as f, pool:", *body()]
    if kind == 11:
        return [f"match {tested}:", "    case 1:", *_indented(body()), "    case _:", *_indented(body())]
    return [*random_.choice(_HEADERS).split("\n"), *body()]
