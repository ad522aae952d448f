"""Comments that silence: pylint's own and pplint's have the reach that they have on the command line."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from pylint_desk import HIT, Linted, Place, checkout, command_line, pylint, python_files

CALL = "pool.get_value_buffer(0)"
LONG = "def width(pool):\n    return pool.get_value_buffer({head}\n        0,{inside}\n    ){end}\n"


def long(head: str = "", inside: str = "", end: str = "") -> str:
    return LONG.format(head=head, inside=inside, end=end)


PYLINT = "  # pylint: disable=literal-layer-id"
PPLINT = "  # pplint: ignore[PPL101] the pool is not split"

SILENT = {
    "pylint, on the line, by name": f"def f(pool):\n    return {CALL}{PYLINT}\n",
    "pylint, on the line, by id": f"def f(pool):\n    return {CALL}  # pylint: disable=E7101\n",
    "pylint, on the line, by category": f"def f(pool):\n    return {CALL}  # pylint: disable=E\n",
    "pylint, on the line above": f"def f(pool):\n    # pylint: disable-next=E7101\n    return {CALL}\n",
    "pylint, for a block": f"def f(pool):\n    {PYLINT.strip()}\n    x = 1\n    return {CALL}\n",
    "pylint, for the module": f"# pylint: disable=literal-layer-id\n{HIT}",
    "pylint, for the file": f"# pylint: skip-file\n{HIT}",
    "pylint, with another tool's comment": f"def f(pool):\n    return {CALL}  # noqa{PYLINT}\n",
    "pylint, with the id of another check": f"def f(pool):\n    return {CALL}  # pylint: disable=C0103, E7101\n",
    "pylint, after one for another check": f"X = 1  # pylint: disable=C0103\n\n\ndef f(pool):\n    return {CALL}{PYLINT}\n",
    "pylint, after a text like one": f"X = '# pylint: disable=C'\n\n\ndef f(pool):\n    return {CALL}{PYLINT}\n",
    "pylint, on the header of a long statement": long(head=PYLINT),
    "pplint, on the line": f"def f(pool):\n    return {CALL}{PPLINT}\n",
    "pplint, on the line, by name": f"def f(pool):\n    x = {CALL}  # pplint: ignore[literal-layer-id] x\n",
    "pplint, alone above": f"def f(pool):\n  {PPLINT}\n    return {CALL}\n",
    "pplint, on the header of a long statement": long(head=PPLINT),
    "pplint, inside a long statement": long(inside=PPLINT),
    "pplint, after the closing bracket": long(end=PPLINT),
    "pplint, for the file": f"# pplint: ignore-file[PPL101] x\n{HIT}",
}
SHOWN = {
    "no comment": (HIT, {"PPL101"}),
    "in a string": (f"def f(pool):\n    return '{PYLINT}{PPLINT}', {CALL}\n", {"PPL101"}),
    "pylint, enabled again": (
        f"{PYLINT.strip()}\ndef f(pool):\n    # pylint: enable=literal-layer-id\n    return {CALL}\n",
        {"PPL101"},
    ),
    "pylint, for another check": (f"def f(pool):\n    return {CALL}  # pylint: disable=C0103\n", {"PPL101"}),
    "pylint, of another function": (f"def g():{PYLINT}\n    return 1\n\n\n{HIT}", {"PPL101"}),
    "pplint, of another rule": (
        f"def f(pool):\n    return {CALL}  # pplint: ignore[PPL201] x\n",
        {"PPL101", "PPL901"},
    ),
    "pplint, of no rule": (
        f"def f(pool):\n    return {CALL}  # pplint: ignore[PPL1O1] x\n",
        {"PPL101", "PPL902"},
    ),
    "pplint, not needed": (f"x = 1{PPLINT}\n", {"PPL901"}),
    "pplint, not needed, but silenced": (
        f"{HIT}x = 1{PPLINT}  # pylint: disable=unused-suppression\n",
        {"PPL101"},
    ),
    "pplint, not needed, on the last line": (f"x = 1\n{PPLINT.strip()}\n", {"PPL901"}),
}


class Both(NamedTuple):
    linted: Linted
    places: list[Place]


def name_of(case: str) -> str:
    return "case_" + "".join(letter if letter.isalnum() else "_" for letter in case) + ".py"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    cases = {**SILENT, **{case: text for case, (text, _) in SHOWN.items()}}
    files = {f"layers/{name_of(case)}": text for case, text in cases.items()}
    root = checkout(tmp_path_factory.mktemp("comments"), dict(files))
    enable = ("--disable=all", "--enable=pplint,useless-suppression,suppressed-message")
    return Both(pylint(python_files(root), cwd=root, enable=enable), command_line(["."], cwd=root))


@pytest.mark.parametrize("case", SILENT)
def test_a_comment_silences_a_finding(case: str, both: Both) -> None:
    assert both.linted.codes(name_of(case)) == []


@pytest.mark.parametrize(("case", "codes"), [(case, codes) for case, (_, codes) in SHOWN.items()], ids=SHOWN)
def test_a_comment_does_not_silence_what_it_does_not_reach(case: str, codes: set[str], both: Both) -> None:
    assert {code for code, _ in both.linted.codes(name_of(case))} == codes


def test_the_command_line_says_the_same(both: Both) -> None:
    assert both.linted.places == both.places


def test_pylint_knows_that_its_comments_were_needed(both: Both) -> None:
    kinds = [other.split(":")[0] for other in both.linted.others if "'literal-layer-id'" in other]
    needed = [case for case in SILENT if case.startswith("pylint") and "for the file" not in case]
    assert kinds.count("suppressed-message") == len(needed)
    # Those that are enabled again, and of another function.
    assert kinds.count("useless-suppression") == 2
