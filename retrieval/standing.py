"""How records stand at the cut: what replaced them, what they need, and the present set re-read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from retrieval.admission import validity
from retrieval.candidates import Stands, candidate
from retrieval.closure import Closure
from retrieval.errors import CutExpired
from retrieval.evidence import Evidence
from retrieval.lanes.lane import Scope
from retrieval.links import Links
from retrieval.live_relations import live_relations
from retrieval.obligations.view import Opposed
from retrieval.record import Record
from retrieval.settings import ClosureSettings
from retrieval.sources import SourceCheck
from retrieval.store.interface import Snapshot
from workingset.candidate import Candidate
from workingset.vocabulary import Freshness, Generation, Ref, Standing, SupportClosure


class Standings:
    """Answers for one projection, within its bounds of closure."""

    def __init__(
        self,
        txn: Snapshot,
        scope: Scope,
        now_seconds: int,
        evidence: Evidence,
        settings: ClosureSettings,
        sources: SourceCheck,
    ) -> None:
        self._txn = txn
        self._scope = scope
        self._now_seconds = now_seconds
        self._evidence = evidence
        self._sources = sources
        self._links = Links(txn, live_relations(txn), settings.edges_per_node)
        self._closure = Closure(self._links, self.usable, settings)
        self.opposed: dict[Ref, Opposed] = {}
        """By record that was closed over: what relations say against it, or against what it needs."""
        self.guarded: dict[Ref, tuple[Ref, ...]] = {}
        """By record that was closed over: guards and rules among what it needs."""

    @property
    def missing(self) -> Counter[str]:
        """Needs that were not met, by reason."""
        return self._closure.missing

    def usable(self, record_ids: Sequence[int]) -> list[Record | None]:
        """Records in order, None for those that may not be used at the cut: gone, out of scope, not valid now."""
        read = self._txn.records_by_id(record_ids, self._scope.cut)
        return [r if r is not None and not validity(r, self._now_seconds) else None for r in read]

    def successor(self, record_id: int, record: Record) -> Ref | None:
        """The end of the chain of records that supersede this one, or None. Of several the newest counts, then by ref.

        Where the chain leads out of what may be used, its last usable record, else the first of the others.
        """
        if self._links.none:
            return None
        last: Ref | None = None
        seen = {record_id}
        node: tuple[int, Record] | None = (record_id, record)
        while node is not None:
            ids = [i for i in self._links.of(node[0]).successors if i not in seen]
            seen.update(ids)
            found = [(i, r) for i, r in zip(ids, self.usable(ids), strict=True) if r is not None]
            node = min(found, key=lambda item: (-item[1].generation, item[1].ref), default=None)
            if node is not None:
                last = node[1].ref
            elif ids and last is None:
                last = self._txn.ref_of(ids[0])
        return last

    def closed(self, record_id: int, record: Record, needed: dict[int, Record], origin: str) -> Stands:
        """What the record needs, and what is to be shown beside it; the records are added to `needed`.

        Records of one `origin`, where it is not empty, share a bound.
        """
        freshness = self._sources(record)
        if self._links.none:
            return Stands(closure=SupportClosure.CLOSED, freshness=freshness)
        support = self._closure.of(record_id, origin)
        found = {i: self._closure.records[i] for i in (*support.requires, *support.opposers, *support.beside)}
        needed.update(found)
        opposers = tuple(found[i].ref for i in support.opposers)
        if opposers or support.opposers_unread or support.opposers_barred:
            self.opposed[record.ref] = Opposed(opposers, support.opposers_unread, support.opposers_barred)
        if support.limiting:
            self.guarded[record.ref] = tuple(found[i].ref for i in support.limiting)
        return Stands(
            requires=tuple(other.ref for other in found.values()),
            closure=support.closure,
            freshness=freshness,
            unmet=support.unmet,
            opposed_by=opposers,
        )

    def support(self, needed: Mapping[int, Record], ranked: frozenset[int]) -> list[Candidate]:
        """The needed records that are not ranked themselves, by ref, each closed over in turn."""
        wanted = {record_id: record for record_id, record in needed.items() if record_id not in ranked}
        self._evidence.weigh(wanted, {})
        return sorted((self._present(i, record, {}) for i, record in wanted.items()), key=lambda c: c.ref)

    def known(
        self, refs: Iterable[Ref], ranked: Mapping[Ref, Candidate], needed: dict[int, Record]
    ) -> tuple[list[Candidate], list[Ref]]:
        """The refs re-read at the cut, by ref, and those that never were. What they need is added to `needed`.

        A removed record comes with its last text; one that is not valid now, or of another namespace, is out of scope.
        """
        known: list[Candidate] = []
        missing: list[Ref] = []
        present: dict[int, Record] = {}
        for ref in sorted(set(refs)):
            held = ranked.get(ref)
            if held is not None and held.closure is not SupportClosure.NOT_REQUESTED:
                known.append(held)
                continue
            record, record_id = self._txn.record(ref), self._txn.record_id(ref)
            if record is None or record_id is None:
                missing.append(ref)
            elif record.removed:
                known.append(candidate(self._last_text(record), Stands(Standing.REMOVED, freshness=Freshness.STALE)))
            elif record.namespace not in self._scope.namespaces or validity(record, self._now_seconds):
                known.append(candidate(record, Stands(Standing.OUT_OF_SCOPE)))
            else:
                present[record_id] = record
        self._evidence.weigh(present, {})
        known += [self._present(record_id, record, needed) for record_id, record in present.items()]
        return sorted(known, key=lambda c: c.ref), missing

    def _present(self, record_id: int, record: Record, needed: dict[int, Record]) -> Candidate:
        stands = self.closed(record_id, record, needed, record.origin)
        successor = self.successor(record_id, record)
        if successor is not None:
            stands = replace(stands, standing=Standing.SUPERSEDED, successor=successor)
        return candidate(record, stands, self._evidence.relevance(record_id), self._evidence.features(record_id))

    def _last_text(self, tombstone: Record) -> Record:
        """The record as it was last, under the tombstone's generation; the tombstone where history was collected."""
        try:
            before = self._txn.record(tombstone.ref, Generation(tombstone.generation - 1))
        except CutExpired:
            return tombstone
        return tombstone if before is None else replace(before, generation=tombstone.generation, removed=True)
