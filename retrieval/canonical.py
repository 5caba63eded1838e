"""A projection as canonical bytes and their digest: equal answers give equal digests on any machine and hash seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum

import xxhash

from workingset.candidate import Projection
from workingset.vocabulary import Digest

_UNTOLD = frozenset({"timings_ms"})
"""What may differ between equal answers."""


def projection_digest(projection: Projection) -> Digest:
    """The digest of everything in the projection but its timings."""
    return Digest(xxhash.xxh3_128_hexdigest("".join(_pieces(projection)).encode("utf-8", "surrogatepass")))


def _pieces(value: object) -> Iterator[str]:
    """Each value with its type's letter and, for what varies in length, its length: no two values spell alike."""
    if isinstance(value, Enum):
        yield from _pieces(value.value)
    elif isinstance(value, str):
        yield f"s{len(value)}:{value}"
    elif isinstance(value, bool) or value is None:
        yield f"c{value};"
    elif isinstance(value, int):
        yield f"i{value};"
    elif isinstance(value, float):
        yield f"f{value.hex()};"
    elif isinstance(value, frozenset):
        yield from _sequence("F", sorted(value))
    elif isinstance(value, tuple):
        yield from _sequence("t", list(value))
    elif is_dataclass(value):
        named = [field.name for field in fields(value) if field.name not in _UNTOLD]
        yield f"d{len(named)}:{type(value).__name__};"
        for name in named:
            yield f"{name}="
            yield from _pieces(getattr(value, name))
    else:
        raise TypeError(f"no canonical form for {type(value).__name__}")


def _sequence(letter: str, items: list[object]) -> Iterator[str]:
    yield f"{letter}{len(items)}:"
    for item in items:
        yield from _pieces(item)
