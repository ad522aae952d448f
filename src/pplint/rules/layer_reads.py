"""What the rules about padded lists share: which slots a read takes, and how the stage range is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.dispatch import element_classes, plain_name
from pplint.engine.elements import PLACEHOLDER_ATTRIBUTES, guarded
from pplint.engine.project import Padded
from pplint.engine.slots import Slots, slots_of
from pplint.records import Record
from pplint.rules.stage_start import has_start, stays_argument
from pplint.source.blocks import all_blocks

_WIDTH = 60


class Owner(Record):
    """How the range of the stage is written; `proven` when the class of the list is known to have it."""

    start: str
    end: str
    proven: bool


def read_slots(context: Context, element: ast.expr, attribute: str) -> Slots | None:
    """The slots of which an attribute is read, unless the read cannot fail or is guarded."""
    if attribute.startswith("__") or attribute in PLACEHOLDER_ATTRIBUTES or context.draft:
        return None
    slots = _unguarded(context, element)
    return None if slots is not None and _is_set_before(context, element, attribute) else slots


def _is_set_before(context: Context, element: ast.expr, attribute: str) -> bool:
    """Whether a statement before the read, which is always run then, sets the attribute, on placeholders too."""
    element_text = ast.dump(element)
    stores = [
        one
        for one in context.written.attributes
        if one.attr == attribute and isinstance(one.ctx, ast.Store) and ast.dump(one.value) == element_text
    ]
    for block in all_blocks(context.flow.functions[-1]) if stores else ():
        for position, statement in enumerate(block):
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            if any(target is store for target in targets for store in stores):
                after = (part for later in block[position + 1 :] for part in ast.walk(later))
                if any(part is element for part in after):
                    return True
    return False


def run_slots(context: Context, element: ast.expr) -> Slots | None:
    """The slots that are run, unless a test keeps placeholders away."""
    return None if context.draft else _unguarded(context, element)


def _unguarded(context: Context, element: ast.expr) -> Slots | None:
    found = context.flow.evaluate(element)
    if not any(one.kind in (v.SUB, v.ELEMENT, v.CALL) for one in found):
        return None
    slots = slots_of(context, found)
    if slots is None:
        return None
    spellings = [one.node for one in found if isinstance(one.node, ast.Subscript)]
    return None if guarded(context, element, *spellings) else slots


def called_reads(node: ast.Call) -> Iterator[tuple[ast.expr, ast.expr, str]]:
    """What a call reads besides its arguments: where it stands, what is read from, and the attribute.

    That is the method that is called, and what `getattr` without a default asks for.
    """
    if isinstance(node.func, ast.Attribute):
        yield node.func, node.func.value, node.func.attr
    read = _plain_getattr(node)
    if read is not None:
        yield node, *read


def _plain_getattr(node: ast.Call) -> tuple[ast.expr, str] | None:
    """What `getattr(x, "name")` reads from and the name, or None; with a default it cannot fail."""
    if not isinstance(node.func, ast.Name) or node.func.id != "getattr" or len(node.args) != 2:
        return None
    name = node.args[1]
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    return node.args[0], name.value


def owner_text(context: Context, slots: Slots, written: ast.expr | None) -> Owner | None:
    """The stage range of the object that holds the list, written with the chain that leads to the list here.

    `written` is the list as it stands, or None when only its alternatives are known.
    """
    as_written = v.dotted(written) if written is not None else None
    chain = as_written if as_written is not None and len(as_written) > 1 else None
    if chain is None:
        paths = [
            path
            for path in v.paths(slots.lists)
            if len(path) > 1 and (path[0] == "self" or stays_argument(context, path[0]))
        ]
        chain = paths[0] if len(paths) == 1 else None
    if chain is None:
        return None
    prefix, padded = ".".join(chain[:-1]), slots.padded
    if chain[:-1] == ("self",) and not has_start(context, padded.owner, ("self",)):
        return None  # the range is set further down
    public = context.project.owns_start(padded.owner)
    start = public or padded.start
    end = "end_layer" if public else padded.end
    return (
        Owner(f"{prefix}.{start}", f"{prefix}.{end}", bool(public) and not padded.served)
        if start and end
        else None
    )


def latent_choice(context: Context, padded: Padded) -> str:
    """Why a call that refuses the layers of a list by their class name is latent."""
    classes = element_classes(context.project, padded)
    names = ", ".join(sorted(f"`{plain_name(context.project, one)}`" for one in classes))
    return f"latent: the callee compares class names and refuses {names} on every stage, with or without PP"


def shown(node: ast.expr) -> str:
    """An expression for a message, cut when it is long."""
    text = ast.unparse(node)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."


def stage_start(context: Context) -> str:
    """How a method of a model writes the first layer of the stage, or "" when the class keeps no layers."""
    return _start_of(context, context.class_id, "self", 0)


def _start_of(context: Context, class_id: str, chain: str, depth: int) -> str:
    project = context.project
    attributes = dict.fromkeys(
        name for one in project.mro(class_id) for name in project.classes[one]["attrs"]
    )
    for name in attributes:
        padded = project.padded_attribute(class_id, name)
        if padded is not None:
            return f"{chain}.{project.owns_start(class_id) or padded.start}"
    # The language model comes first: `self.model` rather than an encoder that is built alike.
    for name in (
        sorted(attributes, key=lambda one: (one != "model", "model" not in one, one)) if depth < 3 else ()
    ):
        for inner in sorted(project.attribute_types(class_id, name)):
            found = _start_of(context, inner, f"{chain}.{name}", depth + 1) if "model" in name else ""
            if found:
                return found
    return ""
