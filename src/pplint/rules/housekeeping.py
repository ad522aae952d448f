"""The codes that no code in SGLang causes: suppressions, and files that cannot be read."""

from __future__ import annotations

from pplint.finding import WARNING
from pplint.rules.base import RuleInfo

HOUSEKEEPING = (
    RuleInfo(
        code="PPL901",
        name="unused-suppression",
        severity=WARNING,
        precision="very-high",
        summary="a suppression comment that silences nothing",
        what="A `# pplint: ignore[...]` comment, or one of its codes, that no finding needs any more.",
        why="A stale suppression hides the next real finding on its line.",
        how="Remove the comment, or the code that is not needed. `--fix` does it.",
        silent="Codes of rules that did not run.",
        fixable="The comment or the single code is removed (safe).",
    ),
    RuleInfo(
        code="PPL902",
        name="unknown-suppression",
        severity=WARNING,
        precision="very-high",
        summary="a suppression comment with an unknown code, or with none",
        what="A `# pplint: ignore[...]` comment that names no rule of pplint. It silences nothing.",
        why="A mistyped code must not silence more than it says, nor look as if it silenced something.",
        how="Write the code or the name of the rule that is to be silent.",
        silent="Markers of other tools, such as `noqa`.",
    ),
    RuleInfo(
        code="PPL903",
        name="unreadable-file",
        severity=WARNING,
        precision="very-high",
        summary="a file that cannot be read or parsed",
        what="A file whose bytes cannot be decoded, or that is no Python for the running interpreter.",
        why="Nothing can be said about it, so a run that meets one ends with exit code 2.",
        how="Repair the file, exclude it, or run pplint on a newer Python.",
        silent="Excluded files.",
    ),
)
