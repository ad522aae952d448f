"""The codes, names and usual levels of all rules, known without loading what they reason with."""

from __future__ import annotations

from collections.abc import Iterable

from pplint.finding import ERROR, WARNING
from pplint.records import Record


class RuleName(Record):
    """How a rule is called; `severity` is its usual level."""

    code: str
    name: str
    severity: str

    @property
    def message_id(self) -> str:
        """The pylint id: the level's letter, then 7, family and number (`PPL101` is `E7101`)."""
        letter = {"error": "E", "warning": "W"}.get(self.severity, "I")
        return f"{letter}7{self.code[3:]}"


CATALOGUE = (
    RuleName("PPL101", "literal-layer-id", ERROR),
    RuleName("PPL102", "borrowed-layer-id", WARNING),
    RuleName("PPL201", "literal-layer-index", ERROR),
    RuleName("PPL202", "literal-layer-name", ERROR),
    RuleName("PPL203", "padded-list-passed", ERROR),
    RuleName("PPL301", "full-layer-loop", ERROR),
    RuleName("PPL302", "unfiltered-weight-lookup", ERROR),
    RuleName("PPL303", "unsplit-layers", ERROR),
    RuleName("PPL401", "global-id-on-local-list", ERROR),
    RuleName("PPL402", "local-index-as-layer-id", ERROR),
    RuleName("PPL403", "stage-end-off-by-one", ERROR),
    RuleName("PPL404", "double-translation", ERROR),
    RuleName("PPL501", "missing-stage-module", ERROR),
    RuleName("PPL502", "unguarded-tied-head", ERROR),
    RuleName("PPL503", "unfilled-tied-head", WARNING),
    RuleName("PPL601", "model-first-layer-test", ERROR),
    RuleName("PPL602", "stage-range-from-zero", ERROR),
    RuleName("PPL701", "constant-start-layer", ERROR),
    RuleName("PPL702", "hidden-stage-range", ERROR),
    RuleName("PPL703", "pool-without-stage-range", ERROR),
    RuleName("PPL704", "defaulted-stage-range", WARNING),
    RuleName("PPL705", "global-rank-as-peer", ERROR),
    RuleName("PPL706", "stage-may-own-none", WARNING),
    RuleName("PPL707", "proxies-as-hidden-states", ERROR),
    RuleName("PPL708", "state-lost-between-stages", WARNING),
    RuleName("PPL709", "mark-lost-between-stages", WARNING),
    RuleName("PPL710", "rank-outside-group", ERROR),
    RuleName("PPL711", "global-rank-as-position", ERROR),
    RuleName("PPL712", "unread-proxies", ERROR),
    RuleName("PPL713", "name-without-stage", ERROR),
    RuleName("PPL901", "unused-suppression", WARNING),
    RuleName("PPL902", "unknown-suppression", WARNING),
    RuleName("PPL903", "unreadable-file", WARNING),
)
"""All rules in the order of their codes."""

UNUSED = "PPL901"
UNKNOWN = "PPL902"
HOUSEKEEPING = frozenset({UNUSED, UNKNOWN, "PPL903"})
"""The rules about comments and files, which no settings of the judge reach."""


class UnknownRule(ValueError):
    """A selector that names no rule; the message gives the nearest right name."""


def find_name(text: str) -> RuleName | None:
    """The rule with a code or a name, or None."""
    return next((rule for rule in CATALOGUE if text in (rule.code, rule.name)), None)


def expand(selectors: Iterable[str]) -> frozenset[str]:
    """The codes that selectors (codes, prefixes of codes, names, ALL) mean. Raises UnknownRule."""
    found: set[str] = set()
    for selector in selectors:
        prefix = selector.startswith("PPL")
        matched = {
            rule.code
            for rule in CATALOGUE
            if selector in ("ALL", rule.name) or (prefix and rule.code.startswith(selector))
        }
        if not matched:
            from difflib import get_close_matches

            words = [word for rule in CATALOGUE for word in rule[:2]]
            misread = selector[:3].upper() + selector[3:].upper().translate(str.maketrans("OIL", "011"))
            near = [misread] if misread in words else get_close_matches(selector, words, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UnknownRule(f"unknown rule {selector!r}{hint}")
        found |= matched
    return frozenset(found)
