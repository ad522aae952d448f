"""The reviewed lists of findings: what somebody who did not write the rules thinks of each.

    python tests/sglang/reviewed_findings.py [FILE...]

rewrites the lists of all reviewed releases from what pplint reports now; verdicts are kept, new findings are
`unread`. Each FILE has the columns of a list (or some of them with other findings in between) and gives
verdicts: its name ends with the release it is about, such as `verdicts_0.5.9.tsv`.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import judged

LISTS = Path(__file__).parent / "reviewed"
RELEASES = ("0.5.9", "0.5.17", "0.5.23")
VERDICTS = ("true", "false", "unsure", "unread")


class Entry(NamedTuple):
    """One error or warning. `number` tells findings of one code on one line apart, from 1."""

    path: str
    line: int
    code: str
    number: int
    severity: str


class Opinion(NamedTuple):
    """One of VERDICTS, and why."""

    verdict: str
    reason: str


def read(path: Path) -> dict[Entry, Opinion]:
    """Read a list. Raises OSError, and KeyError or ValueError where it is not one."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    entries = _numbered((row["path"], int(row["line"]), row["code"], row["severity"]) for row in rows)
    return {entry: Opinion(row["verdict"], row["reason"]) for entry, row in zip(entries, rows, strict=True)}


def write(path: Path, opinions: Mapping[Entry, Opinion]) -> None:
    """Write a list, ordered by path and line."""
    lines = ["code\tseverity\tpath\tline\tverdict\treason"]
    for one in sorted(opinions):
        lines.append(f"{one.code}\t{one.severity}\t{one.path}\t{one.line}\t" + "\t".join(opinions[one]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def present(findings: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Return the errors and warnings among `findings`, which are as pplint's JSON has them."""
    places = [(f["path"], f["line"], f["code"], f["severity"]) for f in findings if f["severity"] != "info"]
    return _numbered(sorted(places))


def infos(findings: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many infos of each code are among `findings`."""
    return dict(sorted(Counter(f["code"] for f in findings if f["severity"] == "info").items()))


def infos_file(version: str) -> Path:
    """Return the file that says how many infos of each code a release has."""
    return LISTS / f"{version}-infos.tsv"


def read_infos(version: str) -> dict[str, int]:
    """Read the counts of infos. Raises OSError."""
    rows = infos_file(version).read_text(encoding="utf-8").split("\n")[1:-1]
    return {code: int(count) for code, count in (row.split("\t") for row in rows)}


def _numbered(places: Iterable[tuple[str, int, str, str]]) -> list[Entry]:
    seen: Counter[tuple[str, int, str]] = Counter()
    entries = []
    for path, line, code, severity in places:
        seen[path, line, code] += 1
        entries.append(Entry(path, line, code, seen[path, line, code], severity))
    return entries


def _update(version: str, given: Iterable[Path]) -> None:
    known = read(LISTS / f"{version}.tsv") if (LISTS / f"{version}.tsv").exists() else {}
    opinions = {entry[:-1]: opinion for entry, opinion in known.items()}  # a new level keeps its verdict
    for path in given:
        opinions |= {entry[:-1]: opinion for entry, opinion in read(path).items()}
    found = judged.findings(version)
    now = {entry: opinions.get(entry[:-1], Opinion("unread", "")) for entry in present(found)}
    write(LISTS / f"{version}.tsv", now)
    counts = [f"{code}\t{count}" for code, count in infos(found).items()]
    infos_file(version).write_text("\n".join(["code\tcount", *counts]) + "\n", encoding="utf-8")
    print(f"{version}: {len(now)} findings, {dict(Counter(opinion.verdict for opinion in now.values()))}")


if __name__ == "__main__":
    for one in RELEASES:
        _update(one, [Path(name) for name in sys.argv[1:] if Path(name).stem.endswith(f"_{one}")])
