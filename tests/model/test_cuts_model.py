"""Cuts against a plain model: what was seen at each generation when it was the newest is seen there for ever, or not.

The model keeps a copy of everything visible after every commit. Collections go in steps of a few rows, with writes and
reopenings between them: a cut at or above the horizon is as it was, one below is expired, and nothing else ever.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from retrieval.errors import CutExpired
from retrieval.record import Edge, Record
from retrieval.relations import Role
from retrieval.store.collecting import finish_collections
from retrieval.store.interface import Snapshot, WriteTransaction
from retrieval.store.lmdb import LmdbSettings, open_store
from retrieval.store.purging import finish_all_purges
from tests.contract.store_invariants import check_invariants
from workingset.vocabulary import Cut, Digest, Generation, Namespace, Ref, TenantId

TENANT = TenantId("t")
NAMESPACES = [Namespace("n"), Namespace("m")]
REFS = [Ref(f"{namespace}:{local}") for namespace in NAMESPACES for local in "abc"]
RELATIONS = [("calls", Role.ASSOCIATIVE), ("depends_on", Role.MANDATORY)]
SMALL_STEPS = LmdbSettings(map_bytes=2**22, purge_rows=3)

Seen = dict[Ref, tuple[str, bool, frozenset[tuple[str, str, str]]]]
"""By ref of a namespace: text, whether it was removed, edges at it both ways."""

refs = st.sampled_from(REFS)
relations = st.sampled_from(RELATIONS)


@dataclass
class Model:
    """What was visible at each generation of a namespace, and the oldest that may still be asked for."""

    seen: dict[Namespace, dict[int, Seen]] = field(default_factory=lambda: {each: {0: {}} for each in NAMESPACES})
    horizon: dict[Namespace, int] = field(default_factory=lambda: dict.fromkeys(NAMESPACES, 0))


def space_of(ref: Ref) -> Namespace:
    return Namespace(ref.partition(":")[0])


def visible(snapshot: Snapshot, namespace: Namespace, at: Generation | None) -> Seen:
    found: Seen = {}
    for ref in REFS:
        record = snapshot.record(ref, at) if space_of(ref) == namespace else None
        if record is not None:
            edges = [*snapshot.edges_from(ref, at), *snapshot.edges_to(ref, at)]
            ends = frozenset((e.edge.source, e.edge.relation, e.edge.target) for e in edges)
            found[ref] = (record.text, record.removed, ends)
    return found


class CutsMachine(RuleBasedStateMachine):
    """Writes, collections in steps, reopenings; every generation that there ever was is asked for again."""

    @initialize()
    def open(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.model = Model()
        self.store = open_store(Path(self.directory.name), SMALL_STEPS)

    @rule(ref=refs, text=st.sampled_from(["one", "two", "three"]))
    def write(self, ref: Ref, text: str) -> None:
        record = Record(ref, space_of(ref), "note", "title", text, text, text, Digest(text))
        self.store.write(TENANT, lambda txn: txn.put_record(record))
        self._remember()

    @rule(ref=refs)
    def remove(self, ref: Ref) -> None:
        self.store.write(TENANT, lambda txn: txn.remove_record(ref))
        self._remember()

    @rule(source=refs, relation=relations, end=refs)
    def link(self, source: Ref, relation: tuple[str, Role], end: Ref) -> None:
        edge = Edge(source, relation[0], end, relation[1])
        self.store.write(TENANT, lambda txn: txn.put_edges([edge]))
        self._remember()

    @rule(source=refs, relation=relations, end=refs)
    def unlink(self, source: Ref, relation: tuple[str, Role], end: Ref) -> None:
        self.store.write(TENANT, lambda txn: txn.remove_edge(source, relation[0], end))
        self._remember()

    @rule(namespace=st.sampled_from(NAMESPACES), back=st.integers(0, 6))
    def collect(self, namespace: Namespace, back: int) -> None:
        """One step of it."""

        def job(txn: WriteTransaction) -> int:
            before = Generation(max(0, txn.generation(namespace) - back))
            txn.collect_history(namespace, before)
            return before

        asked = self.store.write(TENANT, job)
        self.model.horizon[namespace] = max(asked, self.model.horizon[namespace])

    @rule()
    def collect_further(self) -> None:
        self.store.write(TENANT, lambda txn: txn.collect_further())

    @rule(namespace=st.sampled_from(NAMESPACES))
    def purge(self, namespace: Namespace) -> None:
        """The namespace begins again above all its generations; what was below them is not told from nothing."""
        self.store.write(TENANT, lambda txn: txn.purge_namespace(namespace))
        self.store.write(TENANT, lambda txn: txn.purge_further())
        self.model.horizon[namespace] = 0
        for each in NAMESPACES:  # the edges of others to it are gone at every generation
            self.model.seen[each] = {} if each == namespace else without(self.model.seen[each], namespace)
        self._remember()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(Path(self.directory.name), SMALL_STEPS)

    @invariant()
    def every_cut_is_as_it_was_or_expired(self) -> None:
        if not hasattr(self, "store"):
            return
        with self.store.snapshot(TENANT) as snapshot:
            for namespace in NAMESPACES:
                self._check(snapshot, namespace)

    def _check(self, snapshot: Snapshot, namespace: Namespace) -> None:
        known = {ref for ref in REFS if space_of(ref) == namespace and snapshot.record_id(ref) is not None}
        horizon = self.model.horizon[namespace]
        if namespace in snapshot.namespaces():
            assert snapshot.horizon(namespace) == horizon
        for at, seen in self.model.seen[namespace].items():
            if at >= horizon:
                assert visible(snapshot, namespace, Generation(at)) == seen, (namespace, at)
                continue
            for ref in known:
                with pytest.raises(CutExpired):
                    snapshot.record(ref, Generation(at))
                with pytest.raises(CutExpired):
                    snapshot.edges_from(ref, Generation(at))
                with pytest.raises(CutExpired):
                    snapshot.records_by_id([1], Cut.of({namespace: Generation(at)}))

    def _remember(self) -> None:
        with self.store.snapshot(TENANT) as snapshot:
            for namespace in NAMESPACES:
                seen = visible(snapshot, namespace, None)
                self.model.seen[namespace].setdefault(int(snapshot.generation(namespace)), seen)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            finish_all_purges(self.store)
            finish_collections(self.store, TENANT)
            self.every_cut_is_as_it_was_or_expired()
            check_invariants(self.store)
            self._check_nothing_is_left()
            self.store.close()
            self.directory.cleanup()

    def _check_nothing_is_left(self) -> None:
        """Collected to the newest everywhere, a store holds no ended edge and one version of each record."""
        with self.store.snapshot(TENANT) as snapshot:
            spaces = snapshot.namespaces()
        for namespace in spaces:
            self.store.write(TENANT, lambda txn, of=namespace: txn.collect_history(of, txn.generation(of)))  # type: ignore[misc]
            finish_collections(self.store, TENANT)
        with self.store.snapshot(TENANT) as snapshot:
            for namespace in spaces:
                left = dict(snapshot.traces_of_namespace(namespace).places)
                assert (left["past_edges"], left["records"]) == (0, left["refs"])


def without(seen: dict[int, Seen], purged: Namespace) -> dict[int, Seen]:
    """What is seen of a namespace once the edges to another are gone."""
    return {
        at: {
            ref: (
                text,
                removed,
                frozenset(e for e in edges if purged not in (space_of(Ref(e[0])), space_of(Ref(e[2])))),
            )
            for ref, (text, removed, edges) in refs.items()
        }
        for at, refs in seen.items()
    }


CutsMachine.TestCase.settings = settings(
    max_examples=30, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestCuts = CutsMachine.TestCase


def test_the_model_would_see_a_wrong_text(tmp_path: Path) -> None:
    """The check itself: a store whose old version is another one is found out."""
    machine = CutsMachine()
    machine.open()
    machine.write(REFS[0], "one")
    machine.write(REFS[0], "two")
    machine.model.seen[NAMESPACES[0]][1][REFS[0]] = ("two", False, frozenset())
    with pytest.raises(AssertionError):
        machine.every_cut_is_as_it_was_or_expired()
    machine.model = Model()
    machine.store.close()
    machine.store = open_store(tmp_path, SMALL_STEPS)
    machine.teardown()
