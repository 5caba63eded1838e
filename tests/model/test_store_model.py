"""The LMDB engine against the naive engine: the same jobs, alone or in batches, give the same answers ever after."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from retrieval.errors import CutExpired, RetrievalError
from retrieval.record import Edge, Name, NameKind, Record
from retrieval.relations import Role
from retrieval.store.collecting import collect
from retrieval.store.interface import Claim, Collected, Snapshot, Store, WriteTransaction
from retrieval.store.lmdb import LmdbSettings, LmdbStore, open_store
from retrieval.store.purging import finish_all_purges
from tests.contract.store_invariants import check_invariants
from tests.model.memory_store import MemoryDisk, MemoryStore
from workingset.vocabulary import AgentId, Cut, Digest, Epoch, Generation, Lines, Namespace, Ref, TenantId, Turn

TENANTS = [TenantId("t"), TenantId("t2")]
NAMESPACES = [Namespace("n"), Namespace("m"), Namespace("")]
LOCALS = ["a", "b", "a\x00", "x" * 503, "é:1"]
REFS = [Ref(f"{namespace}:{local}") for namespace in NAMESPACES for local in LOCALS]
NAMES = ["p", "p/q", "p\x00", "y" * 399 + "\x00", "y" * 400, "y" * 400 + "b", "y" * 400 + "a"]
RELATIONS = [("calls", Role.ASSOCIATIVE), ("depends_on", Role.MANDATORY), ("own", Role.OPPOSING)]
AGENTS = [AgentId("g"), AgentId("g\x00"), AgentId("h")]
GROWING = LmdbSettings(
    map_bytes=2**18,
    least_map_bytes=2**18,
    grow_ahead_share=1.0,
    compress_above_bytes=600,
    grow_patience_seconds=30,
    purge_rows=7,
)

refs = st.sampled_from(REFS)
texts = st.sampled_from(["one", "two", "three " * 300])
names = st.lists(st.builds(Name, st.sampled_from(NameKind), st.sampled_from(NAMES)), max_size=3).map(tuple)


@st.composite
def records(draw: st.DrawFn) -> Record:
    ref, text = draw(refs), draw(texts)
    return Record(
        ref,
        Namespace(ref.partition(":")[0]),
        draw(st.sampled_from(["function", "class", "k" * 500])),
        "title",
        text,
        text[:9],
        text[:3],
        Digest(text[:5]),
        path=draw(st.sampled_from(["", *NAMES])),
        lines=draw(st.sampled_from([None, Lines(1, 1), Lines(2, 9)])),
        source=draw(st.sampled_from(["s", "s2"])),
        source_digest=draw(st.sampled_from([Digest("d"), Digest("e")])),
        names=draw(names),
    )


class Regret(Exception):
    """What a job raises on purpose."""


@dataclass(frozen=True)
class Put:
    record: Record

    def run(self, txn: WriteTransaction) -> object:
        return txn.put_record(self.record)


@dataclass(frozen=True)
class Remove:
    ref: Ref

    def run(self, txn: WriteTransaction) -> object:
        return txn.remove_record(self.ref)


@dataclass(frozen=True)
class Link:
    source: Ref
    relation: tuple[str, Role]
    target: Ref
    best_effort: bool

    def run(self, txn: WriteTransaction) -> object:
        return txn.put_edge(Edge(self.source, *self._middle(), self.best_effort))

    def _middle(self) -> tuple[str, Ref, Role]:
        return self.relation[0], self.target, self.relation[1]


@dataclass(frozen=True)
class Unlink:
    source: Ref
    relation: tuple[str, Role]
    target: Ref

    def run(self, txn: WriteTransaction) -> object:
        return txn.remove_edge(self.source, self.relation[0], self.target)


@dataclass(frozen=True)
class Save:
    agent: AgentId
    epoch: int
    stale: bool

    def run(self, txn: WriteTransaction) -> object:
        stored = txn.working_set(self.agent)
        claim = Claim(self.agent, Epoch(0), Turn(0), 0) if stored is None or self.stale else stored.claim
        return txn.save_working_set(claim, Epoch(self.epoch), Turn(claim.turn + 1), b"set")


@dataclass(frozen=True)
class Answer:
    agent: AgentId
    request: str
    keep: int

    def run(self, txn: WriteTransaction) -> object:
        txn.put_answer(self.agent, self.request, self.request.encode(), self.keep)
        txn.put_receipt(self.agent, Turn(self.keep), b"receipt")
        txn.put_retained(self.agent, Turn(self.keep), b"inputs", self.keep)
        txn.put_mark(self.request, b"mark")
        kept = txn.put_mark(self.request, b"of n", NAMESPACES[0])
        txn.put_vector("model", Digest(self.request), b"vector")
        return txn.answered(self.agent, "r0"), kept


@dataclass(frozen=True)
class Forget:
    agent: AgentId

    def run(self, txn: WriteTransaction) -> object:
        return txn.forget_agent(self.agent)


@dataclass(frozen=True)
class Purge:
    """How far it comes in one step is an engine's own affair; what is seen afterwards is not."""

    namespace: Namespace

    def run(self, txn: WriteTransaction) -> object:
        txn.purge_namespace(self.namespace)
        return txn.namespaces()


@dataclass(frozen=True)
class PurgeFurther:
    def run(self, txn: WriteTransaction) -> object:
        txn.purge_further()
        return txn.namespaces()


@dataclass(frozen=True)
class Fail:
    def run(self, txn: WriteTransaction) -> object:
        raise Regret


edges = st.sampled_from(RELATIONS)
operations = st.one_of(
    st.builds(Put, records()),
    st.builds(Put, records()),
    st.builds(Remove, refs),
    st.builds(Link, refs, edges, refs, st.booleans()),
    st.builds(Link, refs, edges, refs, st.booleans()),
    st.builds(Unlink, refs, edges, refs),
    st.builds(Save, st.sampled_from(AGENTS), st.integers(0, 2), st.booleans()),
    st.builds(Answer, st.sampled_from(AGENTS), st.sampled_from(["r0", "r1", "r2"]), st.integers(0, 2)),
    st.builds(Forget, st.sampled_from(AGENTS)),
    st.builds(Purge, st.sampled_from(NAMESPACES)),
    st.just(PurgeFurther()),
    st.just(Fail()),
)
Operations = list[Any]
jobs = st.tuples(st.sampled_from(TENANTS), st.lists(operations, min_size=1, max_size=8))


def job_of(operations: Operations) -> Callable[[WriteTransaction], object]:
    """A job that runs operations; refusals of the store are among its results, a Regret ends it."""

    def attempt(operation: Any, txn: WriteTransaction) -> object:
        try:
            return operation.run(txn)
        except RetrievalError as refusal:
            return type(refusal)

    return lambda txn: [attempt(operation, txn) for operation in operations]


def outcome(store: Store, tenant: TenantId, operations: Operations) -> object:
    try:
        return store.write(tenant, job_of(operations))
    except Regret:
        return Regret


def asked(read: Callable[..., object], *what: object, **how: object) -> object:
    """What a read gives, or that its cut is expired."""
    try:
        return read(*what, **how)
    except CutExpired:
        return CutExpired


def everything(snapshot: Snapshot) -> dict[str, object]:
    """All that a snapshot can be asked about the small world of this test."""
    seen: dict[str, object] = {"namespaces": snapshot.namespaces(), "agents": snapshot.agents(None, 9)}
    newest = max(snapshot.generation(namespace) for namespace in NAMESPACES)
    generations = [None, *(Generation(at) for at in range(newest + 1))]
    ids = [known for ref in REFS if (known := snapshot.record_id(ref)) is not None]
    for ref in REFS:
        for at in generations:
            seen[f"{ref!r} at {at}"] = (
                asked(snapshot.record, ref, at),
                asked(snapshot.edges_from, ref, at),
                asked(snapshot.edges_to, ref, at, limit=2),
            )
    for record_id in ids:
        seen[f"id {record_id}"] = (
            snapshot.ref_of(record_id),
            snapshot.neighbours(record_id, limit=99),
            snapshot.neighbours(record_id, limit=3),
            snapshot.lost_needs(record_id, limit=9),
            snapshot.lost_needs(record_id, limit=1),
        )
    for generation in range(newest + 1):
        cut = Cut.of({NAMESPACES[0]: Generation(generation), NAMESPACES[1]: Generation(1)})
        seen[f"cut {generation}"] = asked(snapshot.records_by_id, [*ids, 99], cut)
    for namespace in NAMESPACES:
        seen[f"in {namespace!r}"] = (
            snapshot.counts(namespace),
            snapshot.incarnation(namespace),
            snapshot.horizon(namespace),
            snapshot.mark("r0", namespace),
            snapshot.relations(namespace),
            snapshot.changes(namespace, Generation(0), 99),
            [snapshot.changes(namespace, Generation(after), 3) for after in range(3)],
            snapshot.changes_page(namespace, (Generation(1), 2), 3),
            snapshot.list_records(namespace, 0, 2, kind="class"),
            snapshot.list_records(namespace, 1, 99, path_prefix="p"),
            [list(snapshot.paths(namespace, source)) for source in ("s", "s2")],
            [snapshot.path_records(namespace, name) for name in NAMES],
            [snapshot.find(namespace, kind, name, 9) for kind in NameKind for name in NAMES],
            [snapshot.find_prefix(namespace, kind, p, 3) for kind in NameKind for p in ("", "p", "y" * 300, NAMES[5])],
        )
    for agent in AGENTS:
        seen[f"agent {agent!r}"] = (
            snapshot.working_set(agent),
            [snapshot.receipt(agent, Turn(turn)) for turn in range(3)],
            [snapshot.retained(agent, Turn(turn)) for turn in snapshot.retained_turns(agent)],
            [snapshot.answered(agent, request) for request in ("r0", "r1", "r2")],
            dict(snapshot.traces_of_agent(agent).places)["answers"],
        )
    seen["rest"] = (
        snapshot.relation_role("own"),
        snapshot.has_lost_needs(),
        snapshot.vectors("model", [Digest("r0"), Digest("r1")]),
        [snapshot.mark(name) for name in ("r0", "r1")],
    )
    return seen


class StoreMachine(RuleBasedStateMachine):
    """Runs jobs on both engines and compares all they can be asked."""

    @initialize()
    def open(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.model = MemoryStore(MemoryDisk())
        self.store = self._open()

    @rule(job=jobs)
    def write(self, job: tuple[TenantId, Operations]) -> None:
        assert outcome(self.store, *job) == outcome(self.model, *job)
        self._compare(job[0])

    @rule(batch=st.lists(jobs, min_size=2, max_size=4))
    def write_together(self, batch: list[tuple[TenantId, Operations]]) -> None:
        """The jobs wait behind one that is running, so they share a commit; they may run more than once."""
        order: list[int] = []
        running, release = threading.Event(), threading.Event()

        def block(_: WriteTransaction) -> bool:
            running.set()
            return release.wait(30)

        def numbered(number: int, run: Callable[[WriteTransaction], object], txn: WriteTransaction) -> object:
            order.append(number)
            return run(txn)

        def submitted(number: int, tenant: TenantId, operations: Operations) -> object:
            try:
                return self.store.write(tenant, lambda txn: numbered(number, job_of(operations), txn))
            except Regret:
                return Regret

        with ThreadPoolExecutor(len(batch) + 1) as callers:
            first: Future[bool] = callers.submit(self.store.write, TENANTS[0], block)
            assert running.wait(30)
            waiting = [callers.submit(submitted, number, *job) for number, job in enumerate(batch)]
            deadline = time.monotonic() + 30
            while self.store.jobs_waiting() < len(batch) and time.monotonic() < deadline:
                time.sleep(0)
            release.set()
            assert first.result()
            outcomes = [job.result() for job in waiting]
        last_run = sorted(range(len(batch)), key=lambda number: len(order) - order[::-1].index(number))
        for number in last_run:
            assert outcomes[number] == outcome(self.model, *batch[number])
        self._compare(batch[0][0])

    @rule(tenant=st.sampled_from(TENANTS), namespace=st.sampled_from(NAMESPACES), back=st.integers(0, 3))
    def collect(self, tenant: TenantId, namespace: Namespace, back: int) -> None:
        """In as many steps as it takes: how far one comes is an engine's own affair."""
        with self.store.snapshot(tenant) as snapshot:
            before = Generation(max(0, snapshot.generation(namespace) - back))
            expected = snapshot.would_collect(namespace, before)
        done = collect(self.store, tenant, namespace, before)
        assert done == collect(self.model, tenant, namespace, before) == expected
        self._compare(tenant)
        assert collect(self.store, tenant, namespace, before) == Collected()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self._open()
        self._compare(*TENANTS)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self._compare(*TENANTS)
            check_invariants(self.store)
            self._check_traces()
            self.store.close()
            self.directory.cleanup()

    def _check_traces(self) -> None:
        """Of what was purged nothing is left once the purges are finished; vectors here belong to no record."""
        done = finish_all_purges(self.store)
        assert not done.left
        self._compare(*TENANTS)
        for tenant in TENANTS:
            with self.store.snapshot(tenant) as snapshot:
                for namespace in {*NAMESPACES, Namespace("never")} - {*snapshot.namespaces()}:
                    found = dict(snapshot.traces_of_namespace(namespace).found)
                    assert not found.keys() - {"vectors"}, found

    def _compare(self, *tenants: TenantId) -> None:
        assert self.store.tenants() == self.model.tenants()
        for tenant in tenants:
            with self.store.snapshot(tenant) as real, self.model.snapshot(tenant) as model:
                said, expected = everything(real), everything(model)
            assert said == expected, {key: (said[key], expected[key]) for key in said if said[key] != expected[key]}

    def _open(self) -> LmdbStore:
        return open_store(Path(self.directory.name), GROWING)


StoreMachine.TestCase.settings = settings(
    max_examples=20, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestStore = StoreMachine.TestCase
