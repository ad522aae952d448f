"""A comment silences what it names, where it reaches, and nothing else."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import fake_judge
from pplint.cli import run


@pytest.fixture(autouse=True)
def in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_judge.install(monkeypatch)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


class Desk:
    """Runs pplint on one file and gives what is reported: `line:CODE` words."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self.capsys = capsys

    def reported(self, source: str, *options: str) -> list[str]:
        self.path.write_bytes(source.encode())
        return self.again(*options)

    def again(self, *options: str) -> list[str]:
        run(["--quiet", *options, self.path.name])
        self.text = self.capsys.readouterr().out
        rows = [line.split(":") for line in self.text.splitlines()]
        return [f"{row[1]}:{row[3].strip()[:6]}" for row in rows]


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path / "a.py", capsys)


SILENT = {
    "on the line": "v = pool.get_value_buffer(0)  # pplint: ignore[PPL101] checked\n",
    "by the rule's name": "v = pool.get_value_buffer(0)  # pplint: ignore[literal-layer-id]\n",
    "in a file with other comments": "# words\nv = pool.get_value_buffer(0)  # pplint: ignore[PPL101] x\n",
    "among other codes": "v = pool.get_value_buffer(0)  # pplint: ignore[PPL901, PPL101]\n",
    "behind another tool's comment": "v = a.get_value_buffer(0)  # type: ignore  # pplint: ignore[PPL101]\n",
    "before another tool's comment": "v = pool.get_value_buffer(0)  # pplint: ignore[PPL101] ok  # noqa\n",
    "after the closing bracket": "v = pool.get_value_buffer(\n    0\n)  # pplint: ignore[PPL101] checked\n",
    "on the first line of the statement": "v = pool.get_value_buffer(  # pplint: ignore[PPL101]\n    0\n)\n",
    "alone inside the statement": "v = pool.get_value_buffer(\n    # pplint: ignore[PPL101]\n    0\n)\n",
    "alone above": "# pplint: ignore[PPL101] checked\nv = pool.get_value_buffer(0)\n",
    "above in a block of comments": (
        "# pplint: ignore[PPL101] checked\n# more words\nv = pool.get_value_buffer(0)\n"
    ),
    "alone above inside a block": "if x:\n    # pplint: ignore[PPL101]\n    v = pool.get_value_buffer(0)\n",
    "on a header": "if pool.get_value_buffer(0):  # pplint: ignore[PPL101]\n    pass\n",
    "after a header's closing bracket": (
        "if x(\n    pool.get_value_buffer(0)\n):  # pplint: ignore[PPL101]\n    pass\n"
    ),
    "for the whole file, from its end": "v = a.get_value_buffer(0)\n# pplint: ignore-file[PPL101] made\n",
    "without spaces": "v = pool.get_value_buffer(0)  #pplint:ignore[PPL101]\n",
}


@pytest.mark.parametrize("source", SILENT.values(), ids=SILENT.keys())
def test_a_comment_silences_the_finding(source: str, desk: Desk) -> None:
    assert desk.reported(source) == []


HIT = "v = pool.get_value_buffer(0)"
LOUD = {
    "in a string": (f's = "# pplint: ignore[PPL101]"; {HIT}\n', ["1:PPL101"]),
    "without codes": (f"{HIT}  # pplint: ignore\n", ["1:PPL101", "1:PPL902"]),
    "with an empty list": (f"{HIT}  # pplint: ignore[]\n", ["1:PPL101", "1:PPL902"]),
    "with a misspelt code": (f"{HIT}  # pplint: ignore[PPL1O1]\n", ["1:PPL101", "1:PPL902"]),
    "with a prefix": (f"{HIT}  # pplint: ignore[PPL1]\n", ["1:PPL101", "1:PPL902"]),
    "with an open bracket": (f"{HIT}  # pplint: ignore[PPL101\n", ["1:PPL101", "1:PPL902"]),
    "with a misspelt word": (f"{HIT}  # pplint: ignor[PPL101]\n", ["1:PPL101", "1:PPL902"]),
    "with pylint's word": (f"{HIT}  # pplint: disable=PPL101\n", ["1:PPL101", "1:PPL902"]),
    "for the file but behind code": (f"{HIT}  # pplint: ignore-file[PPL101]\n", ["1:PPL101", "1:PPL902"]),
    "for another rule": (f"{HIT}  # pplint: ignore[PPL201]\n", ["1:PPL101", "1:PPL901"]),
    "behind the statement above": (f"x = 1  # pplint: ignore[PPL101]\n{HIT}\n", ["1:PPL901", "2:PPL101"]),
    "above with a gap": (f"# pplint: ignore[PPL101]\n\n{HIT}\n", ["1:PPL901", "3:PPL101"]),
    "on the header of the block": (
        f"if x:  # pplint: ignore[PPL101]\n    {HIT}\n",
        ["1:PPL901", "2:PPL101"],
    ),
}


@pytest.mark.parametrize(("source", "expected"), LOUD.values(), ids=LOUD.keys())
def test_a_comment_does_not_silence_the_finding(source: str, expected: list[str], desk: Desk) -> None:
    assert desk.reported(source) == expected


def test_an_unknown_code_is_reported_with_the_nearest_right_one(desk: Desk) -> None:
    desk.reported("v = 1  # pplint: ignore[literal-layer-idx]\n")
    assert "did you mean 'literal-layer-i" in desk.text


IN_FULL = "names no rule in full, as a comment has to (such as PPL101)"
HINTS = {
    "the beginning of codes": ("PPL1", IN_FULL),
    "the beginning of codes with a star": ("PPL1*", IN_FULL),
    "the beginning of all codes": ("PPL", IN_FULL),
    "ALL": ("ALL", IN_FULL),
    "a code in small letters": (
        "ppl101",
        "no rule is called 'ppl101', so nothing is silenced by it; did you mean 'PPL101'?",
    ),
    "a letter for a digit": ("PPL1O1", "did you mean 'PPL101'?"),
    "a star": ("*", "no rule is called '*', so nothing is silenced by it\n"),
}


@pytest.mark.parametrize(("word", "said"), HINTS.values(), ids=HINTS.keys())
def test_what_is_said_of_a_comment_with(word: str, said: str, desk: Desk) -> None:
    desk.reported(f"v = 1  # pplint: ignore[{word}]\n")
    assert said in desk.text


@pytest.mark.parametrize("options", [("--select", "PPL201,PPL9"), ("--ignore", "PPL101")], ids=" ".join)
def test_a_comment_for_a_rule_that_did_not_run_is_not_called_unused(
    options: tuple[str, ...], desk: Desk
) -> None:
    assert desk.reported("v = 1  # pplint: ignore[PPL101]\n", *options) == []


def test_a_comment_of_a_file_that_cannot_be_parsed_is_not_called_unused(desk: Desk) -> None:
    desk.reported("def f(:  # pplint: ignore[PPL101]\n")
    assert "PPL901" not in desk.text


def test_a_comment_in_test_code_is_not_called_unused(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("v = 1  # pplint: ignore[PPL101]\n")
    assert run(["test_a.py"]) == 0
    assert run(["--include-tests", "test_a.py"]) == 1


def test_unused_comments_can_be_silenced_too(desk: Desk) -> None:
    assert desk.reported("v = 1  # pplint: ignore[PPL101, PPL901] kept for later\n") == []


UNUSED = {
    "behind code, with the blanks before it": ("v = 1  # pplint: ignore[PPL101] old\n", "v = 1\n"),
    "alone, with its line": ("x = 1\n# pplint: ignore[PPL101]\nv = 1\n", "x = 1\nv = 1\n"),
    "alone with CRLF": ("x = 1\r\n# pplint: ignore[PPL101]\r\nv = 1\r\n", "x = 1\r\nv = 1\r\n"),
    "alone in the last line": ("x = 1\n# pplint: ignore[PPL101]\n", "x = 1\n"),
    "behind another comment": ("v = 1  # noqa  # pplint: ignore[PPL101]\n", "v = 1  # noqa\n"),
    "before another comment": ("v = 1  # pplint: ignore[PPL101]  # noqa\n", "v = 1  # noqa\n"),
    "one code of two": (
        "v = pool.get_value_buffer(0)  # pplint: ignore[PPL101, PPL201] why\n",
        "v = pool.get_value_buffer(0)  # pplint: ignore[PPL101] why\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), UNUSED.values(), ids=UNUSED.keys())
def test_fix_removes_an_unused_comment(before: str, after: str, desk: Desk) -> None:
    assert desk.reported(before, "--fix") == []
    assert desk.path.read_bytes().decode() == after


PYLINT = {
    "behind the statement": (f"{HIT}  # pylint: disable=literal-layer-id\n{HIT}\n", ["2:PPL101"]),
    "by message id": (f"{HIT}  # pylint: disable=E7101\n", []),
    "by all": (f"{HIT}  # pylint: disable=all\n", []),
    "by another name": (f"{HIT}  # pylint: disable=unused-import\n", ["1:PPL101"]),
    "for the rest of a block": (
        f"def f():\n    {HIT}\n    # pylint: disable=literal-layer-id\n    {HIT}\n    {HIT}\n{HIT}\n",
        ["2:PPL101", "6:PPL101"],
    ),
    "by the name of the checkers": (f"{HIT}  # pylint: disable=pplint\n", []),
    "on the header of a function, which is for that line": (
        f"def f():  # pylint: disable=literal-layer-id\n    {HIT}\n",
        ["2:PPL101"],
    ),
    "on the header of a class": (f"class C:  # pylint: disable=literal-layer-id\n    {HIT}\n", []),
    "a finding about a comment": (
        "x = 1  # pplint: ignore[PPL101] x  # pylint: disable=unused-suppression\n",
        [],
    ),
    "for one branch": (
        f"if x:\n    # pylint: disable=literal-layer-id\n    {HIT}\nelse:\n    {HIT}\n",
        ["5:PPL101"],
    ),
    "until enabled again": (
        f"# pylint: disable=literal-layer-id\n{HIT}\n# pylint: enable=literal-layer-id\n{HIT}\n",
        ["4:PPL101"],
    ),
    "for the next line": (f"# pylint: disable-next=literal-layer-id\n{HIT}\n{HIT}\n", ["3:PPL101"]),
    "for the file": (f"{HIT}\n# pylint: skip-file\n", []),
    "in a string": (f's = "# pylint: skip-file"\n{HIT}\n', ["2:PPL101"]),
}


@pytest.mark.parametrize(("source", "expected"), PYLINT.values(), ids=PYLINT.keys())
def test_pylint_comments_are_honoured(source: str, expected: list[str], desk: Desk) -> None:
    assert desk.reported(source) == expected


def test_a_reason_can_be_required(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pplint]\nrequire-reason = true\n")
    assert desk.reported(f"{HIT}  # pplint: ignore[PPL101]\n") == ["1:PPL101", "1:PPL902"]
    assert desk.reported(f"{HIT}  # pplint: ignore[PPL101] stage 0 only\n") == []


def test_the_reason_reaches_the_report(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.path.write_text(f"{HIT}  # pplint: ignore[PPL101] stage 0 only\n")
    run(["--output", "sarif", "--sarif-include-suppressed", "a.py"])
    assert '"justification":"stage 0 only"' in capsys.readouterr().out


ADDED = {
    "at the end of the line": (f"{HIT}\n", f"{HIT}  # pplint: ignore[PPL101] old\n"),
    "after the statement's last token": (
        "v = pool.get_value_buffer(\n    0\n)\n",
        "v = pool.get_value_buffer(\n    0\n)  # pplint: ignore[PPL101] old\n",
    ),
    "behind a comment": (f"{HIT}  # why\n", f"{HIT}  # why  # pplint: ignore[PPL101] old\n"),
    "into a list that is there": (
        f"{HIT}  # pplint: ignore[PPL201] so\n",
        f"{HIT}  # pplint: ignore[PPL201, PPL101] so\n",
    ),
    "above when a string goes over the line's end": (
        f'if x:\n    {HIT}; s = """\n    """\n',
        f'if x:\n    # pplint: ignore[PPL101] old\n    {HIT}; s = """\n    """\n',
    ),
    "above when a backslash ends the line": (
        f"{HIT}; w = \\\n    1\n",
        f"# pplint: ignore[PPL101] old\n{HIT}; w = \\\n    1\n",
    ),
    "above with the line's own end": (
        f'{HIT}; s = """\r\n"""\r\n',
        f'# pplint: ignore[PPL101] old\r\n{HIT}; s = """\r\n"""\r\n',
    ),
    "behind a string that ends there": (
        f'{HIT}, """\n# no comment"""\n',
        f'{HIT}, """\n# no comment"""  # pplint: ignore[PPL101] old\n',
    ),
    "once for two findings": (
        "v = a.get_value_buffer(0), b.get_value_buffer(1)\n",
        "v = a.get_value_buffer(0), b.get_value_buffer(1)  # pplint: ignore[PPL101] old\n",
    ),
    "nowhere without findings": ("v = 1\n", "v = 1\n"),
}


@pytest.mark.parametrize(("before", "after"), ADDED.values(), ids=ADDED.keys())
def test_add_ignore_writes_a_comment(before: str, after: str, desk: Desk) -> None:
    left = desk.reported(before, "--add-ignore", "old", "--ignore", "PPL9")
    assert desk.path.read_bytes().decode() == after
    assert left == []
    assert desk.again("--ignore", "PPL9") == []


def test_add_ignore_leaves_a_file_alone_that_it_cannot_silence(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = textwrap.dedent("""\
        # -*- coding: latin-1 -*-
        v = pool.get_value_buffer(0)
        """)
    desk.path.write_text(source)
    assert run(["--add-ignore", "日本", "a.py"]) == 2
    assert desk.path.read_text() == source
    assert "no comment was added" in capsys.readouterr().out


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "esc \x1b[31m"], ids=repr)
def test_add_ignore_takes_one_line_of_text(reason: str, desk: Desk) -> None:
    desk.path.write_text(f"{HIT}\n")
    assert run(["--add-ignore", reason, "a.py"]) == 2
    assert desk.path.read_text() == f"{HIT}\n"
