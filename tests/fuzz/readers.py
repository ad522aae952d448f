"""What pplint reads besides code, each as a function of any bytes: it gives a value or an error with words."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pplint import baseline, ignore_comments, pylint_comments
from pplint.files.gitignore import Patterns
from pplint.finding import ERROR, Finding, Span
from pplint.known import snapshot
from pplint.known.store import Lost, Store
from pplint.settings import SettingsError, ignored_in, load, selected
from pplint.source.digest import digest_of
from pplint.source.text import Source, SourceError

LONG = "a" * 60
"""A name that takes long where a pattern can be tried in many ways."""


def read_settings(folder: Path, data: bytes) -> None:
    """The nearest pyproject.toml, and what a run asks of it for a file."""
    (folder / "pyproject.toml").write_bytes(data)
    with suppress(SettingsError):
        settings = load(str(folder))
        selected(settings)
        ignored_in(settings)(str(folder / LONG / "b.py"))
        Patterns(settings.exclude).hide((LONG, "b.py"), False)


def read_gitignore(folder: Path, data: bytes) -> None:
    """Patterns of a repository that nobody trusts."""
    patterns = Patterns(data.decode("utf-8", "surrogateescape").split("\n"))
    for parts in ((LONG, LONG + ".py"), ("a", "b", "c.py"), ("\udcff", "é\n")):
        patterns.hide(parts, False)


def read_baseline(folder: Path, data: bytes) -> None:
    """The file of accepted findings."""
    (folder / "baseline.json").write_bytes(data)
    with suppress(baseline.BaselineError):
        baseline.read(str(folder / "baseline.json"))


def read_comments(folder: Path, data: bytes) -> None:
    """Comments that silence, pplint's and pylint's, and how far they reach from the first line and the last."""
    with suppress(SourceError):
        source = Source.of("case.py", data)
        markers = ignore_comments.markers(source)
        pragmas = pylint_comments.pragmas(source)
        for line in {1, max(len(source.lines), 1)}:
            span = Span(line, 1, line, 2)
            finding = Finding("PPL101", "literal-layer-id", ERROR, "case.py", span, "", "message")
            reach = ignore_comments.reach(finding, source)
            for marker in markers:
                reach.holds(marker)
            if pragmas is not None:
                pylint_comments.silenced_by(finding, pragmas, source, by_line=False)


def read_cache(folder: Path, data: bytes) -> None:
    """Cache entries whose digests are right, as somebody who may write there would make them.

    Empty lines part index, facts, answers, what was asked, and one summary, whose place among the summaries the
    facts call `PLACE`, as they call `TABLE` the place of a table without rows. `EMPTY` stands for the digest of
    one, `STATE` for that of the index.
    """
    store = Store(str(folder), "/root")
    Path(store.folder).mkdir(exist_ok=True)
    index, facts, answers, asked, summary = [*data.split(b"\n\n", 4), b"", b"", b"", b""][:5]
    place = [0, len(summary), digest_of(summary)]
    Path(store.folder, "summaries.json").write_bytes(summary)
    Path(store.folder, "tables.json").write_bytes(b"{}")
    for name in ("stamps.json", "told-x.json"):
        _put(store, name, b"{}")
    empty = digest_of(b"{}").encode()
    index = index.replace(b"EMPTY", empty)
    _put(store, "index.json", index)
    _put(
        store,
        "facts.json",
        facts.replace(b"PLACE", _json(place)).replace(b"TABLE", _json([0, 2, digest_of(b"{}")])),
    )
    _put(
        store, "answers-x.json", answers.replace(b"EMPTY", empty).replace(b"STATE", digest_of(index).encode())
    )
    _put(store, "asked-x.json", asked)
    known = snapshot.load(store)
    if known is not None:
        for ask in (
            lambda: known.answers("x").asked,
            lambda: known.answers("x").get("/a.py"),
            known.facts,
            known.summaries,
        ):
            with suppress(Lost):
                ask()


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _put(store: Store, name: str, data: bytes) -> None:
    Path(store.folder, name).write_bytes(digest_of(data).encode() + b"\n" + data)


READERS: dict[str, Callable[[Path, bytes], None]] = {
    "settings": read_settings,
    "gitignore": read_gitignore,
    "baseline": read_baseline,
    "comments": read_comments,
    "cache": read_cache,
}

WORDS = {
    "settings": [
        "[tool.pplint]\n", "select", "ignore", "per-file-ignores", "exclude", "severity", "sglang", "include-tests",
        "pp-size", "num-layers", "require-reason", "baseline", "paths", "respect-gitignore", " = ", '["PPL101"]',
        '"PPL1"', '"ALL"', "true", "false", '{ "tests/*" = ["PPL2"] }', '"../x"', '"**/*.py"', '"\\u0000"', "'''",
    ],
    "gitignore": ["*", "**/", "/**", "[a-z]", "[!", "[^", "[[:alpha:]]", "]", "\\", "!", "#", "*a*a*a*a*b", "\n", "/", "?"],
    "baseline": [
        '{"version": 1, "findings": [', "]}", '{"path": "a.py", "code": "PPL101", "fingerprint": "0", ',
        '"symbol": "f", "message": "m"}', "null", "[]", "{}", "1e999", "NaN", '"\\ud800"', ", ", "-0",
    ],
    "comments": [
        "# pplint:", " ignore[", "ignore-file[", "PPL101", ", ", "] reason", "# pylint:", " disable=", "disable-next=",
        "enable=", "skip-file", "literal-layer-id", "all", "if 1:\n    ", "def f(\n", "):\n    ", "try:\n ", "finally:\n ",
        "match 1:\n case 1:\n  ", "x = (\n", ")\n", "\\\n", "'''", '"""', "\f", "\r", "# coding: latin-1\n", "class A:\n ",
    ],
    "cache": [
        '"stamps": {"base": "EMPTY", "newer": {"/": {"a.py": "file 2 1"}}, "gone": []}',
        '"views": {"/a.py": ["a", 0, "s", "l"]}',
        '"wanted": [[["a"], [], [], [], []]]',
        '"marked": []', '"troubles": [["/a.py", 0, "m", "PPL903"]]', '"learnt": [1, 2, 3]',
        '"tops": ["/"], "folders": {"/": "file 2 1"}, "beyond": []',
        '"base": "b"',
        '"moved": {"a": [1]}', '"state": "STATE"', '"name": "b"', '"places": {"a": PLACE}',
        '"tables": {"takers": TABLE}', '"told": {"base": "EMPTY", "newer": {"/a.py": true}, "gone": []}',
        '"spaces": {"GLOBAL": {}, "LOCAL": {}}', '"asked": {}', '"keys": ["a"]',
        '"files": {"/a.py": [0]}',
        '"imports": {}', '"classes": {}', '"functions": {}', "null", "[]", "{}", "1e999", "}", ", ", "]", "\n\n",
    ],
}  # fmt: skip
"""Pieces of valid content, for the fuzzer to put together."""
