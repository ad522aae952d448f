"""Answers that outlive a change of facts are those that a fresh look would give."""

from __future__ import annotations

import ast
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pplint.judge import check, inquiry
from pplint.judge.check import Judged, JudgeRequest, judge
from pplint.rules.registry import RULES

MINI = Path(__file__).parents[2] / "fixtures" / "mini_sglang" / "python"
FILES = tuple(str(path) for path in sorted((MINI / "sglang").rglob("*.py")))
CODES = frozenset(rule.code for rule in RULES)
POOL = str(MINI / "sglang" / "srt" / "mem_cache" / "memory_pool.py")
EDITS = 25


def look(overlay: dict[str, bytes]) -> Judged:
    return judge(JudgeRequest(str(MINI), FILES, overlay, CODES))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files that the rules look at from now on."""
    found: list[str] = []
    ask = inquiry.Inquiry._ask

    def noted(self, snapshot, known, paths, few):
        found.extend(path for path in paths if path in set(snapshot.in_view()))
        return ask(self, snapshot, known, paths, few)

    check._KNOWN.clear()
    look({})
    monkeypatch.setattr(inquiry.Inquiry, "_ask", noted)
    yield found
    check._KNOWN.clear()


def edited(text: str, rnd: random.Random) -> str:
    """The text with one line dropped, doubled, or one name on it exchanged for another of the file.

    Half of the lines are heads and imports: these decide what a name means.
    """
    heads = [at for at, line in enumerate(text.split("\n")) if re.match(r"class |def |from |import ", line)]
    while True:
        lines = text.split("\n")
        at = rnd.choice(heads) if heads and rnd.random() < 0.5 else rnd.randrange(len(lines))
        names = re.findall(r"[A-Za-z_]\w+", lines[at])
        kind = rnd.choice(("drop", "insert", "exchange"))
        if kind == "exchange" and names:
            other = rnd.choice(re.findall(r"[A-Za-z_]\w+", text))
            lines[at] = re.sub(rf"\b{rnd.choice(names)}\b", other, lines[at])
        else:
            lines[at : at + 1] = [] if kind == "drop" else ["", lines[at]]
        new = "\n".join(lines)
        try:
            ast.parse(new)
        except SyntaxError:
            continue
        if new != text:
            return new


def test_any_edit_gives_what_a_fresh_look_gives(asked: list[str]) -> None:
    rnd = random.Random(7)
    start = check._KNOWN[str(MINI)]
    view = sorted(start[0].in_view())
    for _ in range(EDITS):
        path = rnd.choice(view)
        overlay = {path: edited(Path(path).read_text(), rnd).encode()}
        check._KNOWN[str(MINI)] = list(start)
        again = look(overlay)
        check._KNOWN.clear()
        fresh = look(overlay)
        assert (again.findings, again.troubles) == (fresh.findings, fresh.troubles), overlay


def test_a_changed_accessor_is_judged_again_with_its_users_and_no_other_file(asked: list[str]) -> None:
    text = Path(POOL).read_text()
    changed = text.replace("[layer_id - self.start_layer]", "[layer_id]", 1)
    assert changed != text
    look({POOL: changed.encode()})
    users = {path for path in asked if path != POOL}
    assert POOL in asked
    assert users
    assert all("pool" in Path(path).read_text() for path in users)
    assert len(users) < len(check._KNOWN[str(MINI)][0].in_view()) / 2


@pytest.mark.parametrize(
    "extra",
    [
        "\n\n\n",
        "# a comment\n",
        "def added(layer):\n    return layer\n",
        "from sglang.srt.utils import added\n",
    ],
    ids=["lines", "a comment", "a function that nobody uses", "an import"],
)
def test_moved_code_is_judged_again_alone(asked: list[str], extra: str) -> None:
    look({POOL: (extra + Path(POOL).read_text()).encode()})
    assert set(asked) == {POOL}


def test_a_hook_on_moved_then_changed_code_parses_that_file_only(tmp_path: Path) -> None:
    tree = tmp_path / "python"
    shutil.copytree(MINI, tree)
    files = tuple(str(path) for path in sorted((tree / "sglang").rglob("*.py")))
    pool = tree / "sglang" / "srt" / "mem_cache" / "memory_pool.py"
    text = pool.read_text()
    changed = "\n" + text.replace("[layer_id - self.start_layer]", "[layer_id]", 1)

    def kept(overlay: dict[str, bytes], cache: str | None) -> Judged:
        return judge(JudgeRequest(str(tree), files, overlay, CODES, cache_dir=cache))

    def fresh(content: str) -> Judged:
        check._KNOWN.clear()
        found = kept({str(pool): content.encode()}, None)
        check._KNOWN.clear()
        return found

    expected = {content: fresh(content).findings for content in (text, "\n" + text, changed)}
    kept({}, str(tmp_path / "cache"))
    for content in ("\n" + text, changed):
        pool.write_text(content)
        check._KNOWN.clear()
        now = kept({}, str(tmp_path / "cache"))
        before = kept({str(pool): text.encode()}, str(tmp_path / "cache"))
        assert (now.findings, before.findings) == (expected[content], expected[text])
        assert (now.parsed, before.parsed) == (1, 1)
