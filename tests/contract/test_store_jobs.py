"""What every storage engine must do: working sets and answers, snapshots, jobs, tenants and its own life."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from retrieval.errors import BadField, ClaimLost, ReadOnlyStore, StoreUnavailable, UnknownRef
from retrieval.record import Edge, Name, NameKind
from retrieval.relations import Role
from retrieval.store.interface import Claim, Store, WriteTransaction
from tests.contract.store_room import (
    AGENT,
    CODE,
    NO_SET,
    OTHER_TENANT,
    TENANT,
    Open,
    a_record,
    generation,
    link,
    mark,
    put,
    save,
)
from workingset.vocabulary import AgentId, Digest, Epoch, Generation, Ref, TenantId, Turn

# --- vectors, working sets, receipts, answers, marks


def test_vectors_are_kept_by_model_and_digest(store: Store) -> None:
    def job(txn: WriteTransaction) -> None:
        txn.put_vector("m1", Digest("d"), b"\x00\x01")
        txn.put_vector("m2", Digest("d"), b"\x02\x03")
        txn.put_vector("m1", Digest("d"), b"\x04\x05")

    store.write(TENANT, job)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.vector("m1", Digest("d")) == b"\x04\x05"
        assert snapshot.vectors("m2", [Digest("e"), Digest("d")]) == [None, b"\x02\x03"]
    with store.snapshot(OTHER_TENANT) as snapshot:
        assert snapshot.vector("m1", Digest("d")) is None


def test_a_working_set_is_saved_under_the_claim_that_read_it(store: Store) -> None:
    first = save(store, NO_SET, Epoch(0), Turn(1), b"one")
    assert first == Claim(AGENT, Epoch(0), Turn(1), 1)
    second = save(store, first, Epoch(0), Turn(1), b"touched")
    assert second == Claim(AGENT, Epoch(0), Turn(1), 2)
    third = save(store, second, Epoch(1), Turn(2), b"")
    with store.snapshot(TENANT) as snapshot:
        stored = snapshot.working_set(AGENT)
        assert snapshot.working_set(AgentId("nobody")) is None
    assert stored is not None
    assert (stored.claim, stored.encoded) == (third, b"")


def test_a_claim_that_has_moved_on_is_lost(store: Store) -> None:
    first = save(store, NO_SET, Epoch(1), Turn(1), b"one")
    wrong = [
        NO_SET,
        replace(first, revision=2),
        replace(first, turn=Turn(2)),
        replace(first, epoch=Epoch(0)),
        Claim(AgentId("nobody"), Epoch(0), Turn(0), 1),
    ]
    for claim in wrong:
        with pytest.raises(ClaimLost):
            save(store, claim, Epoch(9), Turn(9), b"lost")
    with store.snapshot(TENANT) as snapshot:
        stored = snapshot.working_set(AGENT)
    assert stored is not None
    assert (stored.claim, stored.encoded) == (first, b"one")


def test_of_many_savers_of_one_claim_exactly_one_wins(store: Store) -> None:
    def won(saver: int) -> bool:
        try:
            save(store, NO_SET, Epoch(0), Turn(1), b"%d" % saver)
        except ClaimLost:
            return False
        return True

    with ThreadPoolExecutor(8) as savers:
        assert sum(savers.map(won, range(16))) == 1


def test_agents_are_listed_in_order(store: Store) -> None:
    for name in ("b", "a", "é", "a\x00"):
        save(store, Claim(AgentId(name), Epoch(0), Turn(0), 0), Epoch(0), Turn(0), b"")
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.agents(None, 9) == ["a", "a\x00", "b", "é"]
        assert snapshot.agents(AgentId("a"), 2) == ["a\x00", "b"]
        assert snapshot.agents(AgentId("a\x00\x00"), 1) == ["b"]
        assert snapshot.agents(AgentId("é"), 9) == []
        assert snapshot.agents(None, 0) == []


@pytest.mark.parametrize("agent", ["x" * 600, "\ud800"])
def test_an_agent_that_cannot_be_stored_is_named(store: Store, agent: str) -> None:
    claim = Claim(AgentId(agent), Epoch(0), Turn(0), 0)
    with pytest.raises(BadField) as caught:
        store.write(TENANT, lambda txn: txn.save_working_set(claim, Epoch(0), Turn(0), b""))
    assert caught.value.field == "agent"
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.working_set(AgentId(agent)) is None
        assert snapshot.receipt(AgentId(agent), Turn(1)) is None


def test_receipts_are_kept_by_agent_and_turn(store: Store) -> None:
    def job(txn: WriteTransaction) -> None:
        txn.put_receipt(AGENT, Turn(1), b"one")
        txn.put_receipt(AGENT, Turn(2), b"two")
        txn.put_receipt(AgentId("b"), Turn(1), b"b's")
        txn.put_receipt(AGENT, Turn(2), b"two again")

    store.write(TENANT, job)
    with store.snapshot(TENANT) as snapshot:
        receipts = [snapshot.receipt(AGENT, Turn(turn)) for turn in (-1, 0, 1, 2, 3)]
        assert receipts == [None, None, b"one", b"two again", None]
        assert snapshot.receipt(AgentId("b"), Turn(1)) == b"b's"


def test_only_the_newest_answers_of_an_agent_are_kept(store: Store) -> None:
    def answer(agent: str, request: str, encoded: bytes, keep: int) -> None:
        store.write(TENANT, lambda txn: txn.put_answer(AgentId(agent), request, encoded, keep))

    def kept(agent: str) -> list[bytes | None]:
        with store.snapshot(TENANT) as snapshot:
            return [snapshot.answered(AgentId(agent), f"r{i}") for i in range(5)]

    for i in range(3):
        answer("a", f"r{i}", b"%d" % i, 3)
    answer("b", "r0", b"b", 3)
    answer("a\x00", "r0", b"nul", 1)
    answer("a", "r0", b"again", 3)
    answer("a", "r3", b"3", 3)
    assert kept("a") == [b"again", None, b"2", b"3", None]
    answer("a", "r4", b"4", 1)
    assert kept("a") == [None, None, None, None, b"4"]
    assert (kept("b")[0], kept("a\x00")[0]) == (b"b", b"nul")
    answer("b", "r1", b"none is kept", 0)
    assert kept("b") == [None] * 5


def test_marks_are_named_values(store: Store) -> None:
    long = "m" * 1000
    for name, value in (("m", b"1"), ("m", b"2"), (long, b"")):
        mark(store, name, value)
    with store.snapshot(TENANT) as snapshot:
        assert (snapshot.mark("m"), snapshot.mark(long), snapshot.mark("no")) == (b"2", b"", None)


# --- snapshots, jobs, tenants, life cycle


def test_a_snapshot_sees_one_state_however_long_it_is_open(store: Store) -> None:
    put(store, a_record("code:a", "one"), a_record("code:b"))
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    with store.snapshot(TENANT) as snapshot:
        with ThreadPoolExecutor(1) as other:
            other.submit(put, store, a_record("code:a", "two"), a_record("code:c")).result()
            other.submit(store.write, TENANT, lambda txn: txn.remove_record(Ref("code:b"))).result()
        record = snapshot.record(Ref("code:a"))
        assert record is not None
        assert record.text == "one"
        assert snapshot.generation(CODE) == 2
        assert len(snapshot.edges_from(Ref("code:a"))) == 1
        assert snapshot.counts(CODE).records == 2
        assert snapshot.record_id(Ref("code:c")) is None
    assert generation(store) == 4


def test_a_job_reads_its_own_writes_and_others_do_not(store: Store) -> None:
    written, seen = threading.Event(), threading.Event()

    def job(txn: WriteTransaction) -> list[object]:
        txn.put_record(a_record("code:a", path="p", names=(Name(NameKind.SYMBOL, "a"),)))
        txn.put_record(a_record("code:b"))
        txn.put_edge(Edge(Ref("code:a"), "calls", Ref("code:b"), Role.ASSOCIATIVE))
        written.set()
        assert seen.wait(30)
        record_id = txn.record_id(Ref("code:a")) or 0
        return [
            txn.namespaces(),
            txn.find(CODE, NameKind.SYMBOL, "a", 9) == [record_id],
            len(txn.path_records(CODE, "p")),
            len(txn.neighbours(record_id, limit=9)),
            txn.counts(CODE).kinds,
            txn.relations(CODE),
            txn.generation(CODE),
            len(txn.changes(CODE, Generation(0), 9)),
        ]

    with ThreadPoolExecutor(1) as writer:
        running = writer.submit(store.write, TENANT, job)
        assert written.wait(30)
        with store.snapshot(TENANT) as snapshot:
            assert (snapshot.generation(CODE), snapshot.record(Ref("code:a"))) == (0, None)
        seen.set()
        calls = (("calls", Role.ASSOCIATIVE),)
        assert running.result() == [(CODE,), True, 1, 1, (("function", 2),), calls, 1, 2]


class _Regret(Exception):
    pass


def test_a_failing_job_leaves_no_trace_and_fails_alone(store: Store) -> None:
    def job(number: int) -> Callable[[WriteTransaction], int]:
        def run(txn: WriteTransaction) -> int:
            txn.put_record(a_record(f"code:{number}"))
            txn.put_mark(f"mark {number}", b"")
            if number % 3 == 0:
                raise _Regret(number)
            return number

        return run

    def attempt(number: int) -> int | str:
        try:
            return store.write(TENANT, job(number))
        except _Regret as regret:
            return f"regret {regret}"

    with ThreadPoolExecutor(16) as callers:
        outcomes = list(callers.map(attempt, range(60)))
    assert outcomes == [number if number % 3 else f"regret {number}" for number in range(60)]
    with store.snapshot(TENANT) as snapshot:
        for number in range(60):
            assert (snapshot.record(Ref(f"code:{number}")) is not None) == bool(number % 3)
            assert (snapshot.mark(f"mark {number}") is not None) == bool(number % 3)
        assert snapshot.generation(CODE) == 40
        assert snapshot.counts(CODE).records == 40
        assert len(snapshot.changes(CODE, Generation(0), 99)) == 40


def test_jobs_from_many_threads_each_raise_the_generation(store: Store) -> None:
    def write(number: int) -> Generation:
        return put(store, a_record(f"code:{number}"))

    with ThreadPoolExecutor(8) as callers:
        generations = list(callers.map(write, range(100)))
    assert sorted(generations) == list(range(1, 101))


def test_a_job_run_again_changes_nothing_more(store: Store) -> None:
    def job(txn: WriteTransaction) -> tuple[Generation, bool]:
        txn.put_record(a_record("code:a", names=(Name(NameKind.SYMBOL, "a"),), path="p"))
        at = txn.put_record(a_record("code:b"))
        return at, txn.put_edge(Edge(Ref("code:a"), "calls", Ref("code:b"), Role.ASSOCIATIVE))

    assert store.write(TENANT, job) == (1, True)
    assert store.write(TENANT, job) == (1, False)
    with store.snapshot(TENANT) as snapshot:
        assert (snapshot.generation(CODE), snapshot.counts(CODE).edges) == (1, 1)


def test_a_job_may_catch_a_refusal_and_go_on(store: Store) -> None:
    def job(txn: WriteTransaction) -> None:
        for bad in (a_record("code:\ud800"), a_record("late:x", text="\ud800"), a_record("code:" + "x" * 999)):
            with pytest.raises(BadField):
                txn.put_record(bad)
        with pytest.raises(UnknownRef):
            txn.put_edge(Edge(Ref("code:a"), "calls", Ref("code:no"), Role.ASSOCIATIVE))
        txn.put_record(a_record("code:a"))

    store.write(TENANT, job)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.namespaces() == (CODE,)
        assert snapshot.counts(CODE).records == 1


def test_tenants_cannot_see_each_other(store: Store) -> None:
    mine = a_record("code:a", "mine", path="p", names=(Name(NameKind.SYMBOL, "a"),))
    put(store, mine, a_record("code:b"))
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    save(store, NO_SET, Epoch(0), Turn(1), b"mine")
    mark(store, "m", b"")
    store.write(TENANT, lambda txn: txn.put_receipt(AGENT, Turn(1), b""))
    with store.snapshot(TENANT) as snapshot:
        cut, record_id = snapshot.cut([CODE]), snapshot.record_id(Ref("code:a")) or 0
    for tenant in (OTHER_TENANT, TenantId(""), TenantId("x" * 600), TenantId("\ud800"), TenantId("acm")):
        with store.snapshot(tenant) as snapshot:
            assert snapshot.tenant == tenant
            assert (snapshot.namespaces(), snapshot.generation(CODE)) == ((), 0)
            assert (snapshot.record(Ref("code:a")), snapshot.ref_of(record_id)) == (None, None)
            assert snapshot.records_by_id([record_id], cut) == [None]
            assert snapshot.find(CODE, NameKind.SYMBOL, "a", 9) == []
            assert snapshot.edges_from(Ref("code:a")) == []
            assert (snapshot.working_set(AGENT), snapshot.agents(None, 9)) == (None, [])
            assert (snapshot.mark("m"), snapshot.receipt(AGENT, Turn(1))) == (None, None)
    with pytest.raises(UnknownRef):
        store.write(
            OTHER_TENANT, lambda txn: txn.put_edge(Edge(Ref("code:a"), "calls", Ref("code:b"), Role.ASSOCIATIVE))
        )
    assert store.tenants() == (TENANT,)
    assert put(store, a_record("code:a", "theirs"), tenant=OTHER_TENANT) == 1
    assert store.tenants() == (TENANT, OTHER_TENANT)
    with store.snapshot(TENANT) as snapshot:
        record = snapshot.record(Ref("code:a"))
    assert record == replace(mine, generation=Generation(1))


def test_what_was_written_is_there_after_reopening(open_engine: Open) -> None:
    store = open_engine(False)
    put(store, a_record("code:a", path="p"), a_record("code:b"))
    link(store, "code:a", "refutes", "code:b", Role.OPPOSING)
    claim = save(store, NO_SET, Epoch(0), Turn(1), b"set")
    store.write(TENANT, lambda txn: txn.put_answer(AGENT, "r", b"answer", 1))
    assert store.bytes_used() > 0
    store.close()
    store = open_engine(False)
    assert put(store, a_record("code:c")) == 3
    with store.snapshot(TENANT) as snapshot:
        record = snapshot.record(Ref("code:a"))
        assert record == a_record("code:a", path="p", generation=Generation(1))
        assert [edge.edge.relation for edge in snapshot.edges_to(Ref("code:b"))] == ["refutes"]
        assert snapshot.relation_role("refutes") is Role.OPPOSING
        assert len({snapshot.record_id(Ref(f"code:{name}")) for name in "abc"}) == 3
        stored = snapshot.working_set(AGENT)
        assert stored is not None
        assert stored.claim == claim
        assert snapshot.answered(AGENT, "r") == b"answer"
        assert snapshot.counts(CODE).kinds == (("function", 3),)
    store.close()


def test_a_store_opened_for_reading_reads_and_refuses_to_write(open_engine: Open) -> None:
    writable = open_engine(False)
    assert not writable.read_only
    put(writable, a_record("code:a"))
    writable.close()
    store = open_engine(True)
    assert store.read_only
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.counts(CODE).records == 1
    with pytest.raises(ReadOnlyStore):
        put(store, a_record("code:b"))
    store.close()


def test_closing_finishes_queued_jobs_and_then_refuses(open_engine: Open) -> None:
    store = open_engine(False)
    running, release = threading.Event(), threading.Event()

    def slow(txn: WriteTransaction) -> Generation:
        running.set()
        assert release.wait(30)
        return txn.put_record(a_record("code:slow"))

    with ThreadPoolExecutor(1) as writer:
        first = writer.submit(store.write, TENANT, slow)
        assert running.wait(30)
        release.set()
        first.result()
        store.close()
    with pytest.raises(StoreUnavailable):
        put(store, a_record("code:b"))
    with pytest.raises(StoreUnavailable), store.snapshot(TENANT):
        pass
    with pytest.raises(StoreUnavailable):
        store.tenants()
    with pytest.raises(StoreUnavailable):
        store.bytes_used()
    store.close()
    again = open_engine(False)
    with again.snapshot(TENANT) as snapshot:
        assert snapshot.record(Ref("code:slow")) is not None
    again.close()
