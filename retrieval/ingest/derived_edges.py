"""The edges that a file's records imply: what holds what, what the file imports, what each function calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from retrieval.ingest.documents import SEPARATOR
from retrieval.ingest.link_tables import FileTable, LinkTables
from retrieval.record import Edge, NameKind, Record
from retrieval.relations import BUILT_IN
from workingset.vocabulary import Ref

CONTAINS = "contains"
IMPORTS = "imports"
CALLS = "calls"
DERIVED = frozenset((CONTAINS, IMPORTS, CALLS))

_CALLING = frozenset(("function", "chunk"))
_PART = re.compile(r"(.+) \((?:part \d+|body)\)", re.DOTALL)


def derive_edges(records: Sequence[Record], tables: LinkTables) -> dict[Ref, frozenset[Edge]]:
    """Return the edges that start at each record. `records` are those of one path, by first line.

    Two sources may have a file at one path: each is a file of its own.
    """
    edges: dict[Ref, set[Edge]] = {}
    by_source = sorted(records, key=lambda record: record.source)
    for _, group in groupby(by_source, key=lambda record: record.source):
        for edge in _file_edges(list(group), tables):
            edges.setdefault(edge.source, set()).add(edge)
    return {ref: frozenset(found) for ref, found in edges.items()}


def _file_edges(records: Sequence[Record], tables: LinkTables) -> Iterator[Edge]:
    yield from _contained(records)
    table = tables.file(records[0].path)
    if table is None or not table.family:
        return
    imported = tables.imported(table)
    for path in imported:
        target = tables.file(path)
        if target is not None and target.first != records[0].ref:
            yield Edge(records[0].ref, IMPORTS, target.first, BUILT_IN[IMPORTS])
    callees = _Callees(table, (*tables.in_reach(table), *imported), tables)
    for record in records:
        if record.kind in _CALLING:
            yield from callees.edges(record)


def _contained(records: Sequence[Record]) -> Iterator[Edge]:
    """A parent is the nearest record above with the parent's title, else the file's head."""
    seen: dict[str, Ref] = {}
    classes: dict[str, Ref] = {}
    for record in records:
        parent = _parent(record, seen, classes)
        if parent is None and record is not records[0] and records[0].kind == "file":
            parent = records[0].ref
        if parent is not None and parent != record.ref:
            yield Edge(parent, CONTAINS, record.ref, BUILT_IN[CONTAINS])
        if record.kind != "chunk":
            seen[record.title] = record.ref
        if record.kind == "class":
            classes[record.title] = record.ref


def _parent(record: Record, seen: dict[str, Ref], classes: dict[str, Ref]) -> Ref | None:
    part = _PART.fullmatch(record.title)
    if part is not None and record.kind == "chunk":
        return seen.get(part.group(1))
    if record.kind == "section":
        return seen.get(record.title.rpartition(SEPARATOR)[0])
    return classes.get(record.title.partition(", ")[0].rpartition(".")[0])


class _Callees:
    """What the names used in one file mean: in the same class, the same file, a file in reach, or the namespace.

    The nearest place that knows the name decides; where it knows it too often, the name points nowhere.
    """

    def __init__(self, table: FileTable, reach: Sequence[str], tables: LinkTables) -> None:
        self._table = table
        self._reach = [other for path in reach if (other := tables.file(path)) is not None]
        self._tables = tables
        self._limit = tables.settings.definers
        self._known: dict[str, tuple[Ref, ...]] = {}

    def edges(self, record: Record) -> Iterator[Edge]:
        """Yield the record's calls."""
        found: set[Ref] = set()
        scope = record.title.partition(" (")[0].rpartition(".")[0]
        for name in record.names:
            if name.kind is NameKind.USES:
                own = self._table.titled.get(f"{scope}.{name.text}") if scope else None
                found.update(own[:1] if own else self._outside_class(name.text))
        found.discard(record.ref)
        for target in sorted(found):
            yield Edge(record.ref, CALLS, target, BUILT_IN[CALLS], best_effort=True)

    def _outside_class(self, name: str) -> tuple[Ref, ...]:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._resolve(name)
        return known

    def _resolve(self, name: str) -> tuple[Ref, ...]:
        near = self._table.top.get(name) or self._table.methods.get(name)
        if near:
            return self._few(near)
        for by_name in ([other.top for other in self._reach], [other.methods for other in self._reach]):
            far = dict.fromkeys(ref for names in by_name if name in names for ref in names[name])
            if far:
                return self._few(tuple(far))
        return self._tables.definers(name, self._table.family) or ()

    def _few(self, refs: tuple[Ref, ...]) -> tuple[Ref, ...]:
        return refs if len(refs) <= self._limit else ()
