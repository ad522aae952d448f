"""What a fix promises, on modules that hypothesis writes.

`python tests/fuzz/long_run.py 20000` is the long run.
"""

from __future__ import annotations

import ast
import io
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path

import fake_stages
import pytest
from generated_modules import FILES, Written, modules
from hypothesis import HealthCheck, Phase, given, note, settings

from pplint.finding import SAFE, UNSAFE, Edit, Finding
from pplint.run import Outcome, Request, execute
from pplint.settings import load
from pplint.source.text import Source

MODULES = 200


class Desk:
    """A tiny checkout with one file that changes."""

    def __init__(self, folder: Path) -> None:
        (folder / ".git").mkdir()
        for name, text in FILES.items():
            path = folder / "sglang" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.file = folder / "sglang" / "srt" / "case.py"
        self.folder = folder / "sglang"
        self.file.write_text("")
        self.settings = load(str(folder))

    def look(self, **options: bool) -> Outcome:
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


def check(desk: Desk, written: Written) -> None:
    """All that is promised of the fixes, on one module."""
    before = written.data
    tree = ast.parse(before)
    note(before.decode("utf-8", "replace"))
    expected = fake_stages.run(before_text(before), 0)
    desk.file.write_bytes(before)
    edits = edits_of(desk.look().seen.findings, {SAFE})
    desk.look(fix=True)
    after = desk.file.read_bytes()
    assert after == spliced(before, edits)
    assert only_edits_differ(
        tree, ast.parse(after), {edit.span for edit in edits}, Source.of("case.py", before)
    )
    assert comments(before) == comments(after)
    assert fake_stages.run(before_text(after), 0) == expected, "rank 0 computes something else"
    for rank in range(len(fake_stages.STAGES)):
        for name, result in fake_stages.run(before_text(after), rank).items():
            assert name not in written.repairable or "Error" not in result, f"rank {rank}, {name}: {result}"
    desk.look(fix=True)
    assert desk.file.read_bytes() == after, "a second run changes something"
    unsafe(desk, after)


def unsafe(desk: Desk, before: bytes) -> None:
    """The unsafe fixes change what they are about, too, and end."""
    desk.look(fix=True, unsafe_fixes=True)
    after = desk.file.read_bytes()
    if after != before:
        ast.parse(after)
        assert comments(before) == comments(after)
        left = edits_of(desk.look().seen.findings, {SAFE, UNSAFE})
        assert not left, "a second run would change something"


def before_text(data: bytes) -> str:
    return Source.of("case.py", data).text


def edits_of(findings: list[Finding], safeties: set[str]) -> list[Edit]:
    chosen = [one.fix for one in findings if one.fix is not None and one.fix.safety in safeties]
    return sorted({edit for fix in chosen for edit in fix.edits}, reverse=True)


def spliced(data: bytes, edits: list[Edit]) -> bytes:
    """The edits made on the lines of the text, from the end; written without pplint's own code."""
    source = Source.of("case.py", data)
    text = data.decode(source.encoding if not source.bom else "utf-8-sig")
    starts = [0]
    for line in io.StringIO(text, newline=""):
        starts.append(starts[-1] + len(line))
    for edit in edits:
        one, column, last, end_column = edit.span
        start, end = starts[one - 1] + column - 1, starts[last - 1] + end_column - 1
        text = text[:start] + edit.text + text[end:]
    return source.bom + text.encode(source.encoding)


def only_edits_differ(old: object, new: object, spans: set[tuple[int, ...]], source: Source) -> bool:
    if isinstance(old, ast.AST):
        if isinstance(old, ast.expr) and tuple(source.span(old)) in spans:
            return True
        return type(old) is type(new) and all(
            only_edits_differ(getattr(old, name, None), getattr(new, name, None), spans, source)
            for name in old._fields
        )
    if isinstance(old, list):
        return (
            isinstance(new, list)
            and len(old) == len(new)
            and all(only_edits_differ(*pair, spans, source) for pair in zip(old, new, strict=True))
        )
    return bool(old == new)


def comments(data: bytes) -> list[str]:
    text = before_text(data).replace("\r\n", "\n").replace("\r", "\n")
    return [
        one.string
        for one in tokenize.generate_tokens(io.StringIO(text).readline)
        if one.type == tokenize.COMMENT
    ]
