"""A rule's text as Markdown and as plain paragraphs, for terminal help, docs pages and SARIF alike."""

from __future__ import annotations

from collections.abc import Iterator

from pplint.rules.base import Example, RuleInfo

_FIXES = {"safe": "Yes, with `--fix`.", "unsafe": "Yes, with `--fix --unsafe-fixes`."}


def sections(rule: RuleInfo) -> list[tuple[str, str]]:
    """Return the (heading, Markdown paragraphs) pairs of a rule, in reading order, without the empty ones."""
    pairs = [
        ("What it finds", rule.what),
        ("Why it breaks", rule.why),
        ("How to fix it", rule.how),
        ("Automatic fix", _FIXES.get(rule.fixable, rule.fixable)),
        ("What is not reported", rule.silent),
    ]
    return [(heading, text.strip()) for heading, text in pairs if text.strip()]


def as_markdown(rule: RuleInfo) -> str:
    """Return the whole page of a rule, with its examples, from a second-level heading down."""
    parts = [rule.summary.strip()]
    parts += [f"## {heading}\n\n{text}" for heading, text in sections(rule)]
    examples = [part for example in rule.examples for part in _example(example)]
    if examples:
        parts.append("## Examples")
    return "\n\n".join(parts + examples) + "\n"


def as_plain(rule: RuleInfo) -> str:
    """Return the rule's text without examples, for readers that show no Markdown."""
    parts = [rule.summary.strip()]
    parts += [f"{heading}:\n{text}" for heading, text in sections(rule)]
    return "\n\n".join(parts) + "\n"


def _example(example: Example) -> Iterator[str]:
    yield f"### {example.title}"
    for label, code in (("Bad", example.bad), ("Fixed", example.fixed), ("Good", example.good)):
        if code.strip():
            note = f" ({example.safety} fix)" if label == "Fixed" and example.safety else ""
            fence = "````" if "```" in code else "```"
            yield f"{label}{note}:\n\n{fence}python\n{code.strip(chr(10))}\n{fence}"
