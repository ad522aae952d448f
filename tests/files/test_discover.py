"""Which files the paths on the command line mean."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pplint.files.discover import Found, find_python_files

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


def plant(top: Path, *files: str, **contents: str) -> None:
    """Make files; a name that ends in `/` is a folder, `a -> b` a symbolic link."""
    for file in files:
        name, _, target = file.partition(" -> ")
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if target:
            path.symlink_to(target)
        elif name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text(contents.get(name, ""))


def search(
    top: Path, paths: Sequence[str] = (".",), exclude: Sequence[str] = (), git: bool = True, base: str = ""
) -> Found:
    named = [str(top / path) for path in paths]
    return find_python_files(named, exclude=exclude, base=str(top / base), respect_gitignore=git)


def names(found: Found, top: Path) -> list[str]:
    return [os.path.relpath(file, top) for file in found.files]


def troubles(found: Found, top: Path) -> list[tuple[str, str]]:
    return [(os.path.relpath(trouble.path, top), trouble.message) for trouble in found.troubles]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    # A real path with a name that many tools skip: what lies above the project hides nothing.
    folder = tmp_path.resolve() / "build" / ".venv" / "node_modules"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        pytest.param(["b.py", "a.py", "x/c.pyi"], ["a.py", "b.py", "x/c.pyi"], id="sorted, stubs too"),
        pytest.param(["a.py", "b.txt", "c", "d.pyc", "e.PY"], ["a.py"], id="by suffix"),
        pytest.param(["a.py", ".x/b.py", ".git/c.py"], ["a.py"], id="no hidden folders"),
        pytest.param([".a.py"], [".a.py"], id="but hidden files"),
        pytest.param(
            ["a.py", "__pycache__/b.py", "x/node_modules/c.py"], ["a.py"], id="no caches, no node_modules"
        ),
        pytest.param(["a.py", "v/pyvenv.cfg", "v/lib/b.py"], ["a.py"], id="no virtual environments"),
        pytest.param(["pyvenv.cfg", "a.py"], ["a.py"], id="except the one that is named"),
        pytest.param(["x.py/", "x.py/a.py"], ["x.py/a.py"], id="a folder with a Python name is a folder"),
        pytest.param(["a.py", "b.py -> a.py", "x -> ."], ["a.py"], id="links to what is there, and a loop"),
        pytest.param(["x/a.py", "x/y/up -> ../..", "z -> x"], ["x/a.py"], id="loops through folders"),
        pytest.param(["a.py", "b.py -> gone.py", "c.py -> c.py"], ["a.py"], id="links that lead nowhere"),
        pytest.param(
            ["a.py", "out.py -> /etc/passwd", "far -> /etc"], ["a.py"], id="links that leave the folder"
        ),
        pytest.param(["build/a.py", "dist/b.py"], ["build/a.py", "dist/b.py"], id="a folder named build"),
    ],
)
@posix
def test_a_named_folder(top: Path, planted: list[str], expected: list[str]) -> None:
    plant(top, *planted)
    found = search(top)
    assert (names(found, top), found.troubles, found.excluded_named) == (expected, [], False)


@pytest.mark.parametrize(
    ("planted", "paths", "expected"),
    [
        pytest.param(["script", "b.txt"], ["script", "b.txt"], ["b.txt", "script"], id="files of any suffix"),
        pytest.param(["x/a.py"], ["x/a.py", "x", ".", "x/../x/a.py"], ["x/a.py"], id="one file, many names"),
        pytest.param(
            ["a.py", "b.py -> a.py"], ["b.py", "a.py"], ["a.py"], id="a link, reported as the real file"
        ),
        pytest.param(["x/a.py", "y -> x"], ["y"], ["x/a.py"], id="a link to a folder"),
        pytest.param(["x/a.py", "p/out -> ../x"], ["p/out"], ["x/a.py"], id="a link that leaves the folder"),
        pytest.param([".x/a.py"], [".x"], [".x/a.py"], id="a hidden folder"),
        pytest.param(["node_modules/a.py"], ["node_modules"], ["node_modules/a.py"], id="a skipped folder"),
        pytest.param(["é ü.py"], ["é ü.py"], ["é ü.py"], id="blanks and umlauts"),
    ],
)
@posix
def test_what_is_named_counts(top: Path, planted: list[str], paths: list[str], expected: list[str]) -> None:
    plant(top, *planted)
    found = search(top, paths)
    assert (names(found, top), found.troubles) == (expected, [])


@pytest.mark.parametrize(
    ("planted", "path", "message"),
    [
        pytest.param([], "gone", "no such file or folder", id="a missing path"),
        pytest.param(["a.py"], "a.py/b.py", "no such file or folder", id="a path below a file"),
        pytest.param([], "a\0.py", "no such file or folder: the name has a NUL character", id="a NUL"),
        pytest.param(["a.py -> gone"], "a.py", "a symbolic link that leads nowhere", id="a dangling link"),
        pytest.param(
            ["a.py -> b.py", "b.py -> a.py"],
            "a.py",
            f"cannot be reached: {os.strerror(40)}",
            id="a link that leads to itself",
        ),
        pytest.param([], "x" * 300, f"cannot be reached: {os.strerror(36)}", id="a name that is too long"),
        pytest.param(["x/a.txt"], "x", "no Python file in this folder", id="a folder without Python"),
        pytest.param(
            ["x/a.py -> ../b.py", "b.py"],
            "x",
            "no Python file in this folder except behind symbolic links, which are not followed",
            id="a folder of links",
        ),
        pytest.param(["null -> /dev/null"], "null", "not a regular file", id="a device"),
    ],
)
@posix
def test_a_path_that_gives_nothing_is_a_trouble(
    top: Path, planted: list[str], path: str, message: str
) -> None:
    plant(top, "good.py", *planted)
    found = search(top, ["good.py", path])
    assert troubles(found, top) == [(path, message)]
    assert names(found, top) == ["good.py"]


@posix
def test_pipes_and_sockets_are_skipped_unless_named(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(top, "a.py")
    os.mkfifo(top / "pipe.py")
    monkeypatch.chdir(top)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.py")
    assert names(search(top), top) == ["a.py"]
    found = search(top, ["pipe.py", "socket.py"])
    assert troubles(found, top) == [("pipe.py", "not a regular file"), ("socket.py", "not a regular file")]


def test_a_folder_that_cannot_be_listed_is_a_trouble(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(top, "a.py", "x/b.py")
    listing = os.scandir

    def guarded(path: str) -> Iterator[os.DirEntry[str]]:
        if path.endswith("x"):
            raise PermissionError(13, "Permission denied", path)
        return listing(path)

    monkeypatch.setattr(os, "scandir", guarded)
    found = search(top)
    assert names(found, top) == ["a.py"]
    assert troubles(found, top) == [("x", "cannot be listed: Permission denied")]


@posix
def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    top = os.fsencode(tmp_path.resolve())
    os.mkdir(top + b"/\xff")  # noqa: PTH102
    for name in (b"/\xff/\xe9.py", b"/\xff/hidden\xe9.py"):
        with open(top + name, "wb"):
            pass
    with open(top + b"/.gitignore", "wb") as file:
        file.write(b"hidden\xe9.py\n")
    expected = [os.fsdecode(top + b"/\xff/\xe9.py")]
    assert find_python_files([os.fsdecode(top)]).files == expected
    assert find_python_files(expected).files == expected


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        pytest.param({".gitignore": "b.py\n"}, ["a.py", "x/a.py", "x/y/a.py"], id="a name everywhere"),
        pytest.param(
            {".gitignore": "/b.py\n"}, ["a.py", "x/a.py", "x/b.py", "x/y/a.py", "x/y/b.py"], id="anchored"
        ),
        pytest.param({".gitignore": "x/\n"}, ["a.py", "b.py"], id="a folder"),
        pytest.param(
            {"x/.gitignore": "b.py"}, ["a.py", "b.py", "x/a.py", "x/y/a.py"], id="a file further down"
        ),
        pytest.param(
            {".gitignore": "b.py", "x/.gitignore": "!b.py\n/a.py"},
            ["a.py", "x/b.py", "x/y/a.py", "x/y/b.py"],
            id="the inner file decides",
        ),
        pytest.param(
            {".gitignore": "x/\n!x/y/b.py"}, ["a.py", "b.py"], id="nothing comes back from a hidden folder"
        ),
        pytest.param(
            {".git/info/exclude": "y\n"}, ["a.py", "b.py", "x/a.py", "x/b.py"], id="the private file"
        ),
        pytest.param(
            {".git/info/exclude": "b.py\n", ".gitignore": "!/b.py"},
            ["a.py", "b.py", "x/a.py", "x/y/a.py"],
            id="before the private file",
        ),
        pytest.param({".gitignore": "\ufeffb.py\r\n"}, ["a.py", "x/a.py", "x/y/a.py"], id="BOM and CRLF"),
        pytest.param(
            {".gitignore/b": ""}, ["a.py", "b.py", "x/a.py", "x/b.py", "x/y/a.py", "x/y/b.py"], id="no file"
        ),
    ],
)
def test_what_git_ignores_is_skipped(top: Path, contents: dict[str, str], expected: list[str]) -> None:
    files = ["a.py", "b.py", "x/a.py", "x/b.py", "x/y/a.py", "x/y/b.py"]
    plant(top, ".git/", *files, *contents, **contents)
    assert names(search(top), top) == expected
    assert names(search(top, git=False), top) == files


def test_patterns_above_the_named_folder_hold(top: Path) -> None:
    plant(
        top,
        ".git/",
        ".gitignore",
        "x/.gitignore",
        "x/y/a.py",
        "x/y/b.py",
        "x/y/c.py",
        **{".gitignore": "/x/y/a.py"},
    )
    (top / "x/.gitignore").write_text("b.py")
    assert names(search(top, ["x/y"]), top) == ["x/y/c.py"]


def test_patterns_above_the_repository_do_not_hold(top: Path) -> None:
    plant(top, ".gitignore", "repository/.git/", "repository/a.py", **{".gitignore": "*"})
    assert names(search(top, ["repository"]), top) == ["repository/a.py"]


def test_without_a_repository_the_files_in_the_folder_hold(top: Path) -> None:
    plant(top, "x/.gitignore", "x/a.py", "x/b.py", **{"x/.gitignore": "b.py"})
    assert names(search(top, ["x"]), top) == ["x/a.py"]


def test_a_repository_inside_another_starts_anew(top: Path) -> None:
    plant(
        top,
        ".git/",
        ".gitignore",
        "a.py",
        "in/.git/info/exclude",
        "in/a.py",
        "in/b.py",
        **{".gitignore": "a.py"},
    )
    (top / "in/.git/info/exclude").write_text("b.py")
    assert names(search(top), top) == ["in/a.py"]


def test_the_private_file_of_a_linked_worktree(top: Path) -> None:
    plant(top, "main/.git/info/exclude", "main/.git/worktrees/w/commondir", "w/.git", "w/a.py", "w/b.py")
    (top / "main/.git/info/exclude").write_text("b.py")
    (top / "main/.git/worktrees/w/commondir").write_text("../..\n")
    (top / "w/.git").write_text("gitdir: ../main/.git/worktrees/w\n")
    assert names(search(top, ["w"]), top) == ["w/a.py"]


def test_what_git_ignores_counts_when_named(top: Path) -> None:
    plant(top, ".git/", ".gitignore", "x/a.py", "b.py", "x/y/b.py", **{".gitignore": "x/\nb.py\n"})
    assert names(search(top, ["x", "b.py"]), top) == ["b.py", "x/a.py", "x/y/b.py"]


def test_a_folder_that_git_ignores_wholly_is_a_trouble(top: Path) -> None:
    plant(top, ".git/", ".gitignore", "x/a.py", **{".gitignore": "*.py"})
    message = "no Python file in this folder except those that .gitignore hides"
    assert troubles(search(top, ["x"]), top) == [("x", message)]


@posix
def test_a_gitignore_that_is_a_pipe_is_not_waited_for(top: Path) -> None:
    plant(top, ".git/", "a.py")
    os.mkfifo(top / ".gitignore")
    assert names(search(top), top) == ["a.py"]


@pytest.mark.parametrize(
    ("exclude", "paths", "expected", "excluded"),
    [
        pytest.param(["x"], ["."], ["a.py"], False, id="a folder in a walk"),
        pytest.param(["*.py"], ["."], [], True, id="everything"),
        pytest.param(["x/"], ["x"], [], True, id="a named folder"),
        pytest.param(["x/"], ["x/y/b.py", "a.py"], ["a.py"], True, id="a named file in an excluded folder"),
        pytest.param(["/a.py"], ["a.py", "x/a.py"], ["x/a.py"], True, id="relative to the settings"),
        pytest.param(["b.py"], ["x/y"], [], True, id="all files of a named folder"),
        pytest.param(
            ["build", "node_modules", ".venv"], ["."], ["a.py", "x/a.py", "x/y/b.py"], False, id="above"
        ),
        pytest.param(["x/**", "!x/a.py"], ["."], ["a.py", "x/a.py"], False, id="with an exception"),
        pytest.param(["l.py"], ["l.py"], [], True, id="the name of a link"),
        pytest.param(["x/a.py"], ["l.py"], [], True, id="what a link leads to"),
    ],
)
@posix
def test_excludes(
    top: Path, exclude: list[str], paths: list[str], expected: list[str], excluded: bool
) -> None:
    plant(top, "a.py", "x/a.py", "x/y/b.py", "l.py -> x/a.py")
    found = search(top, paths, exclude)
    assert (names(found, top), found.troubles, found.excluded_named) == (expected, [], excluded)


def test_excludes_are_relative_to_the_settings_folder(top: Path) -> None:
    plant(top, "p/x/a.py", "x/a.py")
    assert names(search(top, ["p", "x"], ["/x"], base="p"), top) == ["x/a.py"]


def test_settings_decide_before_git(top: Path) -> None:
    plant(top, ".git/", ".gitignore", "a.py", "b.py", **{".gitignore": "a.py"})
    assert search(top, ["."], ["b.py"]).excluded_named


def test_no_gitignore_brings_back_what_the_settings_exclude(top: Path) -> None:
    plant(top, ".git/", ".gitignore", "a.py", "b.py", **{".gitignore": "!b.py"})
    assert names(search(top, ["."], ["b.py"]), top) == ["a.py"]


def test_leftovers_of_killed_runs_are_met(top: Path) -> None:
    plant(top, "x/a.py", "x/.a.py.pplint-123-0123456789ab.tmp", "x/.a.py.tmp")
    expected = (str(top / "x/.a.py.pplint-123-0123456789ab.tmp"),)
    assert search(top).leftovers == expected
