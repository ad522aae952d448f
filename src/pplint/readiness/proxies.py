"""Whether a model uses the tensors of the stage before: from the top-level forward to the place that reads them."""

from __future__ import annotations

from pplint.engine.project import Project
from pplint.engine.vocabulary import PROXY_PARAMETER
from pplint.readiness.forward import Forwards, Given, Uses
from pplint.readiness.models import kept_along
from pplint.readiness.sources import Sources
from pplint.records import Record

_DEPTH = 6


class Answer(Record):
    """Whether proxies are used (None: not known), the module and the line that show it, and a sentence."""

    used: bool | None
    module: str
    line: int
    reason: str


class ProxyUse:
    """Follows the proxies through a tree."""

    def __init__(self, project: Project, sources: Sources) -> None:
        self.project = project
        self.sources = sources

    def of(self, class_id: str, depth: int = 0) -> Answer:
        """What a class's forward does with the proxies."""
        project = self.project
        found = project.method(class_id, "forward")
        if found is not None:
            return self._method(class_id, found[0], "forward", depth)
        module, name = project.module_of(class_id), project.class_name(class_id)
        line = project.classes[class_id]["line"]
        for one in project.mro(class_id):
            for entry in project.classes[one]["attrs"].get("forward", ()):
                path = entry["v"][1] if entry["v"][0] == "path" else []
                if len(path) > 2 and path[0] == "self" and path[-1] == "forward":
                    kinds = kept_along(self.project, class_id, tuple(path[1:-1]))
                    return self._all(kinds, f"`{'.'.join(path[:-1])}`", one, entry["line"], depth)
        return Answer(None, module, line, f"no forward of `{name}` is in view")

    def _method(self, class_id: str, definer: str, method: str, depth: int) -> Answer:
        """What a method does, seen from an instance of a class."""
        project = self.project
        module, owner = project.module_of(definer), project.class_name(definer)
        line = project.classes[definer]["methods"][method]["line"]
        uses = self._forwards(module).uses.get(f"{owner}.{method}")
        if uses is None:
            said = f"`{owner}.{method}` does not take `{PROXY_PARAMETER}`"
            return Answer(False, module, line, said)
        return self._judged(uses, f"{owner}.{method}", module, class_id, definer, depth)

    def _judged(
        self, uses: Uses, symbol: str, module: str, class_id: str, definer: str, depth: int
    ) -> Answer:
        answers = []
        if uses.reads:
            answers = [self._handed_on(uses, symbol, module, uses.reads[0], f"read in `{symbol}`")]
        if not uses.hands or not answers:
            answers += [
                self._given(one, uses, symbol, module, class_id, definer, depth) for one in uses.given
            ]
        for wanted in (True, False, None):
            for answer in answers:
                if answer.used is wanted:
                    return answer
        said = f"`{symbol}` takes `{PROXY_PARAMETER}` and does nothing with them"
        return Answer(False, module, uses.line, said)

    def _handed_on(self, uses: Uses, symbol: str, module: str, line: int, reason: str) -> Answer:
        """Proxies that are read are used, where the same function hands something on to the next stage."""
        if uses.hands:
            return Answer(True, module, line, f"{reason}, handed on in line {uses.hands[0]}")
        return Answer(None, module, line, f"{reason}; nothing is seen that hands on to the next stage")

    def _given(
        self, given: Given, uses: Uses, symbol: str, module: str, class_id: str, definer: str, depth: int
    ) -> Answer:
        unknown = Answer(None, module, given.line, f"given to `{given.text}`, which is not known")
        if depth > _DEPTH:
            return unknown
        callee = given.callee
        if callee[:1] == ("super()",):
            for one in self.project.mro(definer)[1:]:
                if callee[1] in self.project.classes[one]["methods"]:
                    return self._method(class_id, one, callee[1], depth + 1)
        elif callee[:1] == ("self",):
            answer = self._on_self(given, module, class_id, definer, depth)
            if answer is not None:
                return answer
        elif callee and (answer := self._function(given, module, class_id, definer, depth)) is not None:
            return answer
        if given.later:
            return self._handed_on(uses, symbol, module, given.line, f"given to `{given.text}` in `{symbol}`")
        return unknown

    def _on_self(self, given: Given, module: str, class_id: str, definer: str, depth: int) -> Answer | None:
        callee = given.callee[1:]
        own = self.project.method(class_id, callee[0]) if len(callee) == 1 else None
        if own is not None:
            return self._method(class_id, own[0], callee[0], depth + 1)
        path = callee[:-1] if callee[-1] == "forward" and len(callee) > 1 else callee
        kinds = kept_along(self.project, class_id, path)
        if not kinds:
            return None
        return self._all(kinds, f"`{given.text}`", definer, given.line, depth, given.where)

    def _all(
        self, kinds: frozenset[str], what: str, where: str, line: int, depth: int, given_as: int | str = ""
    ) -> Answer:
        """The answer of the classes that an attribute may hold: that of the worst of them."""
        module = self.project.module_of(where)
        answers = []
        for kind in sorted(kinds):
            wrong = self._wrong_place(kind, given_as)
            if wrong:
                answers.append(Answer(False, module, line, f"given to {what} {wrong}"))
            else:
                answers.append(self.of(kind, depth + 1))
        for wanted in (False, None, True):
            for answer in answers:
                if answer.used is wanted:
                    return answer
        return Answer(None, module, line, f"given to {what}, whose class is not known")

    def _wrong_place(self, kind: str, where: int | str) -> str:
        """Why an argument does not arrive as the proxies of a class's forward, or ""."""
        found = self.project.method(kind, "forward")
        if found is None or where in ("", PROXY_PARAMETER):
            return ""
        names = [*found[1]["params"][1:], *found[1]["keywords"]]
        name = where if isinstance(where, str) else (names[where : where + 1] or [""])[0]
        if name == PROXY_PARAMETER:
            return ""
        return f"as `{name}`" if name else "beyond its parameters"

    def _function(self, given: Given, module: str, class_id: str, definer: str, depth: int) -> Answer | None:
        """A function that reads the proxies, or hands its keywords on to a model that it is given."""
        target = self.project.resolve(module, given.callee)
        if target is None or target in self.project.classes:
            return None
        source, _, name = target.partition(":")
        forwards = self._forwards(source)
        uses = forwards.uses.get(name)
        if uses is not None and uses.reads:
            return self._handed_on(uses, name, source, uses.reads[0], f"read in `{name}`")
        for called in forwards.handing.get(name, ()):
            path = given.others.get(called[0], ()) if len(called) == 1 else ()
            if path[:1] == ("self",):
                kinds = kept_along(self.project, class_id, path[1:])
                return self._all(kinds, f"`{'.'.join(path)}`", definer, given.line, depth)
        return None

    def _forwards(self, module: str) -> Forwards:
        return self.sources.forwards(module)
