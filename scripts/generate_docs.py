"""Write docs/rules from the rules' own text and docs/modules.md from the modules' own first lines.

`python scripts/generate_docs.py`; a test tells stale pages.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from pplint.commands.rule import explained
from pplint.rules.registry import RULES

HERE = Path(__file__).parents[1]
DOCS = HERE / "docs"
SOURCES = HERE / "src/pplint"
HEAD = """# Rules

Generated from the rules by `scripts/generate_docs.py`. `pplint rule CODE` prints the same pages.

`error` breaks on some stage of a run that SGLang accepts, `warning` only if a test on the way goes that way;
findings of level `info`, which no rule has as its usual level, are latent and shown with `--show-info`.

| code | name | level | pylint id | what is wrong |
|---|---|---|---|---|
"""
MODULES_HEAD = """# Modules

Generated from the first line of each module by `scripts/generate_docs.py`. How they work together stands in
[CONTRIBUTING.md](../CONTRIBUTING.md).
"""


def pages() -> dict[str, str]:
    """Return the text of each page by its path below docs."""
    rows = [
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {rule.message_id} "
        f"| {rule.summary} |\n"
        for rule in RULES
    ]
    found = {f"rules/{rule.code}.md": explained(rule, "markdown") for rule in RULES}
    return {"modules.md": "".join(_modules()), "rules/index.md": HEAD + "".join(rows), **found}


def _modules() -> Iterator[str]:
    """The page of the modules: a table for each folder."""
    yield MODULES_HEAD
    paths = sorted(SOURCES.rglob("*.py"), key=lambda path: (path.parent != SOURCES, path.parent, path))
    folder = None
    for path in paths:
        first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
        name = path.relative_to(SOURCES).as_posix()
        if path.parent != folder:
            folder = path.parent
            title = f"pplint/{folder.relative_to(SOURCES).as_posix()}" if folder != SOURCES else "pplint"
            yield f"\n## {title}\n\n"
            if path.name == "__init__.py" and first:
                yield f"{first}\n\n"
            yield "| module | |\n|---|---|\n"
        if path.name != "__init__.py":
            yield f"| [{path.name}](../src/pplint/{name}) | {first.replace('|', chr(92) + '|')} |\n"


def main() -> None:
    """Write the pages that differ, and remove those of rules that are gone."""
    (DOCS / "rules").mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for path in (DOCS / "rules").glob("*.md"):
        if f"rules/{path.name}" not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = DOCS / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
