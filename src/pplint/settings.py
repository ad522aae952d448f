"""`[tool.pplint]` of the nearest pyproject.toml, joined with the command line; each value with its origin."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from pplint.files.above import is_checkout, upwards
from pplint.finding import SEVERITIES
from pplint.records import Record

DEFAULT = "default"
COMMAND_LINE = "command line"
FILE_NAME = "pyproject.toml"


class SettingsError(Exception):
    """A setting that pplint cannot follow; the text names the file, the key and the nearest right name."""


class Setting(Record):
    """A value and where it came from: `default`, `command line`, or `FILE:LINE`."""

    value: Any
    origin: str


class Settings(Record):
    """All settings, checked.

    `root` is the real path of the folder that patterns and paths are relative to; `file` is the
    pyproject.toml that was read, or "". Paths are absolute.
    """

    root: str
    file: str
    origins: dict[str, Setting]
    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    include_tests: bool = False
    sglang: str | None = None
    baseline: str | None = None
    require_reason: bool = False
    pp_size: int | None = None
    num_layers: int | None = None


def load(start: str) -> Settings:
    """Return the settings that hold for `start`, a file or folder (or one to be). Raises `SettingsError`."""
    found = _nearest(start)
    if found is None:
        from pplint.git import top_level

        place = os.path.realpath(start)
        folder = place if os.path.isdir(place) else os.path.dirname(place)
        root = top_level(folder) or folder
        return _settings(root, "", {}, lambda key: DEFAULT)
    file, table, text = found
    lines = _key_lines(text)
    return _settings(os.path.dirname(file), file, table, lambda key: f"{file}:{lines.get(key, 1)}")


def override(settings: Settings, given: Mapping[str, Any]) -> Settings:
    """Return `settings` with the command line on top; `given` has the field names, None for not given.

    `--select` starts the choice anew, `--ignore` and `--extend-select` add to it, anything else replaces.
    """
    given = {name: value for name, value in given.items() if value is not None and value != ()}
    values = settings._asdict()
    if "select" in given:
        values.update(ignore=(), extend_select=())
        dropped = dict.fromkeys(("ignore", "extend-select"), Setting((), COMMAND_LINE))
        values["origins"] = {**values["origins"], **dropped}
    for name in ("ignore", "extend_select"):
        if name in given:
            given[name] = (*values[name], *given[name])
    for name, value in given.items():
        values[name] = value
        values["origins"] = {**values["origins"], name.replace("_", "-"): Setting(value, COMMAND_LINE)}
    return Settings(**values)


def selected(settings: Settings) -> frozenset[str]:
    """Return the codes that run. Raises `SettingsError` for an unknown code."""
    wanted = expanded(settings, "select") | expanded(settings, "extend-select")
    return wanted - expanded(settings, "ignore")


def expanded(settings: Settings, key: str) -> frozenset[str]:
    """Return the codes that the selectors of `key` stand for. Raises `SettingsError`, naming the origin."""
    return _expand(getattr(settings, key.replace("-", "_")), key, settings.origins[key].origin)


def ignored_in(settings: Settings) -> Callable[[str], frozenset[str]]:
    """Return a function from an absolute path to the codes that `per-file-ignores` switches off there."""
    if not settings.per_file_ignores:
        return lambda path: frozenset()
    from pplint.files.gitignore import Patterns

    origin = settings.origins["per-file-ignores"].origin
    rows = [
        (Patterns((pattern,)), _expand(codes, "per-file-ignores", origin))
        for pattern, codes in settings.per_file_ignores
    ]

    def codes_of(path: str) -> frozenset[str]:
        parts = tuple(os.path.relpath(path, settings.root).split(os.sep))
        return frozenset().union(*(codes for patterns, codes in rows if patterns.hide(parts, False)))

    return codes_of


def _expand(selectors: tuple[str, ...], key: str, origin: str) -> frozenset[str]:
    if not selectors:
        return frozenset()
    from pplint.rules.catalogue import UnknownRule, expand

    try:
        return expand(selectors)
    except UnknownRule as error:
        flag = f"--{key}" if origin == COMMAND_LINE else f"{origin}: {key}"
        raise SettingsError(f"{flag}: {error}") from error


def _nearest(start: str) -> tuple[str, dict[str, Any], str] | None:
    for folder in upwards(os.path.realpath(start)):
        file = os.path.join(folder, FILE_NAME)
        try:
            with open(file, "rb") as opened:
                data = opened.read()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError):
            data = b""
        except OSError as error:
            raise SettingsError(f"{file}: cannot be read: {error.strerror}") from error
        # Reading TOML costs more than the whole start-up; most files say nothing about pplint.
        if b"pplint" in data and (table := _table(file, data)) is not None:
            return file, table, data.decode("utf-8-sig")
        if is_checkout(folder):
            return None
    return None


def _table(file: str, data: bytes) -> dict[str, Any] | None:
    import sys
    from importlib import import_module

    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        tool = toml.loads(data.decode("utf-8-sig")).get("tool", {})
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{file}: {str(error) or 'too deeply nested'}") from error
    table = tool.get("pplint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{file}: tool.pplint must be a table")
    return table


def _key_lines(text: str) -> dict[str, int]:
    """Return the line of each key below `[tool.pplint]`; good enough to lead a reader to it."""
    lines: dict[str, int] = {}
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*\[\s*tool\s*\.\s*pplint\s*(?:\.\s*\"?([\w-]+))?", line):
            inside = not header[1]
            if header[1]:
                lines.setdefault(header[1], number)
        elif re.match(r"\s*\[[^\[\]=,]*\]\s*(#|$)", line):
            inside = False
        elif inside and (key := re.match(r"\s*\"?([\w-]+)", line)):
            lines.setdefault(key[1], number)
    return lines


def _settings(root: str, file: str, table: dict[str, Any], origin_of: Callable[[str], str]) -> Settings:
    values: dict[str, Any] = {}
    origins: dict[str, Setting] = {}
    for key in table:
        if key not in KEYS:
            raise SettingsError(
                f"{origin_of(key)}: unknown setting {key!r} in [tool.pplint]{nearest(key, list(KEYS))}"
            )
    for key, read in KEYS.items():
        name = key.replace("-", "_")
        if key not in table:
            origins[key] = Setting(getattr(Settings("", "", {}), name), DEFAULT)
            continue
        origin = origin_of(key)
        try:
            values[name] = read(table[key], root)
        except ValueError as error:
            raise SettingsError(f"{origin}: {key} {error}") from error
        origins[key] = Setting(values[name], origin)
    return Settings(root, file, origins, **values)


def nearest(word: str, known: list[str]) -> str:
    """Return `; did you mean X?` for the nearest of the `known` words, else the empty string."""
    import difflib

    # A code in small letters, or with a letter that looks like a digit, is nearer than any that shares more letters.
    code = word[:3].upper() + word[3:100].upper().translate(str.maketrans("OIL", "011"))
    match = [code] if code in known else difflib.get_close_matches(word[:100], known, 1)
    return f"; did you mean {match[0]!r}?" if match else ""


def _flag(value: object, root: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _count(value: object, root: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("must be a whole number of at least 1")
    return value


def _strings(value: object, root: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError('must be a list of strings, such as ["PPL101"]')
    return tuple(value)


def _path(value: object, root: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("must be a path")
    return os.path.realpath(os.path.join(root, value))


def _path_inside(value: object, root: str) -> str:
    # A checked-out repository must not be able to make pplint write elsewhere.
    path = _path(value, root)
    if os.path.commonpath([path, root]) != root:
        raise ValueError(f"must stay inside {root}")
    return path


def _paths_inside(value: object, root: str) -> tuple[str, ...]:
    return tuple(_path_inside(item, root) for item in _strings(value, root))


def _per_file(value: object, root: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise ValueError("must be a table of pattern = [codes]")
    for pattern, codes in value.items():
        if not isinstance(codes, list):
            raise ValueError(
                f'must be a table of pattern = [codes]: {pattern!r} has no list, such as ["PPL101"]'
            )
    return tuple((pattern, _strings(codes, root)) for pattern, codes in value.items())


def _severities(value: object, root: str) -> tuple[tuple[str, str], ...]:
    from pplint.rules.catalogue import UnknownRule, expand

    if not isinstance(value, dict):
        raise ValueError("must be a table of code = level")
    rows: dict[str, str] = {}
    for selector, level in value.items():
        if level not in SEVERITIES:
            hint = nearest(level, list(SEVERITIES)) if isinstance(level, str) else ""
            raise ValueError(
                f"has the unknown level {level!r} for {selector}{hint or '; use ' + ', '.join(SEVERITIES)}"
            )
        try:
            rows.update((code, str(level)) for code in expand((selector,)))
        except UnknownRule as error:
            raise ValueError(f"has a rule that is not known: {error}") from error
    return tuple(sorted(rows.items()))


KEYS: dict[str, Callable[[object, str], Any]] = {
    "select": _strings,
    "extend-select": _strings,
    "ignore": _strings,
    "per-file-ignores": _per_file,
    "severity": _severities,
    "paths": _paths_inside,
    "exclude": _strings,
    "respect-gitignore": _flag,
    "include-tests": _flag,
    "sglang": _path,
    "baseline": _path_inside,
    "require-reason": _flag,
    "pp-size": _count,
    "num-layers": _count,
}
"""Each key of `[tool.pplint]` and the function that checks its value."""
