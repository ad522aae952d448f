"""A change of what a file says about layers, and what becomes of the untouched code that relies on it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pplint.cli import run
from pplint.judge import check
from pplint.judge.inquiry import Inquiry
from pplint.known import stamps
from pplint.known.answers import Answers
from pplint.known.snapshot import Snapshot
from pplint.source.digest import digest_of

GLOBAL = """\
class P:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def row(self, i):
        return self.rows[i - self.start_layer]
"""
LOCAL = GLOBAL.replace("i - self.start_layer", "i")
MOVED = '"""Says more."""\n\n\n' + GLOBAL.replace("        return", "        # as ever\n        return")
USE = "from pool import P\n\nx = P(4).row(0)\n"
UNUSED = "# pplint: ignore[PPL201] nothing here\n"
IGNORED = USE.replace("(0)", "(0)  # pplint: ignore[PPL101] one")


def git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments], check=True)


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet")
    return tmp_path


def commit(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.py").write_text(text)
    git("add", ".")
    git("commit", "--quiet", "--message=x")


CASES = {
    "an accessor takes a global id now": (LOCAL, GLOBAL, USE, "use.py:3:14: PPL101"),
    "lines moved, the code is the same": (GLOBAL, MOVED, USE, ""),
    "nothing changed": (GLOBAL, GLOBAL, USE, ""),
    "the user ignores the finding": (LOCAL, GLOBAL, IGNORED, ""),
    "the user has an unused comment, of an earlier commit": (LOCAL, GLOBAL, UNUSED + USE, "use.py:4:14"),
    "the old file did not parse": ("def f(:  # layer\n", GLOBAL, USE, "use.py:3:14: PPL101"),
    "the old file was empty": ("", GLOBAL, USE, "use.py:3:14: PPL101"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "now", "use", "said"), CASES.values(), ids=CASES.keys())
def test_a_named_file_speaks_for_its_untouched_users(
    before: str, now: str, use: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(pool=before, use=use)
    Path("pool.py").write_text(now)
    assert run(["--no-cache", "pool.py"]) == bool(said)
    out = capsys.readouterr().out
    assert out.count("PPL") == bool(said)
    assert said in out
    assert not said or "changed by  pool.py:6: `row` subtracts `start_layer`" in out


def test_a_change_in_deeply_nested_code_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    deep = "\n\ndef chained(one):\n    return one" + ".f(1)" * 900 + "\n"
    commit(pool=LOCAL + deep, use=USE)
    Path("pool.py").write_text(GLOBAL + deep)
    assert run(["--no-cache", "pool.py"]) == 1
    assert "use.py:3:14: PPL101" in capsys.readouterr().out


def test_a_new_file_is_a_change(capsys: pytest.CaptureFixture[str]) -> None:
    commit(use=USE)
    Path("pool.py").write_text(GLOBAL)
    assert run(["--no-cache", "--quiet", "pool.py"]) == 1
    assert capsys.readouterr().out.startswith("use.py:3:14: PPL101")


def test_answers_that_are_gone_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    commit(pool=GLOBAL, use=USE)
    Path("pool.py").write_text(LOCAL)
    assert run(["--no-cache", "pool.py"]) == 0
    assert "use.py: 1 finding gone: a changed file has other facts now" in capsys.readouterr().err


def test_a_user_that_settings_exclude_stays_out(capsys: pytest.CaptureFixture[str]) -> None:
    commit(pool=LOCAL, use=USE)
    Path("pyproject.toml").write_text('[tool.pplint]\nexclude = ["use.py"]\n')
    Path("pool.py").write_text(GLOBAL)
    assert run(["--no-cache", "pool.py"]) == 0


def test_a_first_commit_has_nothing_to_compare_with(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pool.py").write_text(GLOBAL)
    Path("use.py").write_text(USE)
    assert run(["--no-cache", "--verbose", "pool.py"]) == 0
    assert "facts are not compared" in capsys.readouterr().err


def test_since_shows_untouched_lines_whose_facts_changed(capsys: pytest.CaptureFixture[str]) -> None:
    commit(pool=LOCAL, use=USE)
    commit(pool=GLOBAL)
    Path("more.py").write_text(USE)
    assert run(["--no-cache", "--since", "HEAD", "."]) == 1
    assert "use.py" not in capsys.readouterr().out
    assert run(["--no-cache", "--since", "HEAD~1", "."]) == 1
    shown = capsys.readouterr().out
    assert shown.count("changed by") == 1
    assert "use.py:3:14: PPL101" in shown
    assert "more.py:3:14: PPL101" in shown


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that takes files for settled which were written a moment ago."""
    monkeypatch.setattr(stamps, "_FRESH_NS", -(10**18))
    return tmp_path.parent / f"{tmp_path.name}-cache"


def quiet_run(cache: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, list[int]]:
    """What a new process says of the pool, and how many files each of its looks finds out about."""
    asked: list[int] = []
    check._KNOWN.clear()
    with pytest.MonkeyPatch.context() as patch:
        ask = Inquiry._ask

        def counted(self: Inquiry, snapshot: Snapshot, known: Answers, paths: list[str], few: bool) -> object:
            asked.append(len(paths))
            return ask(self, snapshot, known, paths, few)

        patch.setattr(Inquiry, "_ask", counted)
        run(["--quiet", "--cache-dir", str(cache), "pool.py"])
    return capsys.readouterr().out, asked


def test_the_last_commit_is_judged_once(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(pool=LOCAL, use=USE)
    Path("pool.py").write_text(GLOBAL)
    out, asked = quiet_run(kept, capsys)
    assert "use.py:3:14: PPL101" in out
    assert sum(asked) > 0
    assert quiet_run(kept, capsys) == (out, [])


@pytest.mark.parametrize("damage", ["", "[1]", '{"a": 1}', "nonsense"])
def test_a_damaged_answer_about_the_last_commit_is_found_out_again(
    damage: str, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(pool=LOCAL, use=USE)
    Path("pool.py").write_text(GLOBAL)
    out, _ = quiet_run(kept, capsys)
    (path,) = kept.rglob("earlier.json")
    path.write_text(f"{digest_of(damage)}\n{damage}")
    again, asked = quiet_run(kept, capsys)
    assert again == out
    assert asked
    assert quiet_run(kept, capsys) == (out, [])


def test_another_commit_is_judged_anew(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(pool=LOCAL, use=USE)
    Path("pool.py").write_text(GLOBAL)
    quiet_run(kept, capsys)
    commit(pool=GLOBAL)
    Path("pool.py").write_text(LOCAL)
    assert quiet_run(kept, capsys)[0] == ""
    Path("pool.py").write_text(GLOBAL + "\n# layer\n")
    assert quiet_run(kept, capsys)[0] == ""
