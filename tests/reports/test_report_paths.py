from __future__ import annotations

import os
from pathlib import Path

import pytest
from report_desk import Desk, rendered

from pplint.reports.paths import display_path, find_repository, repository_uri
from pplint.reports.report import FORMATS

NOT_UTF8 = os.fsdecode(b"h\xff.py")


@pytest.mark.parametrize(
    ("cwd", "path", "expected"),
    [
        ("/home/me/repo", "/home/me/repo/srt/a.py", "srt/a.py"),
        ("/home/me/repo/python", "/home/me/repo/test/a.py", "../test/a.py"),
        ("/home/me/repo/a/b/c", "/home/me/repo/test/a.py", "../../../test/a.py"),
        ("/home/me/other", "/home/me/repo/a.py", "../repo/a.py"),
        ("/srv/ci/job", "/home/me/repo/a.py", "/home/me/repo/a.py"),
        ("/home", "/home/me/repo/a.py", "me/repo/a.py"),
        ("/tmp", "/home/me/repo/a.py", "/home/me/repo/a.py"),
        ("/home/me/rep", "/home/me/repo/a.py", "../repo/a.py"),
        ("/", "/home/me/repo/a.py", "home/me/repo/a.py"),
        ("/home/me/repo", "/home/me/repo/h\udcff.py", "h\\xff.py"),
        ("/home/me/repo", "", ""),
    ],
    ids=[
        "below the working directory",
        "beside it",
        "elsewhere in the repository",
        "in a folder beside it",
        "far away",
        "above the repository",
        "the file system's root is nobody's neighbour",
        "a name that begins like the other is beside it",
        "from the root",
        "a name that is not UTF-8",
        "no file",
    ],
)
def test_what_people_see(desk: Desk, cwd: str, path: str, expected: str) -> None:
    assert display_path(path, desk.report(cwd=cwd, repository="/home/me/repo")) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/r/a b.py", "a%20b.py"),
        ("/r/\u00e9#%?.py", "%C3%A9%23%25%3F.py"),
        ("/r/c:d/x.py", "c%3Ad/x.py"),
        ("/r/h\udcff.py", "h%FF.py"),
        ("/rest/x.py", None),
    ],
    ids=["a space", "reserved characters", "a colon", "not UTF-8", "outside"],
)
def test_uris(desk: Desk, path: str, expected: str | None) -> None:
    assert repository_uri(path, desk.report(repository="/r")) == expected


@pytest.mark.parametrize("format_name", list(FORMATS))
def test_a_name_that_is_not_utf8_gives_a_report(desk: Desk, format_name: str) -> None:
    path = str(desk.root / "h.py")
    finding = desk.finding(desk.file("h.py", "f(0)\n"), "0")
    Path(path).rename(desk.root / NOT_UTF8)
    finding = finding._replace(path=str(desk.root / NOT_UTF8))
    text = rendered(format_name, desk.report(finding))
    assert text.encode("utf-8")
    assert "xff" in text.lower() or "%FF" in text


def test_the_repository_is_the_nearest_git_top_level_above_all_paths(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path))
    inner = root / "repo" / "python" / "sglang"
    inner.mkdir(parents=True)
    (root / "repo" / "test").mkdir()
    file = inner / "a.py"
    file.touch()
    assert find_repository([str(inner)], str(root)) == str(root), (
        "without git the working directory holds all"
    )
    assert find_repository([str(inner)], "/") == "/"
    assert find_repository([str(file)], str(root / "repo" / "test")) == str(inner)
    (root / "repo" / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    assert find_repository([str(file), str(root / "repo" / "test")], "/") == str(root / "repo")
    assert find_repository([], str(inner)) == str(root / "repo")
