"""Write docs/rules from the rules' own text: `python scripts/generate_docs.py`. A test tells stale pages."""

from __future__ import annotations

from pathlib import Path

from pplint.commands.rule import explained
from pplint.rules.registry import RULES

FOLDER = Path(__file__).parents[1] / "docs" / "rules"
HEAD = """# Rules

Generated from the rules by `scripts/generate_docs.py`. `pplint rule CODE` prints the same pages.

`error` breaks on some stage of a run that SGLang accepts, `warning` only if a test on the way goes that way;
findings of level `info`, which no rule has as its usual level, are latent and shown with `--show-info`.

| code | name | level | pylint id | what is wrong |
|---|---|---|---|---|
"""


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    rows = [
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {rule.message_id} "
        f"| {rule.summary} |\n"
        for rule in RULES
    ]
    found = {f"{rule.code}.md": explained(rule, "markdown") for rule in RULES}
    return {"index.md": HEAD + "".join(rows), **found}


def main() -> None:
    """Write the pages that differ, and remove those of rules that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(FOLDER.parents[1])}")


if __name__ == "__main__":
    main()
