"""What pplint reads besides code: any content is a value or an error with words, never another exception.

`python tests/fuzz/atheris_readers.py READER` is the long run, guided by coverage.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from readers import READERS, WORDS, read_baseline, read_cache, read_settings

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
CHEAP = settings(deadline=None, database=None, max_examples=60, suppress_health_check=list(HealthCheck))


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


@pytest.mark.parametrize("name", READERS)
@CHEAP
@given(data=st.data())
def test_any_pieces_of_what_is_valid(name, data, tmp_path_factory):
    pieces = data.draw(st.lists(st.sampled_from(WORDS[name]) | st.text(max_size=3), max_size=30))
    READERS[name](tmp_path_factory.getbasetemp(), "".join(pieces).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "path", sorted(CORPUS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_what_was_found_once(path, tmp_path):
    READERS[path.parent.name](tmp_path, path.read_bytes())
