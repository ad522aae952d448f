"""sarif-om objects to JSON data: the objects know the JSON names but cannot write themselves."""

from __future__ import annotations

from functools import cache
from typing import Any

import attr

_KEPT = frozenset({"level"})
"""A result's missing level means its rule's default and not the schema's, so levels are always written."""


def to_json(value: Any) -> Any:
    """Return `value` as data for `json.dumps`: attributes that are None or at their default are left out.

    Mappings (property bags, base ids, fingerprints) keep their keys and their None values.
    """
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    kind: Any = type(value)
    properties = _properties(kind)
    if properties is None:
        return value
    written = {}
    for attribute, item in vars(value).items():
        if item is not None:
            name, default = properties[attribute]
            if default is None or item != default or name in _KEPT:
                written[name] = to_json(item)
    return written


@cache
def _properties(kind: Any) -> dict[str, tuple[str, Any]] | None:
    """Return the JSON name and the default of each attribute of a sarif-om class, or None for other types."""
    if not attr.has(kind):
        return None
    return {
        field.name: (field.metadata["schema_property_name"], _default(field.default))
        for field in attr.fields(kind)
    }


def _default(default: Any) -> Any:
    return default.factory() if hasattr(default, "factory") else default
