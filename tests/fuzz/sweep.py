"""`python tests/fuzz/sweep.py FOLDER...`: all rules on every Python file, whether or not a word in it calls for one.

Prints each crash, and how many files were walked and how many could not be parsed.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from pplint.engine.accessors import Accessors
from pplint.engine.context import Walk
from pplint.engine.deep import with_room
from pplint.engine.facts import Facts
from pplint.engine.project import Project
from pplint.engine.summary import Summary, summarise
from pplint.finding import Trouble
from pplint.rules.registry import RULE_CLASSES
from pplint.source.text import Source, SourceError


def main(folders: list[str]) -> int:
    """Walk the files of the folders; return 1 when anything crashed."""
    done = unread = crashed = 0
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.py") if path.is_file()):
        try:
            source = Source.read(str(path))
            tree = source.parse()
        except SourceError:
            unread += 1
            continue
        try:
            troubles = walked(source, tree)
        except Exception as error:
            troubles = [Trouble(str(path), 0, f"{type(error).__name__}: {error}")]
        done += 1
        crashed += len(troubles)
        for trouble in troubles:
            print(f"{path}:{trouble.line}: {trouble.message}")
    print(f"{done} files walked, {unread} not Python for this Python, {crashed} crashes")
    return int(crashed > 0)


def walked(source: Source, tree: ast.Module) -> list[Trouble]:
    """Take a file's facts for all there are, let all rules walk it, and return what went wrong."""
    project = Project({"case": summary(tree)}, {"case": source.path})
    facts = Facts(project, Accessors(project))
    walk = Walk(facts, "case", source, tree, [rule() for rule in RULE_CLASSES])
    walk.walk()
    return walk.troubles


def summary(tree: ast.Module) -> Summary:
    """What a file says; where the stack is too short, on a longer one, as a run does."""
    try:
        return summarise(tree)
    except RecursionError:
        return with_room(lambda: summarise(tree))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
