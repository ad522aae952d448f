"""What a fix promises, on modules that hypothesis writes.

`python tests/fuzz/long_run.py 20000` is the long run.
"""

from __future__ import annotations

import ast
import io
import re
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path

import fake_stages
import pytest
from generated_modules import FILES, Written, modules
from hypothesis import HealthCheck, Phase, given, note, settings

from pplint.finding import SAFE, UNSAFE, Edit, Finding, Fix
from pplint.fixes import fix_source
from pplint.run import Outcome, Request, execute
from pplint.settings import load
from pplint.source.text import Source

MODULES = 200
OURS = re.compile(r"\s*# pplint:.*")


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


def alone(before: bytes, fix: Fix) -> None:
    """What is promised of one fix, safe or not."""
    outcome = fix_source(Source.of("case.py", before), [fix])
    assert not outcome.refused
    edits = sorted(set(fix.edits), reverse=True)
    assert outcome.data == spliced(before, edits)
    same_but_for(before, outcome.data, edits)


def same_but_for(before: bytes, after: bytes, edits: list[Edit]) -> None:
    """The trees differ in the edited nodes only, and the comments that are not pplint's own are equal."""
    new = {
        edit.span.line + shift
        for edit in edits
        if edit.span[:2] == edit.span[2:]
        for shift in range(edit.text.count("\n"))
    }
    source = Source.of("case.py", before)
    assert only_edits_differ(ast.parse(before), ast.parse(after), {edit.span for edit in edits}, new, source)
    assert comments(before) == comments(after)


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
        text = text[:start] + edit.text.replace("\n", line_end(text[starts[one - 1] :])) + text[end:]
    return source.bom + text.encode(source.encoding)


def line_end(text: str) -> str:
    """The end of the first line."""
    first = io.StringIO(text, newline="").readline()
    return first[len(first.rstrip("\r\n")) :]


def only_edits_differ(
    old: object, new: object, spans: set[tuple[int, ...]], added: set[int], source: Source
) -> bool:
    """Whether two trees are equal but for the nodes at `spans`, and for statements on `added` lines."""
    if isinstance(old, ast.AST):
        if edited(old, spans, source):
            return True
        return type(old) is type(new) and all(
            only_edits_differ(getattr(old, name, None), getattr(new, name, None), spans, added, source)
            for name in old._fields
        )
    if isinstance(old, list):
        if not isinstance(new, list):
            return False
        kept = [one for one in new if not (isinstance(one, ast.stmt) and first_line(one) in added)]
        # An argument that is edited may become two.
        grown = next((at for at, one in enumerate(old) if edited(one, spans, source)), len(old) - 1) + 1
        kept[grown : grown + len(kept) - len(old)] = []
        return len(old) == len(kept) and all(
            only_edits_differ(*pair, spans, added, source) for pair in zip(old, kept, strict=True)
        )
    return bool(old == new)


def edited(node: object, spans: set[tuple[int, ...]], source: Source) -> bool:
    return isinstance(node, ast.expr) and tuple(source.span(node)) in spans


def first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def comments(data: bytes) -> list[str]:
    """The comments of a file without those that pplint may take out."""
    text = before_text(data).replace("\r\n", "\n").replace("\r", "\n")
    found = [
        OURS.sub("", one.string)
        for one in tokenize.generate_tokens(io.StringIO(text).readline)
        if one.type == tokenize.COMMENT
    ]
    return [comment for comment in found if comment]
