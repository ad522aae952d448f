"""Which of the judge's findings are shown: less what comments, settings, the baseline and `--since` take away."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pplint import baseline
from pplint.baseline import Entry
from pplint.finding import INFO, Finding, report_order
from pplint.git import Changes
from pplint.impact import impact_of, usual_layouts
from pplint.records import Record
from pplint.request import Request
from pplint.rules.catalogue import HOUSEKEEPING
from pplint.settings import ignored_in
from pplint.source.text import Source


class Sifted(Record):
    """Findings in report order, and why others are not among them: a comment, an entry of the baseline, their level.

    `stale` are entries of the baseline that no finding matches.
    """

    findings: list[Finding]
    suppressed: list[tuple[Finding, str]]
    accepted: list[Finding]
    stale: list[Entry]
    hidden_infos: int


class Sieve:
    """What takes findings away; the same however often the files are looked at.

    `root` is the folder that fingerprints are relative to, `named` are the files that were asked for.
    """

    def __init__(
        self,
        request: Request,
        codes: frozenset[str],
        root: str,
        named: frozenset[str],
        entries: tuple[Entry, ...] | None,
    ) -> None:
        self.request = request
        self.settings = request.settings
        self.codes = codes
        self.root = root
        self.named = named
        self.entries = entries
        self.ignored_in = ignored_in(self.settings)
        self.severity = dict(self.settings.severity)

    def sift(
        self,
        findings: Iterable[Finding],
        marked: Iterable[str],
        broken: frozenset[str],
        source_of: Callable[[str], Source | None],
        changes: Changes | None,
    ) -> Sifted:
        """Take away what is not to be shown, and tell the impact of what is left.

        `marked` are files that hold a comment for pplint, `broken` those that were not judged in full; `changes` are
        the lines that findings have to be on, None for any.
        """
        findings = [self._level(item) for item in findings if item.code not in self.ignored_in(item.path)]
        remaining, suppressed = self._not_silenced(findings, marked, broken, source_of)
        remaining = [
            self._level(item) if item.code in HOUSEKEEPING else item
            for item in remaining
            if self._may_show(item)
        ]
        shown = [item for item in remaining if self.request.show_info or item.severity != INFO]
        hidden = len(remaining) - len(shown)
        accepted, stale = list[Finding](), list[Entry]()
        if self.settings.baseline and self.entries is not None:
            unseen = [item for item in remaining if item.severity == INFO and not self.request.show_info]
            shown, accepted, stale = baseline.match(
                shown, unseen, self.entries, self.settings.baseline, self._looked_for
            )
        if changes is not None:
            shown = _concerned(shown, changes)
        stages = self.request.stages
        layouts = (stages,) if stages else usual_layouts(self.settings.num_layers)
        shown = [item._replace(impact=impact_of(item.asks, layouts)) for item in shown]
        return Sifted(sorted(shown, key=report_order), suppressed, accepted, stale, hidden)

    def _not_silenced(
        self,
        findings: list[Finding],
        marked: Iterable[str],
        broken: frozenset[str],
        source_of: Callable[[str], Source | None],
    ) -> tuple[list[Finding], list[tuple[Finding, str]]]:
        """The findings that no comment silences, those about comments among them, and those that one does."""
        if not findings and not marked:
            return [], []
        from pplint import ignores

        policy = ignores.Policy(self._ran_on, self.root, broken, self.settings.require_reason)
        return ignores.apply(findings, sorted(marked), source_of, policy)

    def _may_show(self, finding: Finding) -> bool:
        """Of a file that is not named only the changed findings are known: no comment is unused there."""
        return finding.path in self.named or finding.code not in HOUSEKEEPING

    def _ran_on(self, path: str) -> frozenset[str]:
        """Return the codes that ran on a file: test code is read, but its rules run on request only."""
        from pplint.engine.paths import is_test

        codes = self.codes - self.ignored_in(path)
        tests_too = self.settings.include_tests
        return codes if tests_too or not is_test(self.root, path) else codes & HOUSEKEEPING

    def _looked_for(self, path: str) -> frozenset[str]:
        """Return the codes that ran on a file that was asked for, none for another."""
        return self._ran_on(path) if path in self.named else frozenset()

    def _level(self, finding: Finding) -> Finding:
        """Apply the `severity` setting; a latent finding stays info, whatever its rule's level is."""
        if finding.code not in self.severity or finding.severity == INFO:
            return finding
        return finding._replace(severity=self.severity[finding.code])


def accepted_entries(request: Request) -> tuple[Entry, ...] | None:
    """Return the entries of the baseline that findings are matched with, or None for no baseline. Raises BaselineError."""
    if not request.settings.baseline or not request.baseline_entries:
        return None
    return baseline.read(request.settings.baseline)


def _concerned(findings: list[Finding], changes: Changes) -> list[Finding]:
    """The findings on changed lines, and those that changed facts cause elsewhere."""
    touched = {item for item in findings if changes.touches(item.path, item.span.line, item.span.end_line)}
    return [
        item._replace(changed_by="") if item in touched else item
        for item in findings
        if item in touched or item.changed_by
    ]
