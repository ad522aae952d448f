"""`--fix` on a whole release: the same expressions as SGLang's own repair, and no other byte."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

import judged
import pytest
import reviewed_findings as reviewed
from releases import copied

from fix_promises import alone, same_but_for, spliced
from pplint.finding import Edit, Fix, Span
from pplint.fixes import fix_source
from pplint.source.text import Source

pytestmark = pytest.mark.sglang

BEFORE, AFTER = "0.5.17", "0.5.18"
TRITON = "sglang/srt/layers/attention/triton_backend.py"
POOLS = "sglang/srt/mem_cache/memory_pool.py"


class Fixed(NamedTuple):
    """A release as it was, a copy on which `--fix` was run, and what `--diff` printed before that."""

    before: Path
    after: Path
    diff: bytes
    cache: Path

    def changed(self) -> list[str]:
        """Return the files that are not what they were."""
        return different(self.before, self.after)


def different(before: Path, after: Path) -> list[str]:
    """Return the Python files that differ; both folders have the same ones."""
    files = sorted(path.relative_to(before) for path in before.rglob("*.py"))
    assert files == sorted(path.relative_to(after) for path in after.rglob("*.py"))
    return [str(file) for file in files if (before / file).read_bytes() != (after / file).read_bytes()]


def fix(after: Path, cache: Path) -> None:
    judged.pplint_in(after, "--cache-dir", str(cache), "--fix", "--output", "json", "sglang")


@pytest.fixture(scope="module")
def fixed(release: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Fixed:
    before, folder = release(BEFORE), tmp_path_factory.mktemp("fixed")
    after, cache = copied(BEFORE, folder / BEFORE), folder / "cache"
    subprocess.run(["git", "init", "--quiet", str(after)], check=True)
    diff = judged.pplint_in(after, "--cache-dir", str(cache), "--diff", "sglang").stdout
    assert different(before, after) == [], "--diff wrote"
    fix(after, cache)
    return Fixed(before, after, diff, cache)


def calls(path: Path, qualified: str, method: str) -> list[str]:
    """Return the trees of all calls of `method` in the function or class named `qualified`, in order."""
    scope: ast.AST = ast.parse(path.read_bytes())
    for name in qualified.split("."):
        scope = next(node for node in ast.walk(scope) if getattr(node, "name", None) == name)
    return [
        ast.dump(node)
        for node in ast.walk(scope)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method
    ]


def replacements(before: bytes, after: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield what was replaced by what, in lines that differ; the rest is equal byte for byte."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield b"".join(old[a:b]), b"".join(new[c:d])


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (TRITON, "TritonAttnBackend.__init__"),
        (POOLS, "HybridLinearKVPool.get_v_head_dim"),
        (POOLS, "MiniMaxSparseKVPool.get_v_head_dim"),
    ],
    ids=lambda value: value.rpartition("/")[2],
)
def test_the_fix_is_what_sglang_wrote_itself(
    fixed: Fixed, release: Callable[[str], Path], path: str, place: str
) -> None:
    ours = calls(fixed.after / path, place, "get_value_buffer")
    theirs = calls(release(AFTER) / path, place, "get_value_buffer")
    assert ours != calls(fixed.before / path, place, "get_value_buffer")
    assert ours == theirs


@pytest.mark.parametrize(("path", "places"), [(TRITON, 1), (POOLS, 2)], ids=["triton", "memory_pool"])
def test_the_rest_of_the_file_keeps_its_bytes(fixed: Fixed, path: str, places: int) -> None:
    before, after = (fixed.before / path).read_bytes(), (fixed.after / path).read_bytes()
    changes = list(replacements(before, after))
    assert len(changes) == places
    for old, new in changes:
        head, tail = old.split(b"(0)")
        assert new.startswith(head + b"(")
        assert new.endswith(b".start_layer)" + tail)


def test_every_changed_file_parses(fixed: Fixed) -> None:
    changed = fixed.changed()
    assert {TRITON, POOLS} <= set(changed)
    for path in changed:
        ast.parse((fixed.after / path).read_bytes())


def test_a_second_run_changes_nothing(fixed: Fixed) -> None:
    once = {path: (fixed.after / path).read_bytes() for path in fixed.changed()}
    fix(fixed.after, fixed.cache)
    assert {path: (fixed.after / path).read_bytes() for path in fixed.changed()} == once


def test_git_applies_the_diff_to_the_same_bytes(fixed: Fixed, tmp_path: Path) -> None:
    patched = copied(BEFORE, tmp_path / BEFORE)
    subprocess.run(["git", "init", "--quiet", str(patched)], check=True)
    subprocess.run(["git", "apply", "-"], cwd=patched, input=fixed.diff, check=True)
    assert different(fixed.after, patched) == []
    assert fixed.changed()


@pytest.mark.parametrize("version", reviewed.RELEASES)
def test_each_fix_alone_and_all_of_a_file_keep_what_is_promised(
    release: Callable[[str], Path], version: str
) -> None:
    """Bytes, tree and comments of every file for which a whole release has a fix, the unsafe ones too."""
    folder = release(version)
    fixes: dict[str, list[Fix]] = {}
    for one in judged.findings(version):
        if one["fix"] is not None:
            fixes.setdefault(one["path"], []).append(_fix(one["fix"]))
    assert len(fixes) > 5
    for path, those in fixes.items():
        before = (folder / path).read_bytes()
        for fix in those:
            alone(before, fix)
        outcome = fix_source(Source.of(path, before), those)
        edits = {edit for number in outcome.applied for edit in those[number].edits}
        assert all("overlaps" in reason for _, reason in outcome.refused)
        assert outcome.data == spliced(before, sorted(edits, reverse=True))
        same_but_for(before, outcome.data, sorted(edits, reverse=True))


def _fix(raw: dict[str, Any]) -> Fix:
    edits = [
        Edit(Span(e["start_line"], e["start_column"], e["end_line"], e["end_column"]), e["text"])
        for e in raw["edits"]
    ]
    return Fix(raw["safety"], raw["message"], tuple(edits))
