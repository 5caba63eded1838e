"""`overrides`: from a method to the nearest of that name in the base classes that its class names. Best effort."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from retrieval.ingest.link_tables import FileTable, LinkTables
from retrieval.record import Record
from workingset.vocabulary import Ref

OVERRIDES = "overrides"

SPREAD = frozenset(("c", "go", "csharp"))
"""Families whose types have methods in other files than the type's own."""
_CLASSES = 16
"""Guess: no hierarchy written by hand is looked through further."""


def overridden(record: Record, table: FileTable, reach: Sequence[FileTable], tables: LinkTables) -> tuple[Ref, ...]:
    """The methods that the record overrides; none where its class names no base that is known."""
    scope, _, name = record.title.rpartition(".")
    if not scope or record.kind != "function":
        return ()
    return tuple(ref for ref in inherited(scope, name, table, reach, tables) if ref != record.ref)


def inherited(
    scope: str, name: str, table: FileTable, reach: Sequence[FileTable], tables: LinkTables
) -> tuple[Ref, ...]:
    """The methods of that name in the bases that the class names, in their order; of each line the nearest."""
    if scope not in table.bases and table.family not in SPREAD:
        return ()
    found: dict[Ref, None] = {}
    pending = [(scope, table, tuple(reach))]
    seen: set[tuple[str, str]] = set()
    while pending and len(seen) < _CLASSES:
        scope, table, reach = pending.pop()
        if (table.path, scope) in seen:
            continue
        seen.add((table.path, scope))
        above: list[tuple[str, FileTable, tuple[FileTable, ...]]] = []
        for title, home in tables.bases_of(table, scope, partial(_bases, scope, table, reach, tables)):
            refs = _members(f"{title}.{name}", home, tables)
            found.update(dict.fromkeys(refs[:1]))
            if not refs:
                above.append((title, home, tables.seen_by(home)))
        pending.extend(reversed(above))
    return tuple(found)


def _bases(scope: str, table: FileTable, reach: Sequence[FileTable], tables: LinkTables) -> list[tuple[str, FileTable]]:
    bases = table.bases.get(scope)
    if bases is None and table.family in SPREAD:
        bases = next((other.bases[scope] for other in reach if scope in other.bases), None)
    homes = (_home(base, scope, table, reach, tables) for base in bases or ())
    return [home for home in homes if home is not None]


def _members(title: str, home: FileTable, tables: LinkTables) -> tuple[Ref, ...]:
    if title in home.titled or home.family not in SPREAD:
        return home.titled.get(title, ())
    near = (tables.file(path) for path in tables.in_reach(home))
    return next((place.titled[title] for place in near if place is not None and title in place.titled), ())


def _home(
    base: str, scope: str, table: FileTable, reach: Sequence[FileTable], tables: LinkTables
) -> tuple[str, FileTable] | None:
    """The title of the class that the name means, with its file: beside the class, in the file, in reach, or unique."""
    outer = scope.rpartition(".")[0]
    for title in dict.fromkeys((f"{outer}.{base}" if outer else base, base)):
        for place in (table, *reach):
            if title in place.titled and title != scope:
                return title, place
    known = next((place.methods[base] for place in (table, *reach) if base in place.methods), None)
    for ref in (known or tables.definers(base, table.family) or ())[:1]:
        path, title = tables.place_of(ref) or ("", "")
        home = tables.file(path) if path else None
        if home is not None and title != scope:
            return title, home
    return None
