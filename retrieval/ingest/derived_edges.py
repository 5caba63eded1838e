"""The edges that a file's records imply: what holds what, what the file imports, what each function calls and names.

What tests what and what overrides what follow from these and from names: `tested_edges`, `override_edges`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from retrieval.ingest.headings import SEPARATOR
from retrieval.ingest.link_tables import LinkTables
from retrieval.ingest.name_meaning import Meanings
from retrieval.ingest.override_edges import OVERRIDES, overridden
from retrieval.ingest.tested_edges import (
    TESTS,
    file_under_test,
    is_test_block,
    may_hold_tests,
    places_under_test,
    tested,
)
from retrieval.record import Edge, NameKind, Record
from retrieval.relations import BUILT_IN
from workingset.vocabulary import Ref

CONTAINS = "contains"
IMPORTS = "imports"
CALLS = "calls"
REFERENCES = "references"
DERIVED = frozenset((CONTAINS, IMPORTS, CALLS))
"""Relations that only this pass writes at a record of a file."""
GUESSED = frozenset((REFERENCES, TESTS, OVERRIDES))
"""Relations that hosts may state, too: those of this pass are the ones marked best effort."""

_CALLING = frozenset(("function", "chunk", "class"))
_PART = re.compile(r"(.+) \((?:part \d+|body)\)", re.DOTALL)


def is_derived(edge: Edge) -> bool:
    """True for an edge that this pass wrote, were it to start at a record of a file."""
    return edge.relation in DERIVED or (edge.relation in GUESSED and edge.best_effort)


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
    reach = tables.seen_by(table)
    meanings = Meanings(table, reach, tables)
    holds_tests = may_hold_tests(table.path)
    places = places_under_test(table, reach) if holds_tests else ()
    for record in records:
        called: set[Ref] = set()
        mentioned: set[Ref] = set()
        if record.kind in _CALLING or (holds_tests and is_test_block(record, table.family)):
            uses, refers = _used(record)
            called = meanings.of(record, uses)
            mentioned = meanings.of(record, refers) - called
            yield from _guesses(record, CALLS, called)
            yield from _guesses(record, REFERENCES, mentioned)
        if holds_tests:
            yield from _guesses(record, TESTS, tested(record, called | mentioned, table, places, tables))
        yield from _guesses(record, OVERRIDES, overridden(record, table, reach, tables))
    yield from _guesses(records[0], TESTS, file_under_test(records[0], table, imported, tables))


def _used(record: Record) -> tuple[list[str], list[str]]:
    """What the record calls, and what it mentions otherwise."""
    uses: list[str] = []
    refers: list[str] = []
    for name in record.names:
        if name.kind is NameKind.USES:
            uses.append(name.text)
        elif name.kind is NameKind.REFERS:
            refers.append(name.text)
    return uses, refers


def _guesses(record: Record, relation: str, targets: Collection[Ref]) -> Sequence[Edge]:
    if not targets:
        return ()
    source, role = record.ref, BUILT_IN[relation]
    return [Edge(source, relation, target, role, True) for target in sorted(targets) if target != source]


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
