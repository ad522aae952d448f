from __future__ import annotations

import pytest

from pplint.reports.github_fingerprint import line_hashes

LOREM = "Lorem ipsum dolor sit amet.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", ["c129715d7a2bc9a3:1"], id="an empty file is one line"),
        pytest.param(
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
            id="spaces and tabs do not count and leading zeros are not written",
        ),
        pytest.param(
            LOREM * 10,
            [
                *(f"a7f2ff13bc495cf2:{number}" for number in range(1, 7)),
                "a7f2ff1481e87703:1",
                "a9cf91f7bbf1862b:1",
                "55ec222b86bcae53:1",
                "cc97dc7b1d7d8f7b:1",
                "c129715d7a2bc9a3:1",
            ],
            id="equal lines are numbered and the end of the file changes the last ones",
        ),
    ],
)
def test_the_published_vectors(text: str, expected: list[str]) -> None:
    assert line_hashes(text.encode()) == expected


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_every_line_end_counts_as_lf(end: str) -> None:
    text = "first = 1\n\nsecond = 2\n"
    assert line_hashes(text.replace("\n", end).encode()) == line_hashes(text.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a = 1\n", "\ufeffa = 1\n", id="a byte order mark"),
        pytest.param("a = '\U0001f600'\n", "a = '\U0001f601'\n", id="the second half of a surrogate pair"),
        pytest.param("x" * 99 + "\n", "x" * 98 + "y\n", id="the 99th character"),
    ],
)
def test_what_counts(one: str, other: str) -> None:
    assert line_hashes(one.encode())[0] != line_hashes(other.encode())[0]


def test_units_after_the_hundredth_do_not_count() -> None:
    assert line_hashes(b"x" * 100 + b"1")[0] == line_hashes(b"x" * 100 + b"2")[0]


def test_bytes_that_are_not_utf8_are_read_as_the_upload_action_reads_them() -> None:
    assert line_hashes(b"# -*- coding: latin-1 -*-\ns = '\xe9'\n") == line_hashes(
        "# -*- coding: latin-1 -*-\ns = '\ufffd'\n".encode()
    )


def plain_rolling_hash(text: str) -> list[str]:
    """The definition, unit by unit, as slow as it is plain."""
    units = [
        int.from_bytes(text.encode("utf-16-be")[at : at + 2], "big") for at in range(0, 2 * len(text), 2)
    ]
    kept = [unit for unit in units if unit not in (0x20, 0x09)]
    starts = [0, *(place + 1 for place, unit in enumerate(kept) if unit == 0x0A)]
    seen: dict[int, int] = {}
    hashes = []
    for start in starts:
        value = 0
        for unit in ([*kept, 0xFFFF] + [0] * 100)[start : start + 100]:
            value = (value * 37 + unit) % 2**64
        seen[value] = seen.get(value, 0) + 1
        hashes.append(f"{value:x}:{seen[value]}")
    return hashes


def test_it_agrees_with_the_definition_on_a_longer_text() -> None:
    text = "".join(f"    layer_{number % 7} = pool.get_key_buffer({number})\n" for number in range(60))
    assert line_hashes(text.encode()) == plain_rolling_hash(text)
