"""What holds in every store at any time, asked through its interface."""

from __future__ import annotations

from retrieval.store.interface import Snapshot, Store
from workingset.vocabulary import Generation, Namespace

ALL = 10**6


def check_invariants(store: Store) -> None:
    """Assert that a store's counts, indexes and both directions of its edges agree with its records."""
    for tenant in store.tenants():
        with store.snapshot(tenant) as snapshot:
            for namespace in snapshot.namespaces():
                _check_records(snapshot, namespace)
                _check_edges(snapshot, namespace)


def _check_records(snapshot: Snapshot, namespace: Namespace) -> None:
    live = snapshot.list_records(namespace, 0, ALL).records
    counts = snapshot.counts(namespace)
    kinds = {record.kind for record in live}
    assert counts.records == len(live)
    assert dict(counts.kinds) == {kind: sum(record.kind == kind for record in live) for kind in kinds}
    last = {change.ref: change for change in snapshot.changes(namespace, Generation(0), ALL)}
    assert {ref for ref, change in last.items() if not change.removed} == {record.ref for record in live}
    for record in live:
        record_id = snapshot.record_id(record.ref)
        assert record_id is not None
        assert snapshot.ref_of(record_id) == record.ref
        assert snapshot.records_by_id([record_id], snapshot.cut([namespace])) == [record]
        assert 0 < record.generation <= counts.generation
        assert (last[record.ref].generation, last[record.ref].digest) == (record.generation, record.digest)
        assert not record.path or record in snapshot.path_records(namespace, record.path)
        assert not record.path or record.path in dict(snapshot.paths(namespace, record.source))
        for name in record.names:
            assert record_id in snapshot.find(namespace, name.kind, name.text, ALL)
            assert (name.text, record_id) in snapshot.find_prefix(namespace, name.kind, name.text, ALL)


def _check_edges(snapshot: Snapshot, namespace: Namespace) -> None:
    found = 0
    for change in snapshot.changes(namespace, Generation(0), ALL):
        record = snapshot.record(change.ref)
        outgoing, incoming = snapshot.edges_from(change.ref, limit=ALL), snapshot.edges_to(change.ref, limit=ALL)
        neighbours = snapshot.neighbours(change.record_id, limit=ALL)
        assert len(neighbours) == len(outgoing) + len(incoming)
        if record is None or record.removed:
            assert not neighbours
        if record is None or record.generation == change.generation:
            found += len(outgoing)
        for stored in outgoing:
            assert stored in snapshot.edges_to(stored.edge.target, limit=ALL)
            assert (snapshot.record_id(stored.edge.target), stored.edge.relation, True) in neighbours
    assert snapshot.counts(namespace).edges == found
