"""Places and sentences as SARIF writes them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sarif_om as om

from pplint.finding import Span, Step
from pplint.reports.github_fingerprint import line_hashes
from pplint.reports.paths import repository_uri
from pplint.reports.report import Report

if TYPE_CHECKING:
    from pplint.source.text import Source

ROOT = "%SRCROOT%"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
"""pplint's levels to SARIF's, the most severe first."""


def sentence(text: str) -> str:
    """Return `text` with a full stop, and with nothing in it that a viewer would take for a link."""
    text = text.strip().replace("](", "\\](")
    return text if text.endswith((".", "!", "?")) else text + "."


class Places:
    """Makes SARIF locations for one report; None stands for a file outside of the repository."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._hashes = lru_cache(maxsize=None)(self._read_hashes)
        self._uri = lru_cache(maxsize=None)(lambda path: repository_uri(path, report))

    def artifact(self, path: str) -> Any:
        """Return the artifact location of an absolute path, or None."""
        uri = self._uri(path)
        return None if uri is None else om.ArtifactLocation(uri=uri, uri_base_id=ROOT)

    def region(self, path: str, span: Span) -> Any:
        """Return the region of `span` in UTF-16 columns; an empty place is one column wide."""
        region = self.exact_region(path, span)
        if region.start_line == region.end_line:
            region.end_column = max(region.end_column, region.start_column + 1)
        return region

    def exact_region(self, path: str, span: Span) -> Any:
        """Return the region of `span` in UTF-16 columns; it is empty for the place of an insertion."""
        source = self.report.sources(path)
        line, column, end_line, end_column = span
        return om.Region(
            start_line=line,
            start_column=_utf16(source, line, column),
            end_line=end_line,
            end_column=_utf16(source, end_line, end_column),
        )

    def token(self, path: str, span: Span) -> Any:
        """Return the physical location of `span`."""
        return om.PhysicalLocation(artifact_location=self.artifact(path), region=self.region(path, span))

    def quoted(self, path: str, span: Span) -> Any:
        """Return the physical location of `span`, with the token and its lines as snippets.

        Of a place of several lines it is the first one: GitHub shows a pull request what lies in changed lines as a whole.
        """
        source = self.report.sources(path)
        if source and span.line < span.end_line <= len(source.lines):
            span = Span(span.line, span.column, span.line, len(source.lines[span.line - 1].rstrip()) + 1)
        region = self.region(path, span)
        context = None
        if source and span.end_line <= len(source.lines):
            lines = source.lines[span.line - 1 : span.end_line]
            whole = "\n".join(lines)
            cut = lines[0][span.column - 1 : span.end_column - 1] if len(lines) == 1 else whole
            if cut and len(whole) <= 2000:
                region.snippet = om.ArtifactContent(text=cut)
                context = om.Region(
                    start_line=span.line, end_line=span.end_line, snippet=om.ArtifactContent(text=whole)
                )
        return om.PhysicalLocation(
            artifact_location=self.artifact(path), region=region, context_region=context
        )

    def step(self, step: Step) -> Any:
        """Return the physical location of a step, or None when it has no place in the repository."""
        artifact = self.artifact(step.path) if step.path and step.line else None
        if artifact is None:
            return None
        column = max(step.column, 1)
        span = Span(step.line, column, step.line, column + 1)
        return om.PhysicalLocation(artifact_location=artifact, region=self.region(step.path, span))

    def line(self, path: str, line: int) -> Any:
        """Return the location of a line, or of the whole file when `line` is 0, or None."""
        artifact = self.artifact(path)
        if artifact is None:
            return None
        region = om.Region(start_line=line) if line else None
        return om.Location(physical_location=om.PhysicalLocation(artifact_location=artifact, region=region))

    def line_hash(self, path: str, line: int) -> str | None:
        """Return GitHub's hash of a line, or None when the file cannot be read."""
        hashes = self._hashes(path)
        return hashes[line - 1] if line <= len(hashes) else None

    def _read_hashes(self, path: str) -> list[str]:
        source = self.report.sources(path)
        return line_hashes(source.data) if source else []


def _utf16(source: Source | None, line: int, column: int) -> int:
    if source is None or line > len(source.lines):
        return column
    return source.utf16_column(line, column)
