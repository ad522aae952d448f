"""What pplint reads besides code: any content is a value or an error with words, never another exception.

`python tests/fuzz/atheris_readers.py` is the long run, guided by coverage.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pplint import baseline
from pplint.engine import snapshot
from pplint.engine.store import Store, _digest
from pplint.ignore_comments import markers
from pplint.settings import SettingsError, load
from pplint.source.text import Source, SourceError

CORPUS = Path(__file__).with_name("corpus")
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "version",
        "findings",
        "stamps",
        "wanted",
        "marked",
        "views",
        "troubles",
        "facts",
        "entries",
        "found",
        "path",
    ]
)
SHAPED = st.dictionaries(
    KEYS, st.dictionaries(KEYS | st.text(max_size=3), ANY_JSON) | st.lists(ANY_JSON) | ANY_JSON
)
CHEAP = settings(deadline=None, database=None, max_examples=100, suppress_health_check=list(HealthCheck))


def read_settings(folder: Path, data: bytes) -> None:
    (folder / "pyproject.toml").write_bytes(data)
    with suppress(SettingsError):
        load(str(folder))


def read_baseline(folder: Path, data: bytes) -> None:
    (folder / "baseline.json").write_bytes(data)
    with suppress(baseline.BaselineError):
        baseline.read(str(folder / "baseline.json"))


def read_comments(folder: Path, data: bytes) -> None:
    with suppress(SourceError):
        markers(Source.of("case.py", data))


def read_cache(folder: Path, data: bytes) -> None:
    """A cache entry whose digest is right, as somebody who may write there would make it."""
    store = Store(str(folder), "/root")
    Path(store.folder).mkdir(exist_ok=True)
    for name in ("index.json", "view.json", "answers-x.json"):
        Path(store.folder, name).write_bytes(_digest(data) + b"\n" + data)
    known = snapshot.load(store)
    if known is not None:
        known.answers("x")
        known.found()


READERS = {
    "settings": read_settings,
    "baseline": read_baseline,
    "comments": read_comments,
    "cache": read_cache,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@CHEAP
@given(data=st.binary())
def test_any_bytes(reader, data, tmp_path_factory):
    reader(tmp_path_factory.getbasetemp(), data)


@pytest.mark.parametrize("reader", [read_baseline, read_cache], ids=["baseline", "cache"])
@CHEAP
@given(value=SHAPED)
def test_any_json(reader, value, tmp_path_factory):
    reader(tmp_path_factory.getbasetemp(), json.dumps(value).encode("utf-8", "surrogatepass"))


KEY = st.sampled_from(
    [
        "select",
        "ignore",
        "paths",
        "exclude",
        "baseline",
        "severity",
        "per-file-ignores",
        "pp-size",
        "sglang",
        "x",
    ]
)
WORD = st.sampled_from(
    ["PPL", "PPL1", "ALL", "../..", "/etc", "a\\u0000", "~", "error", "[", "**/", "[!", ""]
)


@CHEAP
@given(
    st.dictionaries(KEY, st.lists(WORD) | WORD | st.integers() | st.booleans() | st.dictionaries(WORD, WORD))
)
def test_any_settings(tmp_path_factory, table):
    rows = "\n".join(f"{key} = {_toml(value)}" for key, value in table.items())
    read_settings(tmp_path_factory.getbasetemp(), f"[tool.pplint]\n{rows}\n".encode())


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value).replace("\\\\u", "\\u")


PIECES = st.lists(
    st.sampled_from(
        ["# pplint:", "ignore", "ignore-file", "[", "]", ",", "PPL101", " ", "\t", "#", '"', "\n", "é", "x"]
    ),
    max_size=30,
)


@CHEAP
@given(PIECES)
def test_any_comment(pieces):
    read_comments(Path(), "".join(pieces).encode())


@pytest.mark.parametrize(
    "path", sorted(CORPUS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_what_was_found_once(path, tmp_path):
    READERS[path.parent.name](tmp_path, path.read_bytes())
