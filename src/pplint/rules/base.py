"""What a rule says about itself: the one text that the command line, the docs and SARIF all print."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A sample file of a rule: `bad` is reported, `good` is not, `fixed` is what `safety` fixes make of `bad`.

    `files` are further files (path below the package root to text) that the sample needs in view.
    """

    title: str
    bad: str = ""
    good: str = ""
    fixed: str = ""
    safety: str = ""
    path: str = "srt/sample.py"
    files: tuple[tuple[str, str], ...] = ()


class RuleInfo(NamedTuple):
    """A rule's identity and its text.

    `severity` is the usual level (`finding.SEVERITIES`); `precision` one of very-high, high, medium, low.
    `what`, `why`, `how` and `silent` are Markdown paragraphs: what the rule finds, why and on which stage it
    breaks, how to repair it, what is not reported.
    """

    code: str
    name: str
    severity: str
    precision: str
    summary: str
    what: str
    why: str
    how: str
    silent: str
    fixable: str = ""
    examples: tuple[Example, ...] = ()

    @property
    def message_id(self) -> str:
        """The pylint id: the level's letter, then 7, family and number (`PPL101` is `E7101`)."""
        letter = {"error": "E", "warning": "W"}.get(self.severity, "I")
        return f"{letter}7{self.code[3:]}"
