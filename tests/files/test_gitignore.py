"""Patterns mean what they mean to git, and never take long."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pplint.files.gitignore import Patterns


@pytest.mark.parametrize(
    ("lines", "path", "hidden"),
    [
        pytest.param(["a.py"], "a.py", True, id="a name"),
        pytest.param(["a.py"], "x/a.py", True, id="a name at any depth"),
        pytest.param(["/a.py"], "x/a.py", False, id="a leading slash anchors"),
        pytest.param(["x/a.py"], "y/x/a.py", False, id="a slash in the middle anchors"),
        pytest.param(["x/"], "x/a.py", True, id="a folder hides what is in it"),
        pytest.param(["a.py/"], "a.py", False, id="a folder pattern is not for files"),
        pytest.param(["*.py"], "x/a.py", True, id="a star"),
        pytest.param(["x*a.py"], "x/a.py", False, id="a star stays within a name"),
        pytest.param(["a?c", "[!b]"], "abc", True, id="a question mark"),
        pytest.param(["[!a-c].py"], "b.py", False, id="a negated range"),
        pytest.param(["[^a-c].py"], "d.py", True, id="a negated range in the other spelling"),
        pytest.param(["[[:digit:]].py"], "7.py", True, id="a character class"),
        pytest.param(["**/x/a.py"], "y/z/x/a.py", True, id="any folders before"),
        pytest.param(["x/**/a.py"], "x/a.py", True, id="no folder between"),
        pytest.param(["x/**/a.py"], "x/y/z/a.py", True, id="any folders between"),
        pytest.param(["x/**"], "x/y/a.py", True, id="everything inside"),
        pytest.param(["*.py", "!a.py"], "a.py", False, id="taken back"),
        pytest.param(["!a.py", "*.py"], "a.py", True, id="the last line counts"),
        pytest.param(["x/", "!x/a.py"], "x/a.py", True, id="nothing comes back from a hidden folder"),
        pytest.param(["# a.py", "", "  ", "!", "/"], "a.py", False, id="lines that are no patterns"),
        pytest.param(["\\#a.py"], "#a.py", True, id="an escaped hash"),
        pytest.param(["\\!a.py"], "!a.py", True, id="an escaped exclamation mark"),
        pytest.param(["a\\*.py"], "ab.py", False, id="an escaped star"),
        pytest.param(["a.py  "], "a.py", True, id="trailing spaces do not count"),
        pytest.param(["a.py\\ "], "a.py ", True, id="an escaped trailing space counts"),
        pytest.param(["a.py\r"], "a.py", True, id="CRLF"),
        pytest.param(["[a"], "[a", False, id="an open bracket matches nothing"),
        pytest.param(["a\n.py"], "a\n.py", True, id="a line end in a name"),
        pytest.param(["\udcff.py"], "\udcff.py", True, id="a name that is not UTF-8"),
    ],
)
def test_patterns(lines: list[str], path: str, hidden: bool) -> None:
    assert Patterns(lines).hide(path.split("/"), is_folder=False) is hidden


@pytest.mark.parametrize(
    ("line", "path"),
    [
        pytest.param("*a" * 60 + "b", "a" * 255, id="many stars against one long name"),
        pytest.param("**/a/" * 60 + "b", "a/" * 1000 + "c", id="many depths against a long path"),
        pytest.param("[" * 100_000, "[[", id="many open brackets"),
        pytest.param("[[:a:]" * 10_000, "a", id="many character classes"),
        pytest.param("**" * 10_000 + "b", "a" * 255, id="stars only"),
    ],
)
def test_no_pattern_takes_long(line: str, path: str) -> None:
    # With expressions that backtrack this would not end within a lifetime.
    assert not Patterns([line]).hide(path.split("/"), is_folder=False)


SEGMENTS = [
    "a",
    "b",
    "ab",
    "*",
    "**",
    "a*",
    "*b",
    "?",
    "*.py",
    "[ab]",
    "[!a]",
    "[^b]",
    "*a*b*",
    "\\*",
    "a\\*",
]
SEGMENTS += ["\\#a", "\\!a", "[[:alpha:]]", "a b", "[]a]", "***", "a**b", "[a-b]*", "[\\a]", "*.pyc", "b.py"]
NAMES = ["a", "b", "ab", "a.py", "b.py", "x.pyc", "a b", "#a", "!a", "a*", "ba", "[a"]

line = st.builds(
    lambda start, segments, end: start + "/".join(segments) + end,
    st.sampled_from(["", "", "/", "!", "!/"]),
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "  "]),
)
file = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(tuple)


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
@settings(max_examples=40, deadline=None)
@given(st.lists(line, min_size=1, max_size=4), st.sets(file, min_size=10, max_size=30))
def test_git_says_the_same(lines: list[str], files: set[tuple[str, ...]]) -> None:
    folders = {path[:depth] for path in files for depth in range(1, len(path))}
    paths = sorted(files - folders)
    with tempfile.TemporaryDirectory() as top:
        for path in paths:
            made = Path(top, *path)
            made.parent.mkdir(parents=True, exist_ok=True)
            made.touch()
        Path(top, ".gitignore").write_text("\n".join(lines) + "\n")
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", "init", "-q", top], check=True, env=environment)
        told = subprocess.run(
            ["git", "-C", top, "check-ignore", "--stdin", "-z", "--no-index"],
            input="\0".join("/".join(path) for path in paths),
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
    patterns = Patterns(lines)
    ours = {"/".join(path) for path in paths if patterns.hide(path, is_folder=False)}
    assert ours == set(told.stdout.split("\0")) - {""}
