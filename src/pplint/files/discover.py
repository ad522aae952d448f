"""Which Python files the given paths mean.

Symbolic links: a path that is named is followed, and the real file is reported once, however many names lead
to it. Links met inside a folder are not followed: what they lead to has its own name there or lies outside.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence

from pplint.files.above import checkout_of
from pplint.files.gitignore import Patterns, Within
from pplint.files.write import is_leftover
from pplint.finding import Trouble
from pplint.records import Record
from pplint.source.text import SourceError, read_bytes

SUFFIXES = (".py", ".pyi")
_SKIPPED = frozenset({"__pycache__", "node_modules"})

_Parts = tuple[str, ...]


class Found(Record):
    """What the paths came to.

    `files` are real absolute paths, sorted, each once. `troubles` name the paths that gave nothing and the
    folders that could not be listed. `excluded_named` says that the settings exclude a named path, or all
    Python files of one. `leftovers` are temporary files of pplint's own that were met on the way. `empty` are
    the paths of those troubles that are named folders without a Python file. `folders` are those that were listed.
    """

    files: list[str]
    troubles: list[Trouble]
    excluded_named: bool = False
    leftovers: tuple[str, ...] = ()
    empty: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()


class _Level(Record):
    """Patterns and where a folder stands below theirs."""

    patterns: Patterns
    parts: _Parts

    def down(self, name: str) -> _Level:
        return _Level(self.patterns, (*self.parts, name))


def find_python_files(
    paths: Iterable[str], *, exclude: Sequence[str] = (), base: str = "", respect_gitignore: bool = True
) -> Found:
    """Return the Python files that `paths` (files and folders) mean.

    A named file counts whatever its suffix and `.gitignore` say. In a named folder, hidden folders,
    `__pycache__`, `node_modules`, virtual environments and what git ignores are skipped. `exclude` are
    patterns in the language of .gitignore, relative to the folder `base` (the working directory if empty);
    they hold for named paths too.
    """
    search = _Search(Patterns(exclude), base or os.curdir, respect_gitignore)
    for path in paths:
        search.add(os.fsdecode(path))
    return Found(
        sorted(search.files),
        search.troubles,
        search.excluded_named,
        tuple(sorted(set(search.leftovers))),
        frozenset(search.empty),
        tuple(search.folders),
    )


def is_excluded(path: str, exclude: Patterns, base: str) -> bool:
    """Whether patterns relative to the folder `base` hide a file, which need not exist, as it is named or really is."""
    named = os.path.abspath(path)
    return _Search(exclude, base, False).is_excluded(named, os.path.realpath(named), False)


class _Search:
    def __init__(self, exclude: Patterns, base: str, respect_gitignore: bool) -> None:
        self.files: set[str] = set()
        self.troubles: list[Trouble] = []
        self.leftovers: list[str] = []
        self.empty: list[str] = []
        self.folders: list[str] = []
        self.excluded_named = False
        self._exclude = exclude
        self._base = os.path.realpath(base)
        self._named_base = os.path.abspath(base)
        self._respect_gitignore = respect_gitignore
        self._hidden = ""

    def add(self, path: str) -> None:
        """Take in one named path."""
        if not path:
            self._trouble("''", "the name is empty")
            return
        named = os.path.abspath(path) if "\0" not in path else path
        try:
            real = os.path.realpath(named)
            mode = os.stat(real).st_mode
        except (OSError, ValueError) as error:
            self._trouble(named, _reason(named, error))
            return
        if self.is_excluded(named, real, stat.S_ISDIR(mode)):
            self.excluded_named = True
        elif stat.S_ISDIR(mode):
            self._add_folder(named, real)
        elif stat.S_ISREG(mode):
            self.files.add(real)
        else:
            self._trouble(named, "not a regular file")

    def is_excluded(self, named: str, real: str, is_folder: bool) -> bool:
        """Whether the patterns hide an absolute path, as it is named or as it really is."""
        places = (_below(self._base, real), _below(self._named_base, named))
        return any(parts is not None and self._exclude.hide(parts, is_folder) for parts in places)

    def _trouble(self, path: str, message: str) -> None:
        self.troubles.append(Trouble(path, 0, message))

    def _add_folder(self, named: str, real: str) -> None:
        before = len(self.troubles)
        self._hidden = ""
        if self._walk(real) or len(self.troubles) > before:
            return
        if self._hidden == "exclude":
            self.excluded_named = True
        else:
            but = f" except {self._hidden}" if self._hidden else ""
            self._trouble(named, f"no Python file in this folder{but}")
            self.empty.append(named)

    def _walk(self, top: str) -> bool:
        """Collect the files below a real folder; return whether there was any, found before or not."""
        above = _levels_above(top) if self._respect_gitignore else ()
        parts = _below(self._base, top) if self._exclude else None
        exclude = None if parts is None else _Level(self._exclude, parts)
        found = False
        waiting = [(top, above, exclude)]
        while waiting:
            folder, levels, exclude = waiting.pop()
            self.folders.append(folder)
            try:
                with os.scandir(folder) as listing:
                    entries = list(listing)
            except OSError as error:
                self._trouble(folder, f"cannot be listed: {error.strerror}")
                continue
            names = {entry.name for entry in entries}
            if folder != top and "pyvenv.cfg" in names:
                continue
            if self._respect_gitignore:
                levels = _levels_here(folder, names, levels, nested=folder != top)
            folders, files = self._sift(entries, levels, exclude)
            found = found or bool(files)
            self.files.update(files)
            for name in folders:
                inner = tuple(level.down(name) for level in levels)
                waiting.append((os.path.join(folder, name), inner, exclude and exclude.down(name)))
        return found

    def _sift(
        self, entries: Sequence[os.DirEntry[str]], levels: Sequence[_Level], exclude: _Level | None
    ) -> tuple[list[str], list[str]]:
        """Return the names of the folders to go into and the paths of the Python files of one folder."""
        folders: list[str] = []
        files: list[str] = []
        git = [level.patterns.within(level.parts) for level in levels]
        settings = None if exclude is None else exclude.patterns.within(exclude.parts)
        for entry in entries:
            name = entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                if name.startswith(".") or name in _SKIPPED:
                    continue
            elif not name.endswith(SUFFIXES):
                if is_leftover(name):
                    self.leftovers.append(entry.path)
                continue
            elif not entry.is_file(follow_symlinks=False):
                if entry.is_symlink():
                    self._hidden = self._hidden or "behind symbolic links, which are not followed"
                continue
            if settings is not None and settings.verdict(name, is_folder):
                self._hidden = "exclude"
            elif git and _git_ignores(git, name, is_folder):
                self._hidden = self._hidden or "those that .gitignore hides"
            elif is_folder:
                folders.append(name)
            else:
                files.append(entry.path)
        return folders, files


def _git_ignores(git: Iterable[Within], name: str, is_folder: bool) -> bool:
    """The innermost file that says anything decides."""
    for within in git:
        verdict = within.verdict(name, is_folder)
        if verdict is not None:
            return verdict
    return False


def _levels_above(top: str) -> tuple[_Level, ...]:
    """Return the levels that hold in a folder from above it, the innermost first.

    A folder that git itself ignores was named on purpose; then nothing from above holds.
    """
    repository = checkout_of(top)
    if repository is None:
        return ()
    levels = _repository_levels(repository)
    folder = repository
    for name in _below(repository, top) or ():
        levels = _levels_here(folder, {".gitignore"}, levels, nested=False)
        if _git_ignores([level.patterns.within(level.parts) for level in levels], name, True):
            return ()
        folder = os.path.join(folder, name)
        levels = tuple(level.down(name) for level in levels)
    return levels


def _levels_here(
    folder: str, names: set[str], levels: tuple[_Level, ...], *, nested: bool
) -> tuple[_Level, ...]:
    """Add the patterns of one folder; a repository inside another starts anew."""
    if nested and ".git" in names:
        levels = _repository_levels(folder)
    if ".gitignore" in names and (patterns := _read_patterns(os.path.join(folder, ".gitignore"))):
        return (_Level(patterns, ()), *levels)
    return levels


def _repository_levels(repository: str) -> tuple[_Level, ...]:
    patterns = _read_patterns(os.path.join(_git_folder(repository), "info", "exclude"))
    return (_Level(patterns, ()),) if patterns else ()


def _read_patterns(path: str) -> Patterns:
    try:
        text = os.fsdecode(read_bytes(path))
    except SourceError:
        return Patterns(())
    return Patterns(text.removeprefix("\ufeff").split("\n"))


def _git_folder(repository: str) -> str:
    """Return the folder that holds `info/exclude`; in a linked worktree `.git` is a file that leads to it."""
    git = os.path.join(repository, ".git")
    for name, key in ((git, "gitdir:"), ("commondir", "")):
        path = os.path.join(git, name)
        if os.path.isfile(path):
            try:
                told = os.fsdecode(read_bytes(path)).removeprefix(key).strip()
            except SourceError:
                return git
            git = os.path.normpath(os.path.join(os.path.dirname(path), told))
    return git


def _below(base: str, path: str) -> _Parts | None:
    """Return the parts of `path` below `base`, or None if it lies elsewhere."""
    if path == base:
        return ()
    start = base if base.endswith(os.sep) else base + os.sep
    return tuple(path[len(start) :].split(os.sep)) if path.startswith(start) else None


def _reason(path: str, error: Exception) -> str:
    if isinstance(error, ValueError):
        return "no such file or folder: the name has a NUL character"
    if isinstance(error, FileNotFoundError) or (isinstance(error, OSError) and error.errno == errno.ENOTDIR):
        return "a symbolic link that leads nowhere" if os.path.islink(path) else "no such file or folder"
    return f"cannot be reached: {error.strerror}" if isinstance(error, OSError) else str(error)
