"""`--add-ignore REASON`: a suppression comment at every finding, checked before anything is written."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pplint import ignore_comments
from pplint.finding import Edit, Finding, Span
from pplint.ignore_comments import Marker
from pplint.look import Look, read
from pplint.repair import Change
from pplint.rules.catalogue import HOUSEKEEPING
from pplint.source.comments import find_comments
from pplint.source.text import Source, SourceError


def add_ignores(look: Look, change: Change, reason: str) -> Change:
    """Silence all findings that are reported (housekeeping aside) by comments with `reason`. Writes nothing.

    A file where a comment cannot be placed so that the finding goes and the program stays as it is keeps
    its content and is a trouble.
    """
    from pplint.fixes import EditError

    by_file: dict[str, list[Finding]] = {}
    for finding in change.seen.findings:
        if finding.code not in HOUSEKEEPING and finding.path in look.named:
            by_file.setdefault(finding.path, []).append(finding)
    for path, findings in by_file.items():
        source = read(path, change.overlay)
        if source is None:
            continue
        try:
            change.overlay[path] = commented(source, findings, reason)
            change.ignored[path] = len(findings)
        except (EditError, SourceError, ValueError, RecursionError) as error:
            change.block(look, path, 0, f"no comment was added: {error}")
    change.seen = look.at(change.overlay)
    left = [finding for finding in change.seen.findings if finding.path in change.ignored]
    for finding in left:
        if finding.path not in change.blocked and finding.code not in HOUSEKEEPING:
            text = f"no comment was added: {finding.code} would still be reported"
            change.block(look, finding.path, finding.span.line, text)
    if change.blocked:
        change.seen = look.at(change.overlay)
    return change


def commented(source: Source, findings: Iterable[Finding], reason: str) -> bytes:
    """Return the file with comments for `findings`.

    Raises ValueError when there is no place for one, or the result is not the same program.
    """
    from pplint.fixes import apply_edits

    wanted: dict[tuple[int, int], set[str]] = {}
    for finding in findings:
        reach = ignore_comments.reach(finding, source)
        wanted.setdefault((reach.first, reach.last), set()).add(finding.code)
    ends = _can_end(source, {last for _, last in wanted})
    marks = {marker.span.line: marker for marker in ignore_comments.markers(source) if _takes_codes(marker)}
    edits: list[Edit] = []
    for (first, last), codes in wanted.items():
        if last in marks:
            # Two lists of codes on one line would be hard to read.
            end = marks[last].codes[-1].span
            edits.append(
                Edit(end._replace(column=end.end_column), "".join(f", {code}" for code in sorted(codes)))
            )
        else:
            edits.append(_edit(source, first, last if last in ends else 0, codes, reason))
    data = apply_edits(source, _joined(edits))
    result = Source.of(source.path, data)
    if ast.dump(result.parse()) != ast.dump(source.parse()):
        raise ValueError("it would change the program")
    return data


def _takes_codes(marker: Marker) -> bool:
    return not marker.problem and not marker.whole_file


def _edit(source: Source, first: int, last: int, codes: set[str], reason: str) -> Edit:
    """Return the edit that puts the comment at the end of line `last`; when that is 0, above line `first`."""
    mark = f"# pplint: ignore[{', '.join(sorted(codes))}] {reason}"
    if last:
        line = source.lines[last - 1]
        return Edit(Span(last, len(line.rstrip()) + 1, last, len(line) + 1), f"  {mark}")
    start = source.lines[first - 1]
    indent = start[: len(start) - len(start.lstrip(" \t"))]
    return Edit(Span(first, 1, first, 1), f"{indent}{mark}\n")


def _can_end(source: Source, lines: Iterable[int]) -> frozenset[int]:
    """Return those of `lines` that a comment can end: they end in no backslash and in no string."""
    text = list(source.lines)
    tried = [line for line in lines if not text[line - 1].rstrip().endswith("\\")]
    for line in tried:
        text[line - 1] += " #"
    return frozenset(comment.line for comment in find_comments(text)).intersection(tried)


def _joined(edits: list[Edit]) -> list[Edit]:
    """Return the edits with those at one place made into one: a line may end two statements."""
    joined: dict[Span, str] = {}
    for edit in edits:
        if edit.span in joined and joined[edit.span] != edit.text:
            joined[edit.span] += edit.text
        else:
            joined[edit.span] = edit.text
    return [Edit(span, text) for span, text in joined.items()]


def is_reason(text: str) -> bool:
    """Whether `text` can stand in a comment: one line of printable characters, and not empty."""
    return bool(text.strip()) and text.isprintable()
