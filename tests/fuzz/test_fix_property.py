"""What a fix promises, on modules that hypothesis writes.

`python tests/fuzz/long_run.py 20000` is the long run.
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_stages
import pytest
from generated_modules import FILES, Written, modules
from hypothesis import HealthCheck, Phase, given, note, settings

from fix_promises import alone, before_text, comments, edits_of, same_but_for, spliced
from pplint.finding import SAFE, UNSAFE, Finding
from pplint.request import Request
from pplint.run import Outcome, execute
from pplint.settings import load

MODULES = 120


class Desk:
    """A tiny checkout with one file that changes."""

    def __init__(self, folder: Path) -> None:
        (folder / ".git").mkdir()
        for name, text in FILES.items():
            path = folder / "sglang" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.file = folder / "sglang" / "srt" / "models" / "case.py"
        self.folder = folder / "sglang"
        self.file.write_text("")
        self.settings = load(str(folder))

    def look(self, **options: Any) -> Outcome:
        # The folder is named, as a user names it: no comparison with the last commit then.
        request = Request((str(self.folder),), self.settings, jobs=1, **options)
        outcome = execute(request)
        assert not outcome.seen.troubles
        return outcome


def chosen(examples: int) -> settings:
    """The settings of a run over so many modules."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),  # a module is small and readable; shrinking it takes minutes
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )


def shared_memory() -> str | None:
    """Where files cost least."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with tempfile.TemporaryDirectory(dir=shared_memory()) as folder:
        yield Desk(Path(folder).resolve())


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@chosen(MODULES)
@given(written=modules())
def test_a_fix_changes_what_it_is_about_and_nothing_else(desk: Desk, written: Written) -> None:
    check(desk, written)


def check(desk: Desk, written: Written) -> list[Finding]:
    """All that is promised of the fixes, on one module; return what it was about."""
    before = written.data
    note(before.decode("utf-8", "replace"))
    expected = fake_stages.run(before_text(before), 0)
    desk.file.write_bytes(before)
    found = desk.look().seen.findings
    for finding in found:
        if finding.fix is not None:
            alone(before, finding.fix)
    edits = edits_of(found, {SAFE})
    desk.look(fix=True)
    after = desk.file.read_bytes()
    assert after == spliced(before, edits)
    same_but_for(before, after, edits)
    assert fake_stages.run(before_text(after), 0) == expected, "rank 0 computes something else"
    computes(after, written.repairable)
    desk.look(fix=True)
    assert desk.file.read_bytes() == after, "a second run changes something"
    unsafe(desk, after, written.repairable | written.unsafely)
    return [finding for finding in found if finding.fix is not None]


def computes(data: bytes, names: frozenset[str]) -> None:
    """The named functions of a module raise on no rank."""
    for rank in range(len(fake_stages.STAGES)):
        for name, result in fake_stages.run(before_text(data), rank).items():
            assert name not in names or "Error" not in result, f"rank {rank}, {name}: {result}"


def unsafe(desk: Desk, before: bytes, names: frozenset[str]) -> None:
    """The unsafe fixes change what they are about, too, and end; functions without a finding are right then."""
    desk.look(fix=True, unsafe_fixes=True)
    after = desk.file.read_bytes()
    left = desk.look().seen.findings
    assert not edits_of(left, {SAFE, UNSAFE}), "a second run would change something"
    if after != before:
        ast.parse(after)
        assert comments(before) == comments(after)
    note(after.decode("utf-8", "replace"))
    computes(after, names - {finding.symbol.partition(".")[0] for finding in left})
