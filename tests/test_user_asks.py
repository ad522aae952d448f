"""What users of linters ask for in their trackers, each with the smallest input, through the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from pplint.cli import run
from reliability.checkouts import HIT, checkout

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fixed(folder: Path, data: bytes, *options: str) -> bytes:
    checkout(folder, {"case.py": data})
    run(["--no-cache", "-q", "--fix", *options, "sglang/case.py"])
    return (folder / "sglang/case.py").read_bytes()


def test_t1_a_fix_changes_its_own_bytes_only(here: Path) -> None:
    """Rows 16 to 20: byte order mark, CRLF, lone LF, form feed, tab, no last line end."""
    before = b"\xef\xbb\xbfv = pool.get_value_buffer(0)\r\nif v:\n\x0c\n\tj = 2"
    after = fixed(here, before)
    assert after == before.replace(b"(0)", b"(pool.start_layer)")
    assert fixed(here, after) == after


@pytest.mark.parametrize(
    "call",
    [
        "build().get_value_buffer(0)",
        "(p := build()).get_value_buffer(0)",
        "(await p()).get_value_buffer(0)",
        "(build + p).get_value_buffer(0)",
    ],
    ids=["a call", "a walrus", "an await", "a sum"],
)
def test_t2_what_is_asked_is_never_evaluated_twice(call: str, here: Path, capsys: Capture) -> None:
    """Rows 3, 7, 8."""
    checkout(here, {"case.py": f"async def f(build, p):\n    v = {call}\n"})
    assert run(["--no-cache", "--diff", "--output", "text", "sglang/case.py"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "no fix      what is asked for its layers is not a name or a dotted chain" in err


@pytest.mark.parametrize(
    "before",
    ["v = pool.get_value_buffer(\n    0,  # first layer\n)\n", "v = pool.get_value_buffer((0))\n"],
    ids=["a comment and a comma", "two brackets"],
)
def test_t3_comments_commas_and_brackets_stay(before: str, here: Path) -> None:
    """Rows 4, 5, 6."""
    assert fixed(here, before.encode()).decode() == before.replace("0", "pool.start_layer")


def test_t4_many_edits_go_in_one_run(here: Path) -> None:
    """Rows 10 to 15."""
    line = (
        "    pool.get_value_buffer(0).copy_(pool.get_value_buffer(0)); "
        "a.get_value_buffer(b.get_value_buffer(0)[0]); c.get_value_buffer(0)\n"
    )
    after = fixed(here, ("def f(pool, a, b, c):\n" + line * 150).encode())
    assert b"(0)" not in after
    compile(after, "case.py", "exec")
    assert fixed(here, after) == after


def test_no_fix_moves_an_encoding_line_into_force(here: Path, capsys: Capture) -> None:
    """Row 9: the comment in line 2 keeps line 3 from being one."""
    before = "#!/usr/bin/python\n# pplint: ignore-file[PPL101] x\n# coding: koi8-r\ns = 'п'\n".encode()
    assert fixed(here, before) == before
    assert "not fixed: it would change the file's encoding" in capsys.readouterr().out


SILENCE = {
    "after the closing bracket": (
        "v = pool.get_value_buffer(\n    0\n)  # pplint: ignore[PPL101] checked\n",
        [],
    ),
    "not from a string": ('s = "# pplint: ignore"; v = pool.get_value_buffer(0)\n', ["PPL101"]),
    "of a header, not from its body": (
        "if pool.get_value_buffer(0):\n    # pplint: ignore[PPL101] x\n    v = pool.get_value_buffer(0)\n",
        ["PPL101"],
    ),
    "of a match, not from its cases": (
        "match pool.get_value_buffer(0):\n    case 1:\n        v = pool.get_value_buffer(0)  # pplint: ignore[PPL101] x\n",
        ["PPL101"],
    ),
    "of a long header, on its last line": (
        "if (\n    pool.get_value_buffer(0)\n):  # pplint: ignore[PPL101] x\n    pass\n",
        [],
    ),
    "unused": ("x = 1  # pplint: ignore[PPL101]\n", ["PPL901"]),
    "not by another tool's word": ("v = pool.get_value_buffer(0)  # noqa\n", ["PPL101"]),
    "of a misspelt code": ("v = pool.get_value_buffer(0)  # pplint: ignore[PPL1O1]\n", ["PPL101", "PPL902"]),
}


@pytest.mark.parametrize(("text", "codes"), SILENCE.values(), ids=SILENCE)
def test_t6_silence_is_exact(text: str, codes: list[str], here: Path, capsys: Capture) -> None:
    """Rows 41 to 44, 47, 48."""
    checkout(here, {"case.py": text})
    run(["--no-cache", "--output", "json", "sglang/case.py"])
    assert [one["code"] for one in json.loads(capsys.readouterr().out)["findings"]] == codes


def test_t7_trouble_is_loud(here: Path, capsys: Capture) -> None:
    """Rows 35 to 37, 40."""
    bad = {"good.py": "v = 1\n", "hit.py": HIT, "bad.py": "def f(:\n", "bytes.py": b's = "\xe9"'}
    checkout(here, bad)
    assert (
        run(["--no-cache", "--exit-zero", "--output", "text", "--output", "sarif:out", "sglang", "gone/"])
        == 2
    )
    out = capsys.readouterr().out
    assert "sglang/hit.py:1:27: PPL101" in out
    assert "3 troubles" in out
    ran = json.loads((here / "out").read_text())["runs"][0]["invocations"][0]
    assert ran["executionSuccessful"] is False
    assert len(ran["toolExecutionNotifications"]) == 3


GLOBAL_ROW = (
    "class P:\n    start_layer = 4\n    def row(self, i):\n        return self.rows[i - self.start_layer]\n"
)
LOCAL_ROW = GLOBAL_ROW.replace(" - self.start_layer", "")


def test_t8_the_cache_knows_what_other_files_say(here: Path, capsys: Capture) -> None:
    """Rows 49 to 51."""
    use = "from sglang.pool import P\nx = P().row(0)\n"
    checkout(here, {"pool.py": GLOBAL_ROW, "use.py": use})
    (here / ".git").rmdir()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    cache = ["--cache-dir", "cache", "--select", "PPL101"]
    assert run([*cache, "-q", "sglang/use.py"]) == 1
    (here / "sglang/pool.py").write_text(LOCAL_ROW)
    assert run([*cache, "-q", "sglang/use.py"]) == 0
    capsys.readouterr()
    assert run([*cache, "sglang/pool.py"]) == 0
    out, err = capsys.readouterr()
    assert "use.py" in out + err


def test_t8_slicing_and_order_change_nothing(here: Path, capsys: Capture) -> None:
    """Row 51."""
    checkout(here, {f"case{n}.py": HIT for n in range(5)})
    names = [f"sglang/case{n}.py" for n in range(5)]
    seen = set()
    for words in (["-j1", "sglang"], ["-j2", "sglang"], ["-j1", *reversed(names)], ["-j2", *names]):
        run(["--no-cache", "-q", "--select", "PPL101", *words])
        seen.add(capsys.readouterr().out)
    assert len(seen) == 1
