"""Typed edges: the live ones by both ends, and the past ones with the generations they were valid for.

An edge belongs to the namespaces of both its ends: beginning or ending it raises the generation of each, so that its
validity can be asked for at either end. The live edges of a record lie together in `adjacent`, packed, for graph
walks; what else is known of one is a row of `edges`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retrieval.errors import StoreCorrupt, UnknownRef
from retrieval.record import Edge, StoredEdge
from retrieval.relations import Role, role_of
from retrieval.store.lmdb import counts, layout, lost_needs, relations
from retrieval.store.lmdb.fresh_edges import FreshEdges
from retrieval.store.lmdb.keys import encode_text
from retrieval.store.lmdb.layout import (
    ADJACENT_KEY,
    ADJACENT_VALUE,
    EDGE_KEY,
    EDGE_ROW,
    ID_KEY,
    INCOMING,
    OUTGOING,
    PAST_KEY,
)
from retrieval.store.lmdb.versions import live_id
from retrieval.store.lmdb.view import Space, TenantView
from workingset.vocabulary import Generation, Ref


class _Seen(NamedTuple):
    """An edge as seen from one end: the record at the other, and when and how it was written."""

    other: int
    written: int
    flags: int


def put(view: TenantView, edge: Edge) -> bool:
    """Begin an edge; False where an equal one is live. Raises UnknownRef for an end without a live record."""
    if view.relation_number(edge.relation, edge.role) is None:
        encode_text("relation", edge.relation)
    source, target = _end(view, edge.source), _end(view, edge.target)
    relation = _relation(view, edge)
    key = EDGE_KEY.pack(view.key, source[0], relation, target[0])
    flags = layout.BEST_EFFORT if edge.best_effort else 0
    row = view.rows.get(view.rows.tables.edges, key)
    if row is not None:
        if EDGE_ROW.unpack(row)[2] == flags:
            return False
        _end_edge(view, source[0], relation, target[0])
    row = EDGE_ROW.pack(source[1].touch(), target[1].touch(), flags)
    if edge.role is Role.MANDATORY:
        lost_needs.found(view, source[0], relation, target[0])
    view.rows.put(view.rows.tables.edges, key, row)
    adjacent = view.rows.tables.adjacent
    view.rows.put(adjacent, *_adjacent(view, source[0], OUTGOING, target[0], relation))
    view.rows.put(adjacent, *_adjacent(view, target[0], INCOMING, source[0], relation))
    counts.edges(source[1], relation, 1)
    return True


def put_many(view: TenantView, given: Sequence[Edge]) -> tuple[int, int]:
    """Begin edges; returns how many were begun, and how many were left out for an end without a live record."""
    fresh = FreshEdges(view)
    begun = unknown = 0
    for edge in given:
        try:
            begun += fresh.put(edge) or put(view, edge)
        except UnknownRef:
            unknown += 1
    fresh.write()
    return begun, unknown


def _relation(view: TenantView, edge: Edge) -> int:
    """The number of an edge's relation, allotted where it has none; raises BadField for another role than it has."""
    number = view.relation_number(edge.relation, edge.role)
    if number is None:
        known = relations.by_name(view, edge.relation)
        role = role_of(edge.relation, edge.role, None if known is None else known.role)
        number = relations.settle(view, edge.relation, role)
        view.relation_numbers[edge.relation] = (role, number)
    return number


def remove(view: TenantView, source: Ref, relation: str, target: Ref) -> bool:
    """End an edge; False where it is not live."""
    known = relations.by_name(view, relation)
    source_id, target_id = view.record_id(source), view.record_id(target)
    if known is None or source_id is None or target_id is None:
        return False
    lost_needs.found(view, source_id, known.number, target_id)
    return _end_edge(view, source_id, known.number, target_id)


def end_all(view: TenantView, record_id: int) -> None:
    """End every live edge at a record that is removed; what needed it has lost it."""
    for outgoing, other, relation in list(_live(view, record_id, (OUTGOING, INCOMING))):
        ends = (record_id, other) if outgoing == OUTGOING else (other, record_id)
        _end_edge(view, ends[0], relation, ends[1])
        if lost_needs.needed_of(view, ends[0], relation, ends[1]) == (other, record_id):
            lost_needs.note(view, other, record_id, relation)


def neighbours(
    view: TenantView, record_id: int, limit: int, ways: frozenset[tuple[str, bool]] | None = None
) -> list[tuple[int, str, bool]]:
    """(other id, relation, outgoing) of live edges, of the given ways, in that order, at most `limit`."""
    if limit <= 0 or not 0 < record_id <= layout.LARGEST_ID:
        return []
    names = view.relation_names
    # Each direction is stored in order, so of a hub's thousands no more are looked at than can be returned.
    found = [
        (other, names.get(relation) or relations.name_of(view, relation), direction == OUTGOING)
        for direction in (OUTGOING, INCOMING)
        for _, other, relation in _first(_live_by(view, record_id, direction, ways), limit)
    ]
    found.sort()
    return found[:limit]


def _live_by(
    view: TenantView, record_id: int, direction: bytes, ways: frozenset[tuple[str, bool]] | None
) -> Iterator[tuple[bytes, int, int]]:
    """Live edges in one direction, of the ways that go in it."""
    if ways is None:
        return _live(view, record_id, (direction,))
    known = (relations.by_name(view, name) for name, outgoing in ways if outgoing is (direction == OUTGOING))
    numbers = frozenset(relation.number for relation in known if relation is not None)
    return (row for row in _live(view, record_id, (direction,)) if row[2] in numbers) if numbers else iter(())


def touching(
    view: TenantView, ref: Ref, at: Generation | None, roles: frozenset[Role] | None, limit: int, direction: bytes
) -> list[StoredEdge]:
    """Edges at a record in one direction, live at a generation of its namespace, by (relation, other ref)."""
    record_id = view.record_id(ref)
    located = None if record_id is None else view.located(record_id)
    if record_id is None or located is None or limit <= 0:
        return []
    located[0].check_held(at)
    seen = _seen(view, record_id, direction, None if at is None or at >= located[0].generation else at)
    known = sorted(
        (relation for number in seen if (relation := relations.by_number(view, number)) is not None),
        key=lambda relation: relation.name,
    )
    found: list[StoredEdge] = []
    for relation in known:
        if roles is not None and relation.role not in roles:
            continue
        ends = sorted((_ref(view, edge.other), edge.written, edge.flags) for edge in seen[relation.number])
        for other, written, flags in ends[: limit - len(found)]:
            source, target = (ref, other) if direction == OUTGOING else (other, ref)
            edge = Edge(source, relation.name, target, relation.role, bool(flags & layout.BEST_EFFORT))
            found.append(StoredEdge(edge, Generation(written)))
        if len(found) == limit:
            break
    return found


def _seen(view: TenantView, record_id: int, direction: bytes, at: Generation | None) -> dict[int, list[_Seen]]:
    seen: dict[int, list[_Seen]] = {}
    for _, other, relation in _live(view, record_id, (direction,)):
        ends = (record_id, other) if direction == OUTGOING else (other, record_id)
        row = view.rows.get(view.rows.tables.edges, EDGE_KEY.pack(view.key, ends[0], relation, ends[1]))
        if row is None:
            raise StoreCorrupt(f"the edge {ends[0]} to {ends[1]} is listed and not there")
        from_source, from_target, flags = EDGE_ROW.unpack(row)
        if at is None or (from_source if direction == OUTGOING else from_target) <= at:
            seen.setdefault(relation, []).append(_Seen(other, from_source, flags))
    if at is not None:
        for relation, edge in _past(view, record_id, direction, at):
            seen.setdefault(relation, []).append(edge)
    return seen


def _past(view: TenantView, record_id: int, direction: bytes, at: Generation) -> Iterator[tuple[int, _Seen]]:
    prefix = ADJACENT_KEY.pack(view.key, record_id, direction)
    for key, value in view.rows.scan(view.rows.tables.past_edges, prefix):
        _, _, _, relation, other, until = PAST_KEY.unpack(key)
        began, written, flags = layout.PAST_ROW.unpack(value)
        if began <= at < until and not view.is_purged(other):
            yield relation, _Seen(other, written, flags)


def _live(view: TenantView, record_id: int, directions: tuple[bytes, ...]) -> Iterator[tuple[bytes, int, int]]:
    rows = adjacency(view, record_id, directions)
    if not view.purged:
        return rows
    return iter(()) if view.is_purged(record_id) else (row for row in rows if not view.is_purged(row[1]))


def adjacency(view: TenantView, record_id: int, directions: tuple[bytes, ...]) -> Iterator[tuple[bytes, int, int]]:
    """(direction, other id, relation) of a record's live edges, those to purged records among them."""
    keys = [ADJACENT_KEY.pack(view.key, record_id, direction) for direction in directions]
    packed = view.rows.duplicates(view.rows.tables.adjacent, keys, ADJACENT_VALUE.size)
    return layout.ADJACENT_ROW.iter_unpack(packed)


def _first(rows: Iterator[tuple[bytes, int, int]], limit: int) -> list[tuple[bytes, int, int]]:
    """The first rows, and those that share their other end with the last of them."""
    taken: list[tuple[bytes, int, int]] = []
    for row in rows:
        if len(taken) >= limit and row[1] != taken[-1][1]:
            break
        taken.append(row)
    return taken


def _end_edge(view: TenantView, source: int, relation: int, target: int) -> bool:
    tables = view.rows.tables
    key = EDGE_KEY.pack(view.key, source, relation, target)
    row = view.rows.get(tables.edges, key)
    if row is None:
        return False
    from_source, from_target, flags = EDGE_ROW.unpack(row)
    source_space, target_space = _space(view, source), _space(view, target)
    view.rows.delete(tables.edges, key)
    _unlist(view, source, relation, target)
    for direction, this, other, space, began in (
        (OUTGOING, source, target, source_space, from_source),
        (INCOMING, target, source, target_space, from_target),
    ):
        until = space.touch()
        if began < until:
            past = PAST_KEY.pack(view.key, this, direction, relation, other, until)
            view.rows.put(tables.past_edges, past, layout.PAST_ROW.pack(began, from_source, flags))
    counts.edges(source_space, relation, -1)
    return True


def erase(view: TenantView, source: int, relation: int, target: int) -> None:
    """Delete a live edge as if it had never been, counts and generations aside. For purging."""
    view.rows.delete(view.rows.tables.edges, EDGE_KEY.pack(view.key, source, relation, target))
    _unlist(view, source, relation, target)


def erase_past(view: TenantView, record_id: int, limit: int) -> tuple[int, int]:
    """Delete rows of ended edges at a record, and their twins at the other end: (edges, rows). For purging."""
    table = view.rows.tables.past_edges
    edges = rows = 0
    for key, _ in view.rows.page(table, ID_KEY.pack(view.key, record_id), limit):
        _, _, direction, relation, other, _ = PAST_KEY.unpack(key)
        back = INCOMING if direction == OUTGOING else OUTGOING
        twins = layout.PAST_BETWEEN.pack(view.key, other, back, relation, record_id)
        for row, _ in [(key, b""), *view.rows.page(table, twins, limit)]:
            if view.rows.delete(table, row):
                rows += 1
                edges += ADJACENT_KEY.unpack_from(row)[2] == OUTGOING
    return edges, rows


def _unlist(view: TenantView, source: int, relation: int, target: int) -> None:
    adjacent = view.rows.tables.adjacent
    view.rows.delete(adjacent, *_adjacent(view, source, OUTGOING, target, relation))
    view.rows.delete(adjacent, *_adjacent(view, target, INCOMING, source, relation))


def _adjacent(view: TenantView, this: int, direction: bytes, other: int, relation: int) -> tuple[bytes, bytes]:
    return ADJACENT_KEY.pack(view.key, this, direction), ADJACENT_VALUE.pack(other, relation)


def _end(view: TenantView, ref: Ref) -> tuple[int, Space]:
    found = view.live.get(ref)
    if found is None:
        found = live_id(view, ref)
        if found is None:
            raise UnknownRef(ref)
        view.live[ref] = found
    return found


def _space(view: TenantView, record_id: int) -> Space:
    located = view.located(record_id)
    if located is None:
        raise StoreCorrupt(f"record {record_id} has an edge and no name")
    return located[0]


def _ref(view: TenantView, record_id: int) -> Ref:
    located = view.located(record_id)
    if located is None:
        raise StoreCorrupt(f"record {record_id} has an edge and no name")
    return located[1]
