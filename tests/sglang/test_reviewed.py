"""What pplint reports on whole releases is what has been read and judged: nothing more, nothing less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import judged
import pytest
import reviewed_findings as reviewed

pytestmark = pytest.mark.sglang
EACH_RELEASE = pytest.mark.parametrize("version", reviewed.RELEASES)

AT_LEAST = {"error": 0.9, "warning": 0.8}
"""The share of findings of a level that has to be true."""


def told(entries: set[reviewed.Entry]) -> str:
    return "\n".join(
        f"  {one.path}:{one.line} {one.code} {one.severity}" + f" ({one.number})" * (one.number > 1)
        for one in sorted(entries)
    )


@EACH_RELEASE
def test_errors_and_warnings_are_those_of_the_list(release: Callable[[str], Path], version: str) -> None:
    release(version)
    listed = set(reviewed.read(reviewed.LISTS / f"{version}.tsv"))
    found = set(reviewed.present(judged.findings(version)))
    noisy, missing = found - listed, listed - found
    update = "python tests/sglang/reviewed_findings.py takes them into the list, to be read."
    assert found == listed, f"{version}\nnoisy:\n{told(noisy)}\nmissing:\n{told(missing)}\n{update}"


@EACH_RELEASE
def test_infos_are_as_many_as_before(release: Callable[[str], Path], version: str) -> None:
    release(version)
    assert reviewed.infos(judged.findings(version)) == reviewed.read_infos(version)


@EACH_RELEASE
def test_every_verdict_is_one(version: str) -> None:
    opinions = reviewed.read(reviewed.LISTS / f"{version}.tsv").values()
    assert {opinion.verdict for opinion in opinions} <= set(reviewed.VERDICTS)
    unexplained = [one for one in opinions if one.verdict != "unread" and not one.reason.strip()]
    assert not unexplained


@pytest.mark.parametrize("severity", AT_LEAST)
def test_most_findings_that_were_read_are_true(severity: str) -> None:
    verdicts = Counter(
        opinion.verdict
        for version in reviewed.RELEASES
        for entry, opinion in reviewed.read(reviewed.LISTS / f"{version}.tsv").items()
        if entry.severity == severity
    )
    read = verdicts.total() - verdicts["unread"]
    assert verdicts["true"] >= AT_LEAST[severity] * read, verdicts
