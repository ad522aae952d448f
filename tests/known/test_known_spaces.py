"""The index space of a parameter, asked by a rule: it may come from disk, and changes where another file does."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cache import look, write

from pplint.finding import Finding

BASE = """\
from other import fetch


class Pool:
    def __init__(self, layer_num, start_layer=None):
        self.layer_num = layer_num
        self.start_layer = start_layer or 0
        self.k_buffer = [None for _ in range(self.layer_num)]

    def get(self, layer_id):
        return fetch(self, layer_id)

    def put(self, number, entry):
        self.k_buffer[number - self.start_layer] = entry


def build(info):
    return Pool(info.layer_num, start_layer=info.start_layer)
"""
OTHER = """\
def fetch(pool, layer_id):
    return pool.rows[layer_id - pool.start_layer]
"""
OWN = """\
from base import Pool
from other import fetch


class Case(Pool):
    def take(self, layer_id):
        fetch(self, layer_id)
        return self.k_buffer[layer_id]  # here
"""
OVERRIDING = """\
from base import Pool


class Case(Pool):
    def get(self, layer_id):
        return self.k_buffer[layer_id]  # here
"""
PINNED = """\
class Case:
    def __init__(self, layer_num):
        self.layer_num = layer_num
        self.start_layer = 0  # here

    def get(self, layer_id):
        return self.rows[layer_id - self.start_layer]
"""


class Tree:
    """A pool, what it asks, and a case, judged by one rule with what is kept on disk."""

    def __init__(self, folder: Path, code: str, case: str) -> None:
        self.folder = folder / "tree"
        self.cache = folder / "cache"
        self.code = code
        self.texts = {"base.py": BASE, "other.py": OTHER, "case.py": case}
        self.folder.mkdir()
        for name, text in self.texts.items():
            write(self.folder / name, text)

    def look(self) -> tuple[list[Finding], int]:
        """The findings, and how many files were parsed."""
        judged = look(self.folder, self.cache, *self.texts, code=self.code)
        assert not judged.troubles
        return list(judged.findings), judged.parsed


@pytest.mark.parametrize(
    ("code", "case"),
    [
        pytest.param("PPL401", OWN, id="a parameter of the function itself"),
        pytest.param("PPL401", OVERRIDING, id="a parameter of the method that is overridden"),
        pytest.param("PPL701", PINNED, id="a parameter of a method of the class"),
    ],
)
def test_a_touched_file_is_judged_with_the_spaces_on_disk(code: str, case: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path, code, case)
    found, _ = tree.look()
    write(tree.folder / "case.py", case.replace("# here", "# there"), age=1)
    assert len(found) == 1
    assert tree.look() == (found, 1)


def test_an_untouched_override_is_judged_anew_when_the_space_above_it_changes(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "PPL401", OVERRIDING)
    write(tree.folder / "other.py", OTHER.replace(" - pool.start_layer", ""))
    assert not tree.look()[0]
    write(tree.folder / "other.py", OTHER, age=1)
    assert len(tree.look()[0]) == 1
