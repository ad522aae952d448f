"""What a fix may change, and what it may not."""

from __future__ import annotations

import ast
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pplint.finding import Edit, Span
from pplint.fixes import apply_edits, verify
from pplint.source.text import Source

OUTSIDE = "it would change code outside its place"
COMMENTS = "it would change comments"


def edit_between(text: str, new: str) -> Edit:
    """The edit that makes `new` of what stands between two `|` in `text`."""
    first, second = text.index("|"), text.rindex("|") - 1
    source = Source.of("a.py", text.replace("|", "").encode())
    return Edit(Span(*source.place(first), *source.place(second)), new)


def reason(text: str, new: str) -> str | None:
    source = Source.of("a.py", text.replace("|", "").encode())
    edit = edit_between(text, new)
    return verify(source, apply_edits(source, [edit]), [edit])


@pytest.mark.parametrize(
    ("text", "new"),
    [
        pytest.param("f(|0|)", "p.start_layer", id="a literal"),
        pytest.param("f((|0|))", "p.start_layer", id="a literal in brackets"),
        pytest.param("f(|0|, # a\n)", "p.start_layer", id="a literal before a comment"),
        pytest.param("f(a=|0|)", "p.start_layer", id="a keyword's value"),
        pytest.param("x[|0|:n]", "a", id="a slice's start"),
        pytest.param("x[||:n]", "a", id="a slice that had no start"),
        pytest.param("x[|0|:n]", "", id="a slice that loses its start"),
        pytest.param("range(|len(x)|)", "a, b", id="one argument becomes two"),
        pytest.param("f(a||)", ", rank=r", id="a new argument"),
        pytest.param("f(a|, 0|)", "", id="an argument less"),
        pytest.param("for y in x.z||: pass", "[a:b]", id="a name gets a subscript"),
        pytest.param("if a||: pass", " and n == 1", id="a test gets a second part"),
        pytest.param("if a and b||: pass", " and n == 1", id="a test gets a third part"),
        pytest.param("range(a, b| + 1|)", "", id="a sum loses its second part"),
        pytest.param("y = |getattr(x, 'a', 0)|", "x.a", id="a call becomes an attribute"),
        pytest.param("y = x||", ".inner", id="an attribute of it"),
        pytest.param("@d(|0|)\ndef f(): pass", "a", id="a decorator's argument"),
        pytest.param("[y for y in x if |0|]", "a", id="a comprehension's test"),
        pytest.param("with f(|0|) as g: pass", "a", id="a context manager's argument"),
        pytest.param("def f(a=|0|, *, b=None): pass", "c", id="a default"),
        pytest.param("x = 1||", "  # pplint: ignore[PPL101] why", id="a new comment"),
        pytest.param("if x:\n    y = 1||\n", "\n    # more", id="a new line with a comment"),
        pytest.param("x = 1|  # pplint: ignore|\ny # b", "", id="a comment goes"),
        pytest.param("x = 1  # |a|b", "cc", id="a comment changes"),
        pytest.param("|# a\n|# b\nx", "", id="a comment's line goes"),
        pytest.param("match x:\n    case |0|: pass", "1", id="a pattern"),
        pytest.param("x = |{**a}|", "a", id="a display with an unpacking"),
        pytest.param("if x:\n    |pass|\nelse: f(0)", "y()", id="a statement"),
        pytest.param("if x:\n    pass\n||f(0)", "g()\n", id="a new statement"),
    ],
)
def test_changes_that_stay_in_their_place(text: str, new: str) -> None:
    assert reason(text, new) is None


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        pytest.param("a * |0|", "x + y", OUTSIDE, id="precedence"),
        pytest.param("|g|(x)", "a + b", OUTSIDE, id="precedence before a call"),
        pytest.param("a||* c", " + b ", OUTSIDE, id="precedence of an insertion"),
        pytest.param("a * c||", " + b", OUTSIDE, id="an insertion behind two expressions at once"),
        pytest.param("if a or b||: pass", " and c", OUTSIDE, id="a condition that binds to one side"),
        pytest.param("f(|0|) + 1", "a) + (b", OUTSIDE, id="brackets that balance elsewhere"),
        pytest.param("f(|0|)", "a) + g(b", OUTSIDE, id="a call cut in two"),
        pytest.param("f(|0|)", "a, *b", None, id="two arguments are allowed"),
        pytest.param("x = |0|; y = 1", "a #", OUTSIDE, id="the rest of the line as a comment"),
        pytest.param("x = |0|\ny = 1", "a\nif b:", "the result would not parse", id="no code"),
        pytest.param("f(|0, # a\n|1)", "", COMMENTS, id="a comment lost with code"),
        pytest.param("f(|0, # a\n|1)", "0, # b\n", COMMENTS, id="a comment changed with code"),
        pytest.param("x = ||y", "'' '", "the result would not parse", id="an open string"),
        pytest.param("foo||(1)", "bar", OUTSIDE, id="a name that grows"),
        pytest.param("x||= 1", "[0]", OUTSIDE, id="another target"),
        pytest.param("x = '|0|'", "1", OUTSIDE, id="a part of a string"),
        pytest.param("x = ||'{y}'", "f", OUTSIDE, id="a string that becomes an f-string"),
        pytest.param("|x|\ny", "if 1: x;", None, id="a statement for another"),
        pytest.param("if x:\n    y\n|    |z", "", OUTSIDE, id="a statement that leaves its block"),
        pytest.param("|x|, y = 1, 2", "*x, z", None, id="two targets for one are allowed"),
    ],
)
def test_changes_that_reach_further(text: str, new: str, why: str | None) -> None:
    found = reason(text, new)
    assert found is None if why is None else (found or "").startswith(why)


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(b"f(a)\r\ny", id="another line end"),
        pytest.param(b"\xef\xbb\xbff(a)\ny", id="a new byte order mark"),
        pytest.param(b"f(a)\ny\n", id="a new last line end"),
        pytest.param(b"f(b)\ny", id="another text than the edit's"),
        pytest.param(b"f(0)\ny", id="the edit not made"),
    ],
)
def test_other_bytes_may_not_change(after: bytes) -> None:
    edit = Edit(Span(1, 3, 1, 4), "a")
    assert verify(Source.of("a.py", b"f(0)\ny"), after, [edit]) == "it would change bytes outside its place"


def test_the_encoding_may_not_change() -> None:
    source = Source.of("a.py", b"# coding: utf-8\nx = 1")
    edit = Edit(Span(1, 11, 1, 16), "latin-1")
    assert verify(source, b"# coding: latin-1\nx = 1", [edit]) == "it would change the file's encoding"


def test_comments_of_far_lines_are_compared_too() -> None:
    source = Source.of("a.py", b"x = 0 # a\ny = '''\n# b\n'''")
    edit = Edit(Span(1, 5, 1, 6), "{}")
    assert verify(source, apply_edits(source, [edit]), [edit]) is None


def test_a_chain_too_deep_for_recursion_is_compared() -> None:
    chain = ".a" * 900
    source = Source.of("a.py", f"x{chain}(0)".encode())
    edit = Edit(Span(1, len(chain) + 3, 1, len(chain) + 4), "p.start_layer")
    assert verify(source, apply_edits(source, [edit]), [edit]) is None


def test_edits_of_many_lines_shift_what_follows() -> None:
    source = Source.of("a.py", b"# a\nf(0)\n\n@d\ndef g():\n    '''x\n    '''\n    h(0)\nclass C: pass\n")
    edits = [Edit(Span(2, 3, 2, 4), "[\n1,\n2]"), Edit(Span(8, 7, 8, 8), "p"), Edit(Span(1, 1, 2, 1), "")]
    assert verify(source, apply_edits(source, edits), edits) is None


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="earlier versions place the parts of f-strings wrongly"
)
def test_a_literal_in_a_long_f_string() -> None:
    assert reason('x = f"""\n{f(|0|)}\n"""', "p.start_layer") is None


def test_a_part_of_an_f_string_is_fixed_or_refused_but_never_wrong() -> None:
    source = Source.of("a.py", b'x = f"""0\n{f(0)}\n"""')
    edit = Edit(Span(1, 9, 1, 10), "p")
    assert (verify(source, apply_edits(source, [edit]), [edit]) or "").startswith(OUTSIDE)


PROGRAM = """\
@d(0, k=a)
async def f(x: int = 0, *y, **z) -> None:
    for i, j in g(x)[a:0, ...]:
        b = -a ** 0 + c * d.e if not x else lambda q: q < 0 <= j
        await (yield (a and b or c, {1: x, **z}, {*y}, [k for k in y if k]))
    with a as b, c(0): del a[0]
    return x[0:1] % 'a' 'b', not a == b, ~-x.y.z, (a := 0)
"""
TEXTS = ["p.q", "0", "a + b", "a * b", "-a", "a ** b", "a and b", "a or b", "not a", "a < b", "a if b else c"]
TEXTS += [
    "lambda: a",
    "await a",
    "a.b(c)[d]",
    "(a, b)",
    "[a]",
    "a | b",
    "a in b",
    "'s'",
    "a\n+ b",
    "(a)",
    "a) + (b",
]


class Flat(ast.NodeTransformer):
    """Takes `a or (b or c)` for `a or b or c`."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        values = []
        for value in node.values:
            same = isinstance(value, ast.BoolOp) and type(value.op) is type(node.op)
            values += value.values if same else [value]
        return ast.BoolOp(node.op, values)


def flat_dump(data: bytes) -> str:
    return ast.dump(Flat().visit(ast.parse(data)))


@given(st.data())
def test_a_replaced_expression_is_taken_as_a_whole_or_refused(data: st.DataObject) -> None:
    source = Source.of("a.py", PROGRAM.encode())
    nodes = [node for node in ast.walk(source.parse()) if isinstance(node, ast.expr)]
    span = source.span(data.draw(st.sampled_from(nodes)))
    text = data.draw(st.sampled_from(TEXTS))
    edit = Edit(span, text)
    after = apply_edits(source, [edit])
    if verify(source, after, [edit]) is None:
        in_brackets = apply_edits(source, [Edit(span, f"({text})")])
        assert flat_dump(after) == flat_dump(in_brackets)
