"""Findings for a host that asks file by file: what one run over all of them would say, at the cost of one."""

from __future__ import annotations

from pathlib import Path

from pplint.baseline import BaselineError
from pplint.engine.root import Root, RootError, find_root
from pplint.finding import Finding, Trouble
from pplint.git import GitError
from pplint.ignore_comments import MARK
from pplint.look import Look, Seen
from pplint.records import Record
from pplint.request import Request
from pplint.settings import Settings, SettingsError, load, override, selected

REFUSALS = (SettingsError, RootError, BaselineError, GitError)
"""What `Hosted.ask` raises when settings or options cannot be followed; the text is for users."""


class Wishes(Record):
    """What the host's user chose; `codes` may run unless the project's settings leave them out."""

    codes: frozenset[str]
    sglang: str | None = None
    include_tests: bool = False
    show_info: bool = False


class Answer(Record):
    """What is known of one file: findings in report order, those that a comment silences, and troubles."""

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    troubles: tuple[Trouble, ...] = ()


NOTHING = Answer()


class _Batch(Record):
    files: frozenset[str]
    answers: dict[str, Answer]


class _Question(Record):
    """Files with the same question are judged in one run.

    `folder` is where their facts come from, `project` the folder whose settings hold; they are either all
    inside `folder` or all outside.
    """

    folder: str
    project: str
    inside: bool
    wishes: Wishes


class Hosted:
    """Answers of one run of the host. What is on disk is taken as unchanged from the first answer on."""

    def __init__(self, cache_dir: str | None) -> None:
        self.cache_dir = cache_dir
        self._settings: dict[str, Settings] = {}
        self._asked: set[_Question] = set()
        self._batches: dict[_Question, _Batch] = {}

    def ask(self, path: str, data: bytes, wishes: Wishes, *, unsaved: bool = False) -> Answer:
        """Return the answer for a file with the content `data`. Raises `REFUSALS`.

        `path` is absolute and real; `unsaved` says that `data` need not be what is on disk.
        """
        settings = override(
            self._settings_of(str(Path(path).parent)),
            {"sglang": wishes.sglang, "include_tests": wishes.include_tests or None},
        )
        codes = selected(settings) & wishes.codes
        if not codes:
            return NOTHING
        settings = override(settings, {"select": tuple(sorted(codes))})
        root = _root(path, settings)
        if root.folder != root.path:
            settings = settings._replace(sglang=root.folder)
        if _is_silent_test(path, data, settings, root):
            return NOTHING
        if not unsaved:
            inside = Path(path).is_relative_to(root.folder)
            batch = self._batch(_Question(root.folder, _project(settings, root), inside, wishes), settings)
            if batch is not None and path in batch.files:
                return batch.answers.get(path, NOTHING)
        look = self._look((path, root.folder), settings, wishes, data)
        if not look.files:
            return NOTHING  # excluded
        return _by_file(look.at({path: data})).get(path, NOTHING)

    def _settings_of(self, folder: str) -> Settings:
        if folder not in self._settings:
            self._settings[folder] = load(folder)
        return self._settings[folder]

    def _batch(self, question: _Question, settings: Settings) -> _Batch | None:
        """Return all answers for the tree, or None for the first file: an editor asks for no other."""
        if question not in self._asked:
            self._asked.add(question)
            return None
        if question not in self._batches:
            paths = (question.folder,) if question.inside else _around(question.folder, settings)
            look = self._look(paths, settings, question.wishes, None)
            self._batches[question] = _Batch(look.named, _by_file(look.at({})))
        return self._batches[question]

    def _look(
        self, paths: tuple[str, ...], settings: Settings, wishes: Wishes, content: bytes | None
    ) -> Look:
        # One process: how many there are is for the host to say.
        return Look(
            Request(
                paths,
                settings,
                show_info=wishes.show_info,
                stdin=content,
                allow_empty=True,
                jobs=1,
                cache_dir=self.cache_dir,
            )
        )


def _root(path: str, settings: Settings) -> Root:
    """Return the tree for a file; where no SGLang is above it, the tree is the project that it belongs to."""
    root = find_root((path,), settings.sglang)
    if root.folder != root.path:
        return root
    return find_root((path, settings.root), None)


def _project(settings: Settings, root: Root) -> str:
    """Return the folder whose settings hold; without pyproject.toml and git, a tree has one for all."""
    plain = not settings.file and Path(settings.root).is_relative_to(root.folder)
    return root.folder if plain else settings.root


def _around(folder: str, settings: Settings) -> tuple[str, ...]:
    """Return the files of the project that are outside `folder` but take their facts from it."""
    from pplint.files.discover import find_python_files

    found = find_python_files(
        (settings.root,),
        exclude=settings.exclude,
        base=settings.root,
        respect_gitignore=settings.respect_gitignore,
    )
    homes: dict[Path, bool] = {}
    for path in found.files:
        parent = Path(path).parent
        if parent not in homes:
            inside = parent.is_relative_to(folder)
            homes[parent] = not inside and _root(path, settings).folder == folder
    return tuple(path for path in found.files if homes[Path(path).parent])


def _is_silent_test(path: str, data: bytes, settings: Settings, root: Root) -> bool:
    """Whether nothing can be said about a file of test code, so that no facts are needed."""
    from pplint.engine.paths import is_test

    return not settings.include_tests and MARK not in data and is_test(root.path, path)


def _by_file(seen: Seen) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    for finding in seen.findings:
        answer = answers.get(finding.path, NOTHING)
        answers[finding.path] = answer._replace(findings=(*answer.findings, finding))
    for finding, _ in seen.suppressed:
        answer = answers.get(finding.path, NOTHING)
        answers[finding.path] = answer._replace(suppressed=(*answer.suppressed, finding))
    for trouble in seen.troubles:
        answer = answers.get(trouble.path, NOTHING)
        answers[trouble.path] = answer._replace(troubles=(*answer.troubles, trouble))
    return answers
