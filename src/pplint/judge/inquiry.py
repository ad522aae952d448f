"""Finding out what is not known: summaries, joined facts, what the rules say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from typing import Any

from pplint.engine.accessors import Accessors
from pplint.engine.facts import Facts
from pplint.engine.paths import content, packages_of
from pplint.engine.project import Project
from pplint.engine.root import PACKAGE
from pplint.engine.summary import summarise
from pplint.engine.trim import trim
from pplint.finding import Finding, Trouble
from pplint.judge.aside import Aside
from pplint.judge.case import Case
from pplint.judge.learnt import learnt_from
from pplint.judge.machine import processes
from pplint.judge.reading import wanted_by
from pplint.judge.wanted import Wanted
from pplint.judge.workers import Workers
from pplint.known.answers import Answers
from pplint.known.lines import lines_in
from pplint.known.outlived import outlived
from pplint.known.rows import Answer
from pplint.known.snapshot import Snapshot, Summaries, View, said_by, view_of
from pplint.known.stamps import size_of
from pplint.known.tables import complete
from pplint.records import Record
from pplint.source.text import Source

ROUNDS = 2
"""How far facts reach beyond the files that speak of stages: their users, and the users' own bases."""

FEW = 50
"""So many changed files are worth a look whether they still say the same."""


class News(Record):
    """What `changed` since the `old` look: summaries and views of the changed files in view, files with comments of ours.

    `rounds` are those of all files, `same` says that the changed ones say what they said, lines aside.
    """

    old: Snapshot
    changed: frozenset[str]
    summaries: Summaries
    rounds: dict[str, int]
    views: dict[str, View]
    marked: frozenset[str]
    same: bool


class Inquiry:
    """One case that what is known does not answer. Its methods raise Lost."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.packages = packages_of(case.request.root, case.stamps)
        self.parsed = 0
        self.open = ExitStack()
        self.workers: Workers | None = None

    def answered(self, known: Snapshot | None) -> tuple[Snapshot, dict[str, Answer], int]:
        """A look at the files as they are (`known` where there is one), all answers, and how many files were parsed."""
        with self.open:
            snapshot = known or self._with_changes() or self.learnt()
            answers = self.case.held(snapshot)
            asked = [path for path in self.case.files if path not in answers]
            if asked:
                known_answers = snapshot.answers(self.case.question)
                answers.update(self._ask(snapshot, known_answers, asked, self.case.few))
                known_answers.put(answers)
        return snapshot, answers, self.parsed

    def _with_changes(self) -> Snapshot | None:
        """A known look with a few files changed, as long as the same files stay in view."""
        close = [news for one in self.case.known if (news := self._news(one)) is not None]
        for news in sorted(close, key=lambda one: not one.same):
            new = (self._moved(news) if news.same else None) or self._changed_facts(news)
            if new is not None:
                self.parsed += len(news.summaries)
                new.marked = (news.old.marked - news.changed) | news.marked
                new.troubles = tuple(one for one in news.old.troubles if one.path not in news.changed)
                self._keep_answers(news.old, new)
                return new
        return None

    def _news(self, old: Snapshot) -> News | None:
        """What changed since a look, or None when that is much, or a file comes into view anew."""
        changed = self.case.changed(old)
        if len(changed) > FEW or not changed <= self.case.stamps.keys() & old.stamps.keys():
            return None
        workers = self._start(changed)
        rounds = workers.again(old.wanted, changed)
        news = {module: one for found in rounds for module, one in found.items()}
        if {path for path, _ in news.values()} != changed & set(old.in_view()):
            return None
        now = {**old.rounds, **{module: number for number, found in enumerate(rounds) for module in found}}
        if {*now.values()} != {*range(max(now.values(), default=-1) + 1)}:
            return None  # an empty round would have been the last
        views = {path: view_of(module, now[module], one) for module, (path, one) in news.items()}
        # What a file of the first round uses is looked for, what one of a later round uses is not.
        same = now == old.rounds and all(view.said == old.views[path].said for path, view in views.items())
        return News(old, frozenset(changed), news, now, views, workers.marked(), same)

    def _moved(self, changes: News) -> Snapshot | None:
        """The changed files say what they said, if on other lines; None where lines were torn apart."""
        old, _, news, _, views, _, _ = changes
        new = Snapshot(self.case.stamps, old.wanted, old.files, old.rounds, {**old.views.known, **views})
        new.learnt = old.learnt
        if all(view == old.views[path] for path, view in views.items()):
            new.rest_on(old)
        elif old.in_memory():
            new.take(joined({**old.summaries(), **news}, self.case.request.facts_file))
        else:
            moved = {module: lines_in(news[module][1]) for module in news}
            if any(old.tears(module, lines) for module, lines in moved.items()):
                return None
            new.rest_on(old, moved)
        return new

    def _changed_facts(self, changes: News) -> Snapshot | None:
        """The facts as the changed files give them, or None where other files come into view."""
        old, _, news, rounds, views, _, _ = changes
        summaries = {**old.summaries(), **news}
        wanted = self.open.enter_context(
            Aside(
                lambda: self._wanted_in(summaries, rounds),
                len(summaries) > FEW and processes(self.case.request.jobs) > 1,
            )
        )
        new = Snapshot(self.case.stamps, old.wanted, old.files, rounds, {**old.views.known, **views})
        new.take(joined(summaries, self.case.request.facts_file))
        new.learnt = learnt_from(new.facts(), len(summaries))
        complete(new.facts())
        return new if wanted.found() == old.wanted else None

    def _wanted_in(self, summaries: Summaries, rounds: Mapping[str, int]) -> tuple[Wanted, ...]:
        """What is wanted in each round, which `solve` found out on the way to these summaries."""
        first = [module for module in summaries if not rounds[module]]
        tried: list[Wanted] = []
        for number in range(min(max(rounds.values(), default=0) + 1, ROUNDS)):
            part = {module: one for module, one in summaries.items() if rounds[module] <= number}
            tried.append(wanted_by(*joined(part, self.case.request.facts_file), first))
        return tuple(tried)

    def learnt(self) -> Snapshot:
        """A look at all files; what is known of unchanged ones is not found out again."""
        old = self.case.known[0] if self.case.known else None
        changed = self.case.changed(old) if old is not None else set()
        summaries = old.summaries() if old is not None else {}
        ready = {path: summary for path, summary in summaries.values() if path not in changed}
        workers = self._start(self.case.stamps, ready)
        found, rounds, facts, wanted = solve(workers, self.case.request.facts_file)
        self.parsed += len(found) - sum(path in ready for path, _ in found.values())
        same = old.views.known.items() if old is not None else ()
        views = {
            path: view._replace(round=rounds[view.module])
            for path, view in same
            if path in ready and view.module in found
        }
        new = Snapshot(
            self.case.stamps, wanted, {module: path for module, (path, _) in found.items()}, rounds, views
        )
        new.take(facts)
        new.marked = workers.marked()
        new.learnt = learnt_from(facts, len(found))
        if old is not None:
            self._keep_answers(old, new)
        return new

    def _keep_answers(self, old: Snapshot, new: Snapshot) -> None:
        new.keep(
            self.case.question,
            outlived(old, new, self.case.question, lambda names: self._mentioning(new, names)),
        )

    def _mentioning(self, snapshot: Snapshot, names: Collection[str]) -> frozenset[str]:
        words = [name.encode() for name in names]
        found = set()
        for path in snapshot.in_view():
            data = content(path, self.case.request.overlay)
            if data is None or any(word in data for word in words):
                found.add(path)
        return frozenset(found)

    def _ask(self, snapshot: Snapshot, known: Answers, asked: list[str], check: bool) -> dict[str, Answer]:
        """Let the rules look at files in view, and with `check` parse the others too."""
        viewed = set(snapshot.in_view())
        judged = [path for path in asked if path in viewed]
        workers = self._start(asked)
        if check:
            workers.check_syntax([path for path in asked if path not in viewed])
        verdict = workers.judge(snapshot.facts, judged, self.case.request.select)
        known.learn(verdict.asked)
        for found in workers.compared() if judged else ():
            snapshot.compare(found)
        by_path: dict[str, list[Finding]] = {}
        for finding in verdict.findings:
            by_path.setdefault(finding.path, []).append(finding)
        troubles: dict[str, set[Trouble]] = {}
        snapshot.troubles = tuple({*snapshot.troubles, *workers.troubles()})
        for trouble in snapshot.troubles:
            troubles.setdefault(trouble.path, set()).add(trouble)
        marked = snapshot.marked | workers.marked()
        return {
            path: Answer(
                self.case.stamps[path],
                tuple(by_path.get(path, ())),
                tuple(sorted(troubles.get(path, ()))),
                check or path in viewed,
                path in marked,
            )
            for path in asked
        }

    def _start(self, paths: Iterable[str], ready: Mapping[str, Any] | None = None) -> Workers:
        """Processes for some files, those at work if they look after them; `ready` are summaries that are known."""
        paths = list(paths)
        if self.workers is None or any(path not in self.workers.owner for path in paths):
            sizes = {path: size_of(self.case.stamps[path]) for path in paths}
            kept = self.workers.kept if self.workers is not None else {}
            self.workers = self.open.enter_context(
                Workers(
                    self.case.request.root, self.case.request.overlay, sizes, self.case.request.jobs, self.packages,
                    ready or {}, kept, self.case.request.include_tests,
                )
            )  # fmt: skip
        return self.workers


def said_with(path: str, data: bytes, packages: frozenset[str]) -> str:
    """A name for what a file would say with `data` in it, in a tree with these packages. Raises SourceError."""
    return said_by(trim(summarise(Source.of(path, data).parse()), packages))


def solve(workers: Workers, facts_file: bool) -> tuple[Summaries, dict[str, int], Facts, tuple[Wanted, ...]]:
    """Join the facts; files that use what was learnt may hold further facts, so they are summarised too.

    Returns the summaries, the round in which each module came into view, the facts and what was wanted in each round.
    """
    found = workers.first_facts()
    rounds = dict.fromkeys(found, 0)
    first = list(found)
    tried: list[Wanted] = []
    for number in range(ROUNDS):
        facts = joined(found, facts_file)
        tried.append(wanted_by(*facts, first))
        more = workers.more_facts(tried[-1])
        if not more:
            return found, rounds, facts, tuple(tried)
        rounds.update(dict.fromkeys(more, number + 1))
        found = dict(sorted({**found, **more}.items()))
    return found, rounds, joined(found, facts_file), tuple(tried)


def joined(found: Summaries, facts_file: bool) -> Facts:
    """The facts that summaries give together; with `facts_file` those of public classes where SGLang is not in view."""
    summaries = {module: summary for module, (_, summary) in found.items()}
    if facts_file and not any(module.startswith(f"{PACKAGE}.") for module in summaries):
        from pplint.engine.elsewhere import bundled_summaries

        summaries = {**bundled_summaries(), **summaries}
    project = Project(summaries, {module: path for module, (path, _) in found.items()})
    return Facts(project, Accessors(project))
