"""The edges that a past implies: what a commit changed, and which files changed together often.

They are a function of the past alone, as pairs of names; only where both ends have records there is an edge. So what
has to be written is what differs between two pasts, and once more what ends at a file that was written meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from retrieval.errors import UnknownRef
from retrieval.history.history import History
from retrieval.ingest.changes import Linked
from retrieval.ingest.settings import GitHistorySettings
from retrieval.record import Edge, NameKind
from retrieval.relations import BUILT_IN
from retrieval.store.interface import Snapshot, WriteTransaction
from workingset.vocabulary import Namespace, Ref

CHANGED = "changed"
CO_CHANGED = "co_changed"
_SAME_BASE_NAME = 20_000
"""No tree has so many files of one name; reading stops there rather than never."""


_EDGES_READ = 1_000_000
"""No record has so many edges; reading stops there rather than never."""


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """An edge by names: from a commit's record or a file, to a file."""

    relation: str
    start: str
    path: str


def wanted_pairs(history: History, settings: GitHistorySettings) -> frozenset[Pair]:
    """The pairs of a past, bounded for each file, so that no file becomes a hub."""
    return frozenset({*_changed(history, settings), *_co_changed(history, settings)})


def _changed(history: History, settings: GitHistorySettings) -> Iterable[Pair]:
    taken: dict[str, int] = {}
    for commit in history.commits:
        for path in commit.paths if commit.files <= settings.counting.recent_files else ():
            if taken.get(path, 0) < settings.changed_edges_per_file:
                taken[path] = taken.get(path, 0) + 1
                yield Pair(CHANGED, commit.local, path)


def _co_changed(history: History, settings: GitHistorySettings) -> Iterable[Pair]:
    for path in sorted(history.companions):
        strong = [other for other, weight in history.co_changed(path) if weight >= settings.co_changed_weight]
        often = (other for other in strong if history.times_together(path, other) >= settings.co_changed_times)
        for _, other in zip(range(settings.co_changed_per_file), often, strict=False):
            yield Pair(CO_CHANGED, min(path, other), max(path, other))


@dataclass(slots=True)
class Heads:
    """The first record of each file of one source, which stands for it. Lives within one transaction."""

    txn: Snapshot
    namespace: Namespace
    source: str
    _by_base: dict[str, dict[str, Ref]] = field(default_factory=dict[str, dict[str, Ref]])

    def of(self, path: str) -> Ref | None:
        """The ref of the file's first record; None where the source has no such file."""
        base = path.rpartition("/")[2]
        known = self._by_base.get(base)
        if known is None:
            known = self._by_base[base] = self._read(base)
        return known.get(path)

    def _read(self, base: str) -> dict[str, Ref]:
        ids = self.txn.find(self.namespace, NameKind.PATH, base, _SAME_BASE_NAME)
        firsts: dict[str, tuple[int, Ref]] = {}
        for record in self.txn.records_by_id(ids, self.txn.cut([self.namespace])):
            if record is not None and not record.removed and record.source == self.source and record.lines is not None:
                place = (record.lines.start, record.ref)
                firsts[record.path] = min(firsts.get(record.path, place), place)
        return {path: ref for path, (_, ref) in firsts.items()}


def end_edges(txn: WriteTransaction, refs: Iterable[Ref]) -> int:
    """End all edges of a past at these records; returns how many there were."""
    ended = 0
    for ref in refs:
        for stored in (*txn.edges_from(ref, limit=_EDGES_READ), *txn.edges_to(ref, limit=_EDGES_READ)):
            if stored.edge.relation in {CHANGED, CO_CHANGED}:
                ended += txn.remove_edge(stored.edge.source, stored.edge.relation, stored.edge.target)
    return ended


def apply_pairs(
    txn: WriteTransaction, namespace: Namespace, source: str, changes: Iterable[tuple[Pair, bool]]
) -> Linked:
    """Begin (True) or end each pair's edge, in order; those whose ends have no records are passed over."""
    heads = Heads(txn, namespace, source)
    begun = ended = 0
    for pair, begins in changes:
        edge = _edge(heads, namespace, pair)
        if edge is None:
            continue
        if not begins:
            ended += txn.remove_edge(edge.source, edge.relation, edge.target)
            continue
        try:
            begun += txn.put_edge(edge)
        except UnknownRef:
            continue  # a host removed the commit's record; the next reading of the past writes it again
    return Linked(edges_written=begun, edges_removed=ended)


def _edge(heads: Heads, namespace: Namespace, pair: Pair) -> Edge | None:
    target = heads.of(pair.path)
    start = heads.of(pair.start) if pair.relation == CO_CHANGED else Ref(f"{namespace}:{pair.start}")
    if start is None or target is None or start == target:
        return None
    return Edge(start, pair.relation, target, BUILT_IN[pair.relation])
