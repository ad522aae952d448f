"""`pplint rule`: a rule's own text in the terminal, as Markdown or as JSON."""

from __future__ import annotations

import sys

import click

from pplint.cli import Failure
from pplint.commands.options import rules_begun
from pplint.rules.base import RuleInfo


@click.command("rule")
@click.argument("rule_name", metavar="[CODE|NAME]", required=False, shell_complete=rules_begun)
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True
)
def rule(rule_name: str | None, form: str) -> None:
    """Explain the rule with this code or name; without one, list all rules."""
    from pplint.rules.registry import RULES, find_rule

    on_terminal = form == "text" and sys.stdout.isatty()
    if rule_name is None:
        click.echo(_listed_on_terminal(RULES) if on_terminal else listed(RULES, form), nl=False)
        return
    found = find_rule(rule_name)
    if found is None:
        from pplint.settings import nearest

        known = [word for item in RULES for word in (item.code, item.name)]
        raise Failure(f"no rule is called {rule_name!r}{nearest(rule_name, known)}")
    click.echo(_explained_on_terminal(found) if on_terminal else explained(found, form), nl=False)


def _listed_on_terminal(rules: tuple[RuleInfo, ...]) -> str:
    from shutil import get_terminal_size

    from pplint.reports.rule_terminal import listed_lines

    rows = listed_lines(_rows(rules), get_terminal_size().columns)
    return "".join(row + "\n" for row in rows)


def _explained_on_terminal(item: RuleInfo) -> str:
    from shutil import get_terminal_size

    from pplint.reports.rule_terminal import terminal_lines
    from pplint.reports.text import wants_colour

    coloured = wants_colour(sys.stdout)

    def strong(head: str) -> str:
        return f"\x1b[1m{head}\x1b[0m" if coloured else head

    rows = terminal_lines("# " + explained(item, "text"), get_terminal_size().columns, strong)
    return "".join(row + "\n" for row in rows)


def _rows(rules: tuple[RuleInfo, ...]) -> list[tuple[str, str]]:
    width = max((len(item.name) for item in rules), default=0)
    return [(f"{item.code}  {item.name:<{width}}  {item.severity:<7}  ", item.summary) for item in rules]


def listed(rules: tuple[RuleInfo, ...], form: str) -> str:
    """Return a table of rules as text, json or markdown."""
    if form == "json":
        return _json([_plain(item) for item in rules])
    if form == "markdown":
        rows = [f"| {item.code} | {item.name} | {item.severity} | {item.summary} |\n" for item in rules]
        return "| code | name | level | what is wrong |\n|---|---|---|---|\n" + "".join(rows)
    return "".join(f"{head}{summary}\n" for head, summary in _rows(rules))


def explained(item: RuleInfo, form: str) -> str:
    """Return all that a rule says about itself as text, json or markdown."""
    from pplint.reports.rule_text import as_markdown

    if form == "json":
        return _json(_plain(item))
    title = f"{item.code} {item.name}" if form == "text" else f"# {item.name} ({item.code})"
    facts = f"Level {item.severity}, precision {item.precision}, pylint id {item.message_id}."
    return f"{title}\n\n{facts}\n\n{as_markdown(item)}"


def _plain(item: RuleInfo) -> dict[str, object]:
    examples = [{**example._asdict(), "files": dict(example.files)} for example in item.examples]
    return {**item._asdict(), "message_id": item.message_id, "examples": examples}


def _json(value: object) -> str:
    import json

    return json.dumps(value, indent=2) + "\n"
