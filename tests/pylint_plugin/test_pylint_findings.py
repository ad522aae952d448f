"""pylint with the plugin says what the command line says, at the same places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pylint_desk import HIT, MINI, POOL, checkout, command_line, pylint, python_files

WIDE = 'x = "층 \U0001f600 "; '
ODD = {
    "CRLF": HIT.replace("\n", "\r\n").encode(),
    "old Mac line ends": HIT.replace("\n", "\r").encode(),
    "a byte order mark": b"\xef\xbb\xbf" + HIT.encode(),
    "Latin-1": "# coding: latin-1\ndef width(pool):\n    é = 1; return pool.get_value_buffer(0)\n".encode(
        "latin-1"
    ),
    "wide characters before the place": f"def width(pool):\n    {WIDE}return pool.get_value_buffer(0)\n",
    "tabs": HIT.replace("    ", "\t"),
    "form feeds": "\f\n" + HIT.replace("\n", "\n\f\n", 1),
    "no last newline": HIT.rstrip("\n"),
    "a lambda": "width = lambda pool: pool.get_value_buffer(layer_id=0).shape\n",
    "a decorator": "def deco(pool):\n    @wraps(pool.get_value_buffer(0))\n    def f():\n        pass\n",
    "a comprehension": "def width(pool):\n    return [y for y in pool.get_value_buffer(0) if y]\n",
    "several lines": "class A:\n  def f(self, pool):\n    return pool.get_value_buffer(\n      0\n    )\n",
    "a format string": "def width(pool):\n    return f'{pool.get_value_buffer(0)!r}'\n",
}


@pytest.mark.parametrize("jobs", ["1", "2"], ids=["in one process", "in two processes"])
@pytest.mark.parametrize(
    "whereabouts",
    [lambda path: path, lambda path: path.parent.parent],
    ids=["from the root of the checkout", "from elsewhere"],
)
def test_the_mini_checkout_has_the_same_findings(whereabouts: Callable[[Path], Path], jobs: str) -> None:
    cwd = whereabouts(MINI)
    files = [path.relative_to(cwd) for path in python_files(MINI)]
    linted = pylint(files, "-j", jobs, "--pplint-show-info=y", cwd=cwd)
    expected = command_line([MINI.relative_to(cwd)], "--show-info", cwd=cwd)
    assert {"PPL101", "PPL201"} <= {place.code for place in expected}
    assert linted.places == expected
    assert linted.files == {str(path.resolve()) for path in python_files(MINI)}


def test_odd_texts_have_the_same_findings_at_the_same_places(tmp_path: Path) -> None:
    root = checkout(tmp_path, {f"layers/odd{n}.py": text for n, text in enumerate(ODD.values())})
    linted = pylint(python_files(root), cwd=root)
    # Whose scope a decorator is in differs between versions of astroid.
    found, expected = (
        [place._replace(symbol="") for place in places]
        for places in (linted.places, command_line(["."], cwd=root))
    )
    assert found == expected
    missing = [name for n, name in enumerate(ODD) if not linted.codes(f"odd{n}.py")]
    assert missing == []


def test_the_first_file_and_the_ones_after_it_are_judged_alike(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"layers/first.py": HIT, "layers/second.py": HIT, "layers/third.py": HIT})
    files = [root / "python/sglang/srt/layers" / name for name in ("first.py", "second.py", "third.py")]
    linted = pylint(files, cwd=root)
    assert [place.code for place in linted.places] == ["PPL101"] * 3
    assert {place[2:] for place in linted.places} == {linted.places[0][2:]}
    assert [pylint([file], cwd=root).places for file in files] == [[place] for place in linted.places]


def test_files_around_the_package_have_the_same_findings(tmp_path: Path) -> None:
    root = checkout(tmp_path, {})
    for name in ("scripts/one.py", "scripts/two.py", "examples/three.py", "test/srt/test_pool.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(HIT)
    linted = pylint(python_files(root), cwd=root)
    assert linted.places == command_line(["."], cwd=root)
    assert [Path(place.path).name for place in linted.places] == ["three.py", "one.py", "two.py"]


def test_files_without_sglang_above_share_the_facts_of_their_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pplint]\n")
    for name, text in {"plugin/pools/own.py": POOL, "plugin/a/one.py": HIT, "plugin/b/two.py": HIT}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    linted = pylint(python_files(tmp_path), cwd=tmp_path)
    assert linted.places == command_line(["."], cwd=tmp_path)
    assert [Path(place.path).name for place in linted.places] == ["one.py", "two.py"]


def test_a_file_with_a_syntax_error_leaves_the_others_checked(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"layers/broken.py": "def f(:\n", "layers/a.py": HIT, "layers/z.py": HIT})
    linted = pylint(python_files(root), cwd=root)
    assert [Path(place.path).name for place in linted.places] == ["a.py", "z.py"]
    assert [other.split(":")[0] for other in linted.others] == ["syntax-error"]
