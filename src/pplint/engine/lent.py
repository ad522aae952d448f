"""Functions of other modules that a loader hands its module, or the parameters, and the weights to."""

from pplint.engine.names import Rows
from pplint.engine.project import Project


def lent_functions(project: Project, module: str) -> list[list[str]]:
    """The functions of a module that loaders elsewhere hand weights to: function, class id, loader."""
    return project.row("lent", module, lambda: all_lent(project)) or []


def all_lent(project: Project) -> Rows:
    """The table of the functions that weights are handed to, by module; loaders that know the stage may have filtered."""
    rows: Rows = {}
    for class_id, one in project.classes.items():
        for method, facts in one["methods"].items():
            for path, _ in facts["lends"] if not facts["stage"] else ():
                found = project.named_function(project.module_of(class_id), path)
                if found is None or found[0].module == project.module_of(class_id):
                    continue
                row = [found[0].function, class_id, method]
                if row not in rows.setdefault(found[0].module, []):
                    rows[found[0].module].append(row)
    return rows


def lent_at(project: Project, class_id: str, loader: str, name: str) -> int:
    """The line where a loader of a class hands its weights to a function of that name."""
    facts = project.classes[class_id]["methods"][loader]
    return next((int(line) for path, line in facts["lends"] if path[-1] == name), int(facts["line"]))
