"""Puts a literal 0 in place of the argument of every right accessor call of a release, one at a time.

`python tests/sglang/mutations.py FOLDER...` (each FOLDER holds a package `sglang`) is the long run: it prints the
figures and each place that is not reported, or not restored byte for byte.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pplint.engine.accessors import GLOBAL
from pplint.engine.declarations import position_of
from pplint.engine.facts import Facts
from pplint.engine.paths import is_test
from pplint.engine.root import find_root
from pplint.finding import SAFE, Finding
from pplint.fixes import fix_source
from pplint.judge.check import JudgeRequest, facts_of, judge
from pplint.source.text import Source

RIGHT = ("layer_id", "start_layer")
"""Last names of what right calls hand to accessors."""


class Place(NamedTuple):
    """An argument of a right call: its bytes `[start, end)` in `path`."""

    path: str
    line: int
    start: int
    end: int
    method: str
    receiver: str
    argument: str

    @property
    def restorable(self) -> bool:
        """Whether the argument asks what is asked anyway for its first layer, in the words that a fix uses."""
        return self.argument == f"{self.receiver}.start_layer"


class Outcome(NamedTuple):
    """What became of one place."""

    place: Place
    reported: bool
    restored: bool
    said: str


def places(folder: Path) -> Iterator[Place]:
    """The right accessor calls in the files of a release that are no tests, in order."""
    root = find_root((str(folder),), None)
    slots = _slots(facts_of(root, 1))
    for path in sorted(folder.rglob("*.py")):
        if not is_test(root.path, str(path)) and b"layer" in path.read_bytes():
            yield from _places_in(Source.read(str(path)), slots)


def _slots(facts: Facts) -> dict[str, set[int | str]]:
    """By name of a method, the positions and keywords that take a GLOBAL layer id in any class."""
    found: dict[str, set[int | str]] = {}
    for function, parameters in facts.accessors.spaces[GLOBAL].items():
        owner, _, name = function.rpartition(".")
        if owner in facts.project.classes:
            for parameter in parameters:
                position = position_of(facts.accessors.facts_of(function), parameter)
                found.setdefault(name, set()).update(
                    {parameter} if position is None else {parameter, position}
                )
    return found


def _places_in(source: Source, slots: Mapping[str, set[int | str]]) -> Iterator[Place]:
    for node in ast.walk(source.parse()):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        wanted = slots.get(node.func.attr, set())
        given = [*enumerate(node.args), *((keyword.arg, keyword.value) for keyword in node.keywords)]
        for argument in (value for slot, value in given if slot in wanted):
            if isinstance(argument, ast.Attribute) and argument.attr in RIGHT:
                line, column, end_line, end_column = source.span(argument)
                start, end = source.offset(line, column), source.offset(end_line, end_column)
                receiver = ast.unparse(node.func.value)
                yield Place(
                    source.path, line, start, end, node.func.attr, receiver, source.data[start:end].decode()
                )


def mutate(folder: Path, place: Place) -> Outcome:
    """Put 0 at a place, judge the file, and fix the finding that is there."""
    root = find_root((str(folder),), None)
    data = Path(place.path).read_bytes()
    mutant = data[: place.start] + b"0" + data[place.end :]
    request = JudgeRequest(root.path, (place.path,), {place.path: mutant}, frozenset({"PPL101"}))
    source = Source.of(place.path, mutant)
    here = [one for one in judge(request).findings if _offset(source, one) == place.start]
    fixes = [one.fix for one in here if one.fix is not None and one.fix.safety == SAFE]
    restored = bool(fixes) and fix_source(source, fixes).data == data
    said = "; ".join(f"{one.severity}: {one.message} [{one.no_fix}]" for one in here)
    return Outcome(place, bool(here), restored, said)


def _offset(source: Source, finding: Finding) -> int:
    return source.offset(finding.span.line, finding.span.column)


def main(folders: list[str]) -> int:
    """Mutate all places of each release and print what was missed."""
    missed = 0
    for folder in map(Path, folders):
        outcomes = [mutate(folder, place) for place in places(folder)]
        back = [one for one in outcomes if one.place.restorable]
        for one in outcomes:
            if not one.reported or (one.place.restorable and not one.restored):
                missed += 1
                where = f"{Path(one.place.path).relative_to(folder)}:{one.place.line}"
                what = "not restored" if one.reported else "not reported"
                print(
                    f"{what}: {where}: {one.place.receiver}.{one.place.method}({one.place.argument}) {one.said}"
                )
        reported, restored = sum(one.reported for one in outcomes), sum(one.restored for one in back)
        print(f"{folder}: {reported} of {len(outcomes)} reported, {restored} of {len(back)} restored")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
