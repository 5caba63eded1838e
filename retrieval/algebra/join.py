"""Bind join: the few keys of one side ask the other for their rows, which is never read whole.

After Haas, Kossmann, Wimmers, Yang, "Optimizing queries across diverse data sources", VLDB 1997 (bind join). Cost
follows the keys that are bound, not the size of the other side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from retrieval.algebra.domain import Domain, Mapping, between
from retrieval.errors import BadField

Row = TypeVar("Row")
Row_co = TypeVar("Row_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Rows of one key, and where to go on; None where there are no more."""

    rows: tuple[Row, ...]
    next_after: int | None = None


class Table(Protocol[Row]):
    """A side that can be asked by key."""

    @property
    def domain(self) -> Domain: ...

    def rows(self, key: str, after: int, limit: int) -> Page[Row]:
        """One page of the rows that have the key, in a total order."""
        ...


@dataclass(frozen=True, slots=True)
class JoinSettings:
    """Bounds of one join."""

    keys: int = 1_024
    """Guess: more keys than a window holds several times over; with more the other side is to be bound."""
    page_rows: int = 256
    """Guess: as many edges as are read of one record."""
    pages_per_key: int = 4
    """Guess: a key of more rows names no thing."""


@dataclass(frozen=True, slots=True)
class Joined(Generic[Row]):
    """Pairs of a left key with a right row, by key, then in the right side's order.

    `probes` counts pages that were asked for. `unmapped` are keys without a counterpart; `truncated` those of which not
    all rows were read.
    """

    pairs: tuple[tuple[str, Row], ...]
    probes: int
    unmapped: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()


def bind_join(
    keys: Iterable[str],
    domain: Domain,
    right: Table[Row],
    settings: JoinSettings,
    mapping: Mapping | None = None,
) -> Joined[Row]:
    """Join keys of a domain with the rows of the right side that have them.

    Raises BadField where the domains differ and no mapping between them is given, and where there are too many keys.
    """
    across = between(domain, right.domain, mapping)
    bound = sorted(set(keys))
    if len(bound) > settings.keys:
        raise BadField("join", f"{len(bound)} keys are bound, at most {settings.keys} may be: bind the other side")
    pairs: list[tuple[str, Row]] = []
    unmapped: list[str] = []
    truncated: list[str] = []
    probes = 0
    for key in bound:
        mapped = across.apply(key)
        if mapped is None:
            unmapped.append(key)
            continue
        rows, asked, whole = _rows_of(mapped, right, settings)
        probes += asked
        pairs += [(key, row) for row in rows]
        if not whole:
            truncated.append(key)
    return Joined(tuple(pairs), probes, tuple(unmapped), tuple(truncated))


def _rows_of(key: str, right: Table[Row], settings: JoinSettings) -> tuple[Sequence[Row], int, bool]:
    rows: list[Row] = []
    after: int | None = 0
    asked = 0
    while after is not None and asked < settings.pages_per_key:
        page = right.rows(key, after, settings.page_rows)
        asked += 1
        rows += page.rows
        after = page.next_after
    return rows, asked, after is None
