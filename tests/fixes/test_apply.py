"""Edits change the bytes of their places and no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pplint.finding import SAFE, Edit, Fix, Span
from pplint.fixes import EditError, FixOutcome, apply_edits, fix_source
from pplint.source.text import Source

BOM = b"\xef\xbb\xbf"
NEW = "pool.start_layer"


def source_of(data: bytes) -> Source:
    return Source.of("a.py", data)


def zeros(source: Source, text: str = NEW) -> list[Edit]:
    """Edits that replace each `0` of the text that no letter or digit touches."""
    edits = []
    for number, line in enumerate(source.lines, 1):
        for column, character in enumerate(line, 1):
            around = line[column - 2 : column - 1] + line[column : column + 1]
            if character == "0" and not any(map(str.isalnum, around)):
                edits.append(Edit(Span(number, column, number, column + 1), text))
    return edits


def fix(*edits: Edit) -> Fix:
    return Fix(SAFE, "Use the first layer of the stage", edits)


def fix_all(source: Source, text: str = NEW) -> FixOutcome:
    return fix_source(source, [fix(edit) for edit in zeros(source, text)])


BYTE_CASES = [
    pytest.param(
        BOM + b"v = pool.get_value_buffer(0)\r\nif v:\n\x0c\n\tj = 2",
        BOM + b"v = pool.get_value_buffer(pool.start_layer)\r\nif v:\n\x0c\n\tj = 2",
        id="BOM, CRLF, LF, form feed, tab and no last line end stay",
    ),
    pytest.param(
        b"v = pool.get_value_buffer(\n    0,  # first layer\n)",
        b"v = pool.get_value_buffer(\n    pool.start_layer,  # first layer\n)",
        id="comment and comma stay",
    ),
    pytest.param(
        b"pool.get_value_buffer((0))", b"pool.get_value_buffer((pool.start_layer))", id="brackets stay"
    ),
    pytest.param(
        b"pool.get_value_buffer(0).copy_(pool.get_key_buffer(0)); a.get_value_buffer(b.get_key_buffer(0)[0])",
        b"pool.get_value_buffer(pool.start_layer).copy_(pool.get_key_buffer(pool.start_layer)); "
        b"a.get_value_buffer(b.get_key_buffer(pool.start_layer)[pool.start_layer])",
        id="several edits in one line, one in another's call",
    ),
    pytest.param(
        b"def f(pool):\n" + b"    pool.get_value_buffer(0)\n" * 150,
        b"def f(pool):\n" + b"    pool.get_value_buffer(pool.start_layer)\n" * 150,
        id="150 edits in one function",
    ),
    pytest.param(
        b"# coding: latin-1\ns = '\xe9'; f(0) # \xff\r",
        b"# coding: latin-1\ns = '\xe9'; f(pool.start_layer) # \xff\r",
        id="latin-1 and a lone CR",
    ),
    pytest.param(
        "s = 'é€🙂'; f(0)  # ü".encode(),
        "s = 'é€🙂'; f(pool.start_layer)  # ü".encode(),
        id="UTF-8 of several lengths before the edit",
    ),
    pytest.param(
        b"# coding: shift_jis\ns = '\x83\x5c'; f(0)",
        b"# coding: shift_jis\ns = '\x83\x5c'; f(pool.start_layer)",
        id="a trailing byte that looks like a backslash",
    ),
    pytest.param(
        b"# coding: iso2022_jp\ns = '\x1b$B$\"\x1b(B'; f(0) # \x1b$B$\"\x1b(B",
        b"# coding: iso2022_jp\ns = '\x1b$B$\"\x1b(B'; f(pool.start_layer) # \x1b$B$\"\x1b(B",
        id="an encoding with shift states",
    ),
    pytest.param(
        b"# coding: utf-7\ns = '+AOk-'; f(0)",
        b"# coding: utf-7\ns = '+AOk-'; f(pool.start_layer)",
        id="an encoding with several spellings of one text",
    ),
    pytest.param(
        b"x = 1\nif x:\n\tf(0)\n        \ny = 2",
        b"x = 1\nif x:\n\tf(pool.start_layer)\n        \ny = 2",
        id="tabs",
    ),
    pytest.param(b"f(0,\\\r\n  0)", b"f(pool.start_layer,\\\r\n  pool.start_layer)", id="a continued line"),
]


@pytest.mark.parametrize(("before", "after"), BYTE_CASES)
def test_bytes(before: bytes, after: bytes) -> None:
    source = source_of(before)
    assert apply_edits(source, zeros(source)) == after


@pytest.mark.parametrize(("before", "after"), BYTE_CASES)
def test_fixed_in_one_round_and_nothing_refused(before: bytes, after: bytes) -> None:
    outcome = fix_all(source_of(before))
    assert (outcome.data, outcome.refused) == (after, ())
    assert fix_all(source_of(after)) == FixOutcome(after, (), ())


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        pytest.param(
            b"x\r\ny\n", Edit(Span(1, 1, 1, 1), "# a\n"), b"# a\r\nx\r\ny\n", id="CRLF of that line"
        ),
        pytest.param(b"x\r\ny\n", Edit(Span(2, 1, 2, 1), "# a\n"), b"x\r\n# a\ny\n", id="LF of that line"),
        pytest.param(b"x\r\ny", Edit(Span(2, 2, 2, 2), "\n# a"), b"x\r\ny\r\n# a", id="last line"),
        pytest.param(b"x", Edit(Span(1, 2, 1, 2), "\n# a\n"), b"x\n# a\n", id="the only line"),
    ],
)
def test_new_line_ends_are_those_of_the_edited_line(before: bytes, edit: Edit, after: bytes) -> None:
    assert apply_edits(source_of(before), [edit]) == after
    assert fix_source(source_of(before), [fix(edit)]).data == after


def test_identical_edits_are_made_once() -> None:
    edit = Edit(Span(1, 3, 1, 4), "a")
    assert apply_edits(source_of(b"f(0)"), [edit, edit]) == b"f(a)"
    assert fix_source(source_of(b"f(0)"), [fix(edit), fix(edit)]) == FixOutcome(b"f(a)", (0, 1), ())


@pytest.mark.parametrize(
    ("data", "edits", "words"),
    [
        pytest.param(
            b"abcd", [Edit(Span(1, 1, 1, 3), "x"), Edit(Span(1, 2, 1, 4), "y")], "overlap", id="overlap"
        ),
        pytest.param(
            b"abcd", [Edit(Span(1, 1, 1, 4), "x"), Edit(Span(1, 2, 1, 2), "y")], "overlap", id="inside"
        ),
        pytest.param(
            b"ab", [Edit(Span(1, 2, 1, 2), "x"), Edit(Span(1, 2, 1, 2), "y")], "overlap", id="one place"
        ),
        pytest.param(b"ab", [Edit(Span(2, 1, 2, 2), "x")], "no line 2", id="outside the text"),
        pytest.param(b"ab", [Edit(Span(1, 2, 1, 1), "x")], "ends before", id="backwards"),
        pytest.param(
            b"# coding: ascii\nf(0)", [Edit(Span(2, 3, 2, 4), "é")], "ascii", id="not in the encoding"
        ),
        pytest.param(b"f(0)", [Edit(Span(1, 3, 1, 4), "'\udc80'")], "utf-8", id="half a surrogate pair"),
        pytest.param(
            b'# coding: iso2022_jp\n# \x1b$B$"$"\x1b(B',
            [Edit(Span(2, 4, 2, 4), "x")],
            "iso2022_jp",
            id="between two characters of a shift state",
        ),
    ],
)
def test_edits_that_cannot_be_made(data: bytes, edits: list[Edit], words: str) -> None:
    source = source_of(data)
    with pytest.raises(EditError, match=words):
        apply_edits(source, edits)
    outcome = fix_source(source, [fix(*edits)])
    assert (outcome.data, outcome.applied) == (data, ())
    assert words in outcome.refused[0][1]


def test_edits_that_only_touch_are_both_made() -> None:
    edits = [Edit(Span(1, 1, 1, 2), "x"), Edit(Span(1, 2, 1, 2), "-"), Edit(Span(1, 2, 1, 3), "y")]
    assert apply_edits(source_of(b"ab"), edits) == b"x-y"


def test_of_overlapping_fixes_the_first_is_made() -> None:
    source = source_of(b"f(a.b)\ng(0)")
    fixes = [
        fix(Edit(Span(1, 3, 1, 6), "x"), Edit(Span(2, 3, 2, 4), "y")),
        fix(Edit(Span(1, 3, 1, 4), "z")),
    ]
    assert fix_source(source, fixes) == FixOutcome(b"f(x)\ng(y)", (0,), ((1, "it overlaps another fix"),))


def test_a_fix_is_made_wholly_or_not_at_all() -> None:
    source = source_of(b"f(a.b)\ng(0)")
    fixes = [
        fix(Edit(Span(1, 3, 1, 4), "z")),
        fix(Edit(Span(2, 3, 2, 4), "y"), Edit(Span(1, 3, 1, 6), "x")),
    ]
    assert fix_source(source, fixes).data == b"f(z.b)\ng(0)"


def test_bad_fixes_do_not_block_the_others() -> None:
    source = source_of(b"f(0)\n" * 40)
    edits = zeros(source)
    bad = {3, 17, 18, 39}
    fixes = [fix(Edit(e.span, ") + (" if n in bad else NEW)) for n, e in enumerate(edits)]
    outcome = fix_source(source, fixes)
    assert {number for number, _ in outcome.refused} == bad
    assert outcome.data.count(b"f(0)") == len(bad)
    assert outcome.data.count(NEW.encode()) == 40 - len(bad)


def test_fixes_that_fail_together_only_are_not_both_made() -> None:
    # Each alone is an expression; together they open and close a string.
    source = source_of(b"f(0, 1)\n")
    fixes = [
        fix(Edit(Span(1, 3, 1, 4), "a")),
        fix(Edit(Span(1, 7, 1, 7), "#")),
        fix(Edit(Span(1, 6, 1, 7), "b")),
    ]
    outcome = fix_source(source, fixes)
    assert outcome.data == b"f(a, b)\n"
    assert outcome.applied == (0, 2)


@pytest.mark.parametrize("data", [b"def f(:\n  g(0)", b"f(0))"])
def test_a_file_that_does_not_parse_gets_no_edit(data: bytes) -> None:
    outcome = fix_all(source_of(data))
    assert (outcome.data, outcome.applied) == (data, ())
    assert all("syntax error" in reason for _, reason in outcome.refused)
    assert outcome.refused


def test_no_fixes_no_change() -> None:
    assert fix_source(source_of(b"x = 0\r"), []) == FixOutcome(b"x = 0\r", (), ())


code = st.sampled_from(
    [
        "f(0)",
        "x = [0, (0)]",
        "g(a, 0,)",
        "if x: f(0)",
        "s = '''é\n0'''",
        "# 0 ü",
        "é = 0",
        "h(\n 0  # z\n)",
        "é[0:0]",
    ]
)


@given(
    st.lists(code, max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([b"", BOM]),
    st.booleans(),
)
def test_only_the_places_change(pieces: list[str], end: str, bom: bytes, last: bool) -> None:
    text = "if 1:\n" + "".join(f"\t{piece}\n" for piece in [*pieces, "pass"])
    data = bom + (text if last else text.rstrip("\n")).replace("\n", end).encode()
    source = source_of(data)
    outcome = fix_all(source)
    assert outcome.data == apply_edits(source, [zeros(source)[number] for number in outcome.applied])
    inside = sum(1 for comment in source.comments() if "0" in comment.text) + source.text.count("'''") // 2
    assert len(outcome.applied) + inside >= len(zeros(source))
