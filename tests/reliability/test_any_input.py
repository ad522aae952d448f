"""Whatever stands in a checkout: a result or a named trouble, and the file next to it is still judged."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from checkouts import HIT, checkout, pplint_in

CLEAN, FOUND, TROUBLE = "clean", "found", "trouble"
BODY = "def f(pool):\n    x = "
END = ".start_layer\n    " + HIT

CONTENTS: dict[str, tuple[bytes | str, str]] = {
    "an empty file": ("", CLEAN),
    "a byte order mark alone": (b"\xef\xbb\xbf", CLEAN),
    "a byte order mark, CRLF and tabs": (b"\xef\xbb\xbfif 1:\r\n\t" + HIT.encode().strip(), FOUND),
    "mixed ends and a form feed": (b"a = 1\r\n\x0c\n" + HIT.encode() + b"\rb = 2", FOUND),
    "latin-1 that is declared": (b"# coding: latin-1\ns = '\xe9'\n" + HIT.encode(), FOUND),
    "bytes that are not declared": (b"s = '\xe9'\n" + HIT.encode(), TROUBLE),
    "a NUL byte": (HIT.encode() + b"\0", TROUBLE),
    "an encoding that nobody knows": (b"# coding: klingon\n" + HIT.encode(), TROUBLE),
    "a syntax error": (HIT + "def f(:\n", TROUBLE),
    "a chain of 1,000 calls": (BODY + "pool" + ".f(1)" * 1000 + END, FOUND),
    "a chain of 1,000 attributes": (BODY + "pool" + ".a" * 1000 + END, FOUND),
    "a sum of 1,000 terms": (BODY + "pool.start_layer" + " + 1" * 1000 + "\n    " + HIT, FOUND),
    "a chain of 5,000 calls": (BODY + "pool" + ".f(1)" * 5000 + END, "either"),
    "1,000 nested brackets": (BODY + "[" * 1000 + "]" * 1000 + "\n    " + HIT, TROUBLE),
    "90 nested calls": (BODY + "pool.get_value_buffer(" * 90 + "0" + ")" * 90 + "\n", FOUND),
    "95 nested blocks": ("".join(" " * n + "if pool.start_layer:\n" for n in range(95)) + " " * 95 + HIT, FOUND),
    "1,000 branches": (
        "def f(pool, x):\n    if x is pool:\n        pass\n"
        + "".join(f"    elif x == {n}:\n        {HIT}" for n in range(1000)),
        FOUND,
    ),
    "a number of 5,000 digits": (BODY + "9" * 5000 + END.replace(".start_layer", ""), "either"),
    "500 lambdas": (BODY + "lambda: " * 500 + "pool" + END, "either"),
    "bases in a circle": ("class A(B):\n    start_layer = 1\nclass B(A):\n    pass\n" + HIT, FOUND),
    "a class that is its own base": ("class A(A):\n    start_layer = 1\n" + HIT, FOUND),
    "imports in a circle": ("from sglang.case import start_layer\nfrom . import case\n" + HIT, FOUND),
    "names that mean each other": ("def f(pool):\n    a = b\n    b = a\n    a.start_layer = a\n    " + HIT, FOUND),
    "2,000 classes on top of each other": (
        "class C0:\n    start_layer = 4\n" + "".join(f"class C{n}(C{n - 1}):\n    pass\n" for n in range(1, 2000)) + HIT,
        FOUND,
    ),
    "2,000 methods that hand the id on": (
        "class A:\n    def g0(self, layer_id):\n        return self.k[layer_id - self.start_layer]\n"
        + "".join(f"    def g{n}(self, layer_id):\n        return self.g{n - 1}(layer_id)\n" for n in range(1, 2000))
        + HIT,
        FOUND,
    ),
    "3.10's match": ("match pool:\n    case {'a': [x, *_]} if x:\n        " + HIT, FOUND),
    "a number in a case": ("match pool.start_layer:\n    case 4:\n        " + HIT, FOUND),
    "a list that grows in a case": (
        "class A:\n    def __init__(self, kind, start_layer, end_layer):\n        self.k = []\n        match kind:\n"
        "            case 1:\n                for i in range(start_layer, end_layer):\n"
        "                    self.k.append(1)\n" + HIT,
        FOUND,
    ),
    "a layer id in a case": (
        "class A:\n    def __init__(self, layer, start_layer, plan):\n        match layer.layer_id:\n"
        "            case 0:\n                plan.cached = 1\n            case True | None:\n                pass\n" + HIT,
        FOUND,
    ),
    "a case before a read in a constructor": (
        "class A:\n    def __init__(self, start_layer, kind):\n        self.start_layer = start_layer\n"
        "        match kind:\n            case 1:\n                self.kind = 2\n"
        "        self.row(0)\n    def row(self, layer_id):\n        return self.k[layer_id - self.start_layer]\n" + HIT,
        FOUND,
    ),
    "terminal escapes": ("s = '\x1b[31m\x9b'; " + HIT, FOUND),
}  # fmt: skip
NEWER = {
    "except*": (11, "try:\n    pass\nexcept* OSError:\n    " + HIT),
    "type parameters": (12, "type X[T] = list[T]\nclass A[T: int]:\n    pass\ndef f[**P](pool):\n    " + HIT),
    "quotes inside an f-string": (12, "s = f'{\"a\" + f'{1}'}'\n" + HIT),
    "a t-string": (14, "s = t'{pool}'\n" + HIT),
}  # fmt: skip
for _name, (_minor, _text) in NEWER.items():
    CONTENTS[_name] = (_text, FOUND if sys.version_info >= (3, _minor) else TROUBLE)


@pytest.mark.parametrize(("content", "verdict"), CONTENTS.values(), ids=CONTENTS)
def test_a_file_is_judged_or_named(content: bytes | str, verdict: str, tmp_path: Path) -> None:
    done = pplint_in(checkout(tmp_path, {"case.py": content, "other.py": HIT}), "-q", "sglang")
    out = done.stdout.decode()
    assert b"Traceback" not in done.stderr
    assert b"internal error" not in done.stderr + done.stdout
    assert "sglang/other.py:1:" in out, "the file next to it"
    lines = [line for line in out.splitlines() if line.startswith("sglang/case.py")]
    seen = TROUBLE if any(" trouble: " in line for line in lines) else FOUND if lines else CLEAN
    assert seen == verdict or (verdict == "either" and seen != CLEAN)
    assert done.returncode == (2 if seen == TROUBLE else 1)
    assert "\x1b" not in out


def folder(path: Path) -> None:
    path.mkdir()


def fifo(path: Path) -> None:
    os.mkfifo(path)


def bound(path: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"/proc/self/fd/{here}/{path.name}")
    server.close()
    os.close(here)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere.py")


def looping(path: Path) -> None:
    path.symlink_to(path)


def leaving(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(50_000_000)


ODD = {
    "a folder": (folder, False),
    "a FIFO": (fifo, False),
    "a socket": (bound, False),
    "a dangling link": (dangling, False),
    "a link to itself": (looping, False),
    "a link that leaves the root": (leaving, False),
    "50 MB": (huge, True),
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize(("make", "trouble"), ODD.values(), ids=ODD)
@pytest.mark.parametrize("named", [False, True], ids=["in a folder", "named"])
def test_what_is_no_file_to_read(
    make: Callable[[Path], None], trouble: bool, named: bool, tmp_path: Path
) -> None:
    checkout(tmp_path, {"other.py": HIT})
    make(tmp_path / "sglang" / "case.py")
    done = pplint_in(tmp_path, "-q", "sglang", *(["sglang/case.py"] if named else []))
    assert b"Traceback" not in done.stderr
    assert b"sglang/other.py:1:" in done.stdout
    assert done.returncode == (2 if trouble or named else 1)
    assert (b"case.py" in done.stdout) == (trouble or (named and make is not leaving)) or make is leaving


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    checkout(tmp_path, {"case.py": HIT, "other.py": HIT})
    (tmp_path / "sglang/case.py").chmod(0)
    done = pplint_in(tmp_path, "-q", "sglang")
    assert done.returncode == 2
    assert b"sglang/case.py: PPL903 trouble: cannot be read: Permission denied" in done.stdout
    assert b"sglang/other.py:1:" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux only")
def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    checkout(tmp_path, {})
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/sglang/\xff\x1b[31m.py")).write_text(HIT)
    for command in ("facts", "readiness"):
        done = pplint_in(tmp_path, command, "sglang")
        assert b"\x1b" not in done.stdout + done.stderr
    for form in ("text", "json", "sarif", "github", "html", "junit", "gitlab", "jsonl"):
        done = pplint_in(tmp_path, "--output", form, "sglang")
        assert done.returncode == 1, done.stderr
        assert b"\x1b" not in done.stdout
        assert b"Traceback" not in done.stderr


def test_ten_thousand_findings_in_one_function(tmp_path: Path) -> None:
    checkout(tmp_path, {"case.py": "def f(pool):\n" + ("    " + HIT) * 10_000})
    done = pplint_in(tmp_path, "-q", "--fix", "sglang")
    assert done.returncode == 0, done.stdout[-300:]
    assert (tmp_path / "sglang/case.py").read_text().count("(pool.start_layer)") == 10_000


def test_nothing_of_the_checked_code_is_run(tmp_path: Path) -> None:
    bomb = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    checkout(
        tmp_path, {"__init__.py": bomb, "case.py": bomb + HIT, "conftest.py": bomb, "sitecustomize.py": bomb}
    )
    assert pplint_in(tmp_path, "-q", "--fix", "sglang").returncode == 0
    assert not (tmp_path / "ran").exists()
