"""Named tuples whose classes cost next to nothing to make.

`typing.NamedTuple` compiles each class anew, at every start. A hook starts for each commit and would make a hundred of
them. What a walk makes by the million stays one: its objects are made faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ("Record",)

if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:
    from collections import _tuplegetter  # what `namedtuple` reads its fields with

    class _Maker(type):
        """Makes properties of the annotated fields of a class, which have to be texts."""

        def __new__(mcs, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = tuple(namespace[field] for field in fields if field in namespace)
            for place, field in enumerate(fields):
                namespace[field] = _tuplegetter(place, None)
            namespace.update(__slots__=(), __match_args__=fields, _fields=fields, _defaults=defaults)
            return super().__new__(mcs, name, bases, namespace)

    class Record(tuple, metaclass=_Maker):
        """A tuple whose annotated fields have names; the last ones may have defaults."""

        _fields = ()
        _defaults = ()

        def __new__(cls, *values, **named):
            if named or len(values) != len(cls._fields):
                values = cls._filled(values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _filled(cls, values, named):
            """All values, of which some have names and others are defaults. Raises TypeError where they do not fit."""
            fields, defaults = cls._fields, cls._defaults
            given = dict(zip(fields[len(fields) - len(defaults) :], defaults, strict=True)) | named
            for field, value in zip(fields, values, strict=False):
                if field in named:
                    raise TypeError(f"{cls.__name__} has two values for {field}")
                given[field] = value
            if len(values) > len(fields) or given.keys() != set(fields):
                raise TypeError(f"{cls.__name__} takes {', '.join(fields)}")
            return [given[field] for field in fields]

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            said = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({said})"

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **named):
            return type(self)(**{**self._asdict(), **named})
