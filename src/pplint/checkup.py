"""Whether pplint is at home: a line for each thing that it needs or could use, and what to do where that is missing."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from pplint import __version__
from pplint.records import Record
from pplint.settings import FILE_NAME, Settings, SettingsError, ignored_in, load, selected

OK, BROKEN, UNUSED = "ok", "not ok", "not used"

HOOKS_FILE = ".pre-commit-config.yaml"
_HOOK = re.compile(r"\bid\s*:\s*[\"']?(pplint(?:-fix|-all)?)(?![\w-])")
_YAML_COMMENT = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)


class Line(Record):
    """The state of one thing (`OK`, `BROKEN` or `UNUSED`), what was found, and the next step, if there is one."""

    what: str
    state: str
    said: str
    todo: str = ""


def checkup(paths: Sequence[str], sglang: str | None, cache: str | None) -> list[Line]:
    """Look at all that concerns a run on `paths`, which exist; without any, at those of the settings, else here.

    `sglang` is the tree that was asked for, `cache` the absolute folder of the cache, None where there is no home for it.
    """
    settings_line, settings = _settings(paths[0] if paths else os.curdir)
    named = tuple(paths) or (settings.paths if settings else ())
    chosen = sglang or (settings.sglang if settings else None)
    git_line, top, hook = _git(named[0] if named else os.curdir)
    folder = top or (settings.root if settings else os.path.realpath(os.curdir))
    return [
        Line("pplint", OK, f"{__version__}, Python {sys.version.split()[0]} ({sys.executable})"),
        settings_line,
        _sglang(named, chosen),
        _cache(cache),
        git_line,
        _pre_commit(folder, hook),
        _pylint(folder),
    ]


def _settings(start: str) -> tuple[Line, Settings | None]:
    """The file that holds, followed as a run would follow it; the settings where that can be done."""
    from pplint.baseline import BaselineError, read

    try:
        settings = load(start)
        selected(settings)
        ignored_in(settings)
        if settings.baseline:
            read(settings.baseline)
        if gone := [path for path in settings.paths if not Path(path).exists()]:
            raise SettingsError(
                f"{settings.origins['paths'].origin}: paths names {gone[0]}, which is not there"
            )
    except (SettingsError, BaselineError) as error:
        todo = "every run ends with this message until it is put right"
        return Line("settings", BROKEN, str(error), todo), None
    if settings.file:
        return Line("settings", OK, settings.file), settings
    said = f"no {FILE_NAME} with [tool.pplint] at or above {os.path.realpath(start)}: the defaults hold"
    return Line(
        "settings", UNUSED, said, "docs/settings.md in pplint's repository has such a table to copy"
    ), settings


def _sglang(paths: tuple[str, ...], sglang: str | None) -> Line:
    """Where the facts come from; a folder without SGLang is wrong only if somebody named it."""
    from pplint.engine.elsewhere import installed_package
    from pplint.engine.root import PACKAGE, RootError, find_root

    try:
        root = find_root(paths, sglang)
    except RootError as error:
        todo = "name paths of one checkout, or its sources with --sglang PATH"
        return Line("sglang", BROKEN, str(error), todo)
    if Path(root.folder).name == PACKAGE:
        return Line("sglang", OK, root.how)
    if found := installed_package():
        return Line("sglang", OK, f"{found}, the installed copy; {root.how}")
    todo = "name a checkout's python/sglang, or say where one is with --sglang PATH"
    return Line("sglang", BROKEN if paths else UNUSED, root.how, todo)


def _cache(folder: str | None) -> Line:
    if folder is None:
        todo = "set HOME or XDG_CACHE_HOME, or name a folder with --cache-dir PATH"
        return Line("cache", UNUSED, "there is no home for it: every run reads all files anew", todo)
    if said := _refuses(Path(folder)):
        todo = "until then every run reads all files anew; --cache-dir PATH names another folder"
        return Line("cache", BROKEN, f"{folder} cannot be written ({said})", todo)
    size = sum(map(_size, Path(folder).rglob("*")))
    return Line("cache", OK, f"{folder} ({f'{size / 1e6:.1f} MB' if size else 'nothing in it yet'})")


def _refuses(folder: Path) -> str:
    """Why a folder cannot be made or written, or ""; permissions alone do not tell, so a file is written."""
    from tempfile import TemporaryFile

    try:
        existing = next(place for place in (folder, *folder.parents) if place.exists())
        with TemporaryFile(dir=existing) as file:
            file.write(b"\0")
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _size(path: Path) -> int:
    """The bytes of a file; another run may have removed it just now."""
    try:
        return 0 if path.is_dir() else path.lstat().st_size
    except OSError:
        return 0


def _git(path: str) -> tuple[Line, str | None, str]:
    """The checkout, its top level if there is one, and the file at which git looks for what runs before a commit."""
    from pplint.git import GitError, hook_file, top_level

    top = top_level(path)
    if top is None:
        said = f"{os.path.realpath(path)} is in no checkout"
        todo = "in one, `--since` works, and a commit that breaks code elsewhere is noticed"
        return Line("git", UNUSED, said, todo), None, ""
    try:
        return Line("git", OK, top), top, hook_file(top, "pre-commit")
    except GitError as error:
        todo = "until git answers, `--since` fails, and what a commit breaks elsewhere goes unnoticed"
        return Line("git", BROKEN, str(error), todo), top, ""


def _pre_commit(folder: str, hook: str) -> Line:
    file = Path(folder, HOOKS_FILE)
    try:
        text = _YAML_COMMENT.sub("", file.read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        todo = "docs/pre-commit.md in pplint's repository has one to copy"
        return Line("pre-commit", UNUSED, f"no {HOOKS_FILE} in {folder}", todo)
    except OSError as error:
        return Line("pre-commit", BROKEN, f"{file} cannot be read ({error.strerror})", "make it readable")
    hooks = [*dict.fromkeys(_HOOK.findall(text))]
    if not hooks:
        todo = "add `- id: pplint-fix` of pplint's repository, see docs/pre-commit.md"
        return Line("pre-commit", UNUSED, f"{file} has no hook of pplint", todo)
    todo = "`pre-commit install` makes git run it at each commit" if hook and not Path(hook).exists() else ""
    return Line("pre-commit", OK, f"{', '.join(hooks)} in {file}", todo)


def _pylint(folder: str) -> Line:
    """pylint says nothing where a plugin is missing, so it is asked whether our messages are there."""
    from pplint.pylint_here import PLUGIN, ask_pylint, loading_files, pylint_version

    version, loading = pylint_version(), loading_files(folder)
    if not loading:
        said = f"pylint {version} is here" if version else "this Python has no pylint"
        todo = f'`load-plugins = ["{PLUGIN}"]` there shows our messages too, see docs/pylint.md'
        return Line("pylint", UNUSED, f"{said}; no configuration in {folder} loads {PLUGIN}", todo)
    if version is None:
        said = f"{loading[0]} loads {PLUGIN}, but {sys.executable} has no pylint"
        return Line("pylint", BROKEN, said, "install pylint in the environment of pplint")
    word = ask_pylint(folder)
    if word.enabled:
        said = f"{version} loads {PLUGIN} from {word.takes}: {word.enabled} of {word.known} messages enabled"
        return Line("pylint", OK, said, _other_pylint())
    if word.known:
        said = f"{version} loads {PLUGIN} from {word.takes}, where all of its messages are disabled"
        return Line("pylint", BROKEN, said, 'add "pplint" to `enable` there')
    if word.takes and os.path.realpath(word.takes) not in map(os.path.realpath, loading):
        said = f"{loading[0]} loads {PLUGIN}, but pylint {version} takes {word.takes} instead"
        return Line("pylint", BROKEN, said, f"load it in {word.takes}")
    said = f"{loading[0]} loads {PLUGIN}, but pylint {version} does not know its messages"
    complaint = f"; it says: {word.complaint}" if word.complaint else ""
    return Line("pylint", BROKEN, said + complaint, f"`{sys.executable} -m pylint` in {folder} says more")


def _other_pylint() -> str:
    """What to know about a `pylint` in PATH that is not the one of this Python."""
    command = shutil.which("pylint")
    if command is None or Path(command).parent == Path(sys.executable).parent:
        return ""
    return f"`pylint` in PATH is another one, {command}: it needs pplint in its own environment"
