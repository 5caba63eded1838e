"""Edges of records that have none yet, so that nothing has to be looked up for them; written in order, all at once.

What is known of an end is kept as the bytes that its rows begin with: of a hundred thousand edges each end is looked at
once.
"""

from __future__ import annotations

from collections import Counter

from retrieval.errors import StoreCorrupt, UnknownRef
from retrieval.record import Edge
from retrieval.relations import Role
from retrieval.store.lmdb import counts, layout, lost_needs
from retrieval.store.lmdb.layout import ADJACENT_KEY, EDGE_ROW, INCOMING, OUTGOING, U32, U64
from retrieval.store.lmdb.versions import live_id
from retrieval.store.lmdb.view import Space, TenantView
from workingset.vocabulary import Ref


class _End:
    """A live record as the end of edges. `number` is its id as in keys, `outgoing` and `incoming` are its keys in
    `adjacent`; `is_fresh` is None until asked."""

    __slots__ = ("incoming", "is_fresh", "number", "outgoing", "record_id", "space")

    def __init__(self, tenant: bytes, record_id: int, space: Space) -> None:
        self.record_id = record_id
        self.space = space
        self.number = U64.pack(record_id)
        self.outgoing = ADJACENT_KEY.pack(tenant, record_id, OUTGOING)
        self.incoming = ADJACENT_KEY.pack(tenant, record_id, INCOMING)
        self.is_fresh: bool | None = None


class FreshEdges:
    """What is to be written; `write` has to follow the last `put`."""

    def __init__(self, view: TenantView) -> None:
        self._view = view
        self._ends: dict[Ref, _End] = {}
        self._relations: dict[str, tuple[Role, bytes]] = {}
        self._edges: dict[bytes, bytes] = {}
        self._adjacent: list[tuple[bytes, bytes]] = []
        self._counts: Counter[tuple[bytes, bytes]] = Counter()

    def put(self, edge: Edge) -> bool:
        """Keep the edge for writing; False where it has to be put in the common way. Raises UnknownRef."""
        relation = self._relation(edge)
        if relation is None:
            self.write()
            return False
        source = self._ends.get(edge.source) or self._end(edge.source)
        target = self._ends.get(edge.target) or self._end(edge.target)
        is_fresh = source.is_fresh
        if is_fresh is None:
            rows = self._view.rows
            is_fresh = source.is_fresh = not rows.has(rows.tables.adjacent, source.outgoing)
        if not is_fresh:
            return False
        key = self._view.key + source.number + relation + target.number
        if key in self._edges:
            self.write()
            return False
        if edge.role is Role.MANDATORY:
            lost_needs.found(self._view, source.record_id, U32.unpack(relation)[0], target.record_id)
        flags = layout.BEST_EFFORT if edge.best_effort else 0
        self._edges[key] = EDGE_ROW.pack(source.space.touch(), target.space.touch(), flags)
        self._adjacent.append((source.outgoing, target.number + relation))
        self._adjacent.append((target.incoming, source.number + relation))
        self._counts[source.space.key, relation] += 1
        return True

    def write(self) -> None:
        """Write what was kept; its records are not fresh any more."""
        tables = self._view.rows.tables
        if self._edges:
            self._view.rows.put_many(tables.edges, sorted(self._edges.items()))
            self._view.rows.put_many(tables.adjacent, sorted(self._adjacent))
        for (space_key, relation), count in self._counts.items():
            space = self._view.space_by_key(space_key)
            if space is None:
                raise StoreCorrupt("a namespace that edges begin in has no name")
            counts.edges(space, U32.unpack(relation)[0], count)
        for end in self._ends.values():
            end.is_fresh = None
        self._edges.clear()
        self._adjacent.clear()
        self._counts.clear()

    def _relation(self, edge: Edge) -> bytes | None:
        """The number of the edge's relation as in keys; None where this transaction has not settled it so."""
        known = self._relations.get(edge.relation)
        if known is None or known[0] is not edge.role:
            number = self._view.relation_number(edge.relation, edge.role)
            if number is None:
                return None
            known = self._relations[edge.relation] = (edge.role, U32.pack(number))
        return known[1]

    def _end(self, ref: Ref) -> _End:
        found = self._view.live.get(ref)
        if found is None:
            found = live_id(self._view, ref)
            if found is None:
                raise UnknownRef(ref)
            self._view.live[ref] = found
        end = self._ends[ref] = _End(self._view.key, *found)
        return end
