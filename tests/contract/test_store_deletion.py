"""What every storage engine must do: agents forgotten and namespaces purged, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from retrieval.errors import ClaimLost
from retrieval.record import Edge, Name, NameKind
from retrieval.relations import Role
from retrieval.store.interface import Claim, Forgotten, Purged, Store, WriteTransaction
from retrieval.store.purging import finish_all_purges, purge
from retrieval.text.embedding import embedding_digest, embedding_text
from tests.contract.store_invariants import check_invariants
from tests.contract.store_room import (
    AGENT,
    CODE,
    NO_SET,
    NOTES,
    OTHER_TENANT,
    TENANT,
    Open,
    a_record,
    generation,
    link,
    put,
    save,
)
from workingset.vocabulary import AgentId, Cut, Digest, Epoch, Generation, Lines, Namespace, Ref, TenantId, Turn

NEIGHBOURS = [AgentId("agent-1\x00"), AgentId("agent-10"), AgentId("agent-"), AgentId("agent-1" + "x" * 600)]
CALLS = Role.ASSOCIATIVE


def work_of(agent: AgentId, *, with_set: bool = True) -> Callable[[WriteTransaction], None]:
    def job(txn: WriteTransaction) -> None:
        if with_set:
            txn.save_working_set(Claim(agent, Epoch(0), Turn(0), 0), Epoch(2), Turn(3), b"set")
        for turn in range(4):
            txn.put_receipt(agent, Turn(turn), b"receipt")
            txn.put_retained(agent, Turn(turn), b"inputs", 3)
            txn.put_answer(agent, f"focus:{turn}", b"answer", 3)

    return job


def traces_of_agent(store: Store, agent: AgentId = AGENT, tenant: TenantId = TENANT) -> dict[str, int]:
    with store.snapshot(tenant) as snapshot:
        return dict(snapshot.traces_of_agent(agent).places)


def traces_of(store: Store, namespace: Namespace, tenant: TenantId = TENANT) -> dict[str, int]:
    with store.snapshot(tenant) as snapshot:
        return dict(snapshot.traces_of_namespace(namespace).places)


# --- agents


def test_a_forgotten_agent_leaves_nothing_and_others_keep_all(store: Store) -> None:
    store.write(TENANT, work_of(AGENT))
    store.write(OTHER_TENANT, work_of(AGENT))
    for other in NEIGHBOURS:
        store.write(TENANT, work_of(other, with_set=len(other) < 500))
    kept = {other: traces_of_agent(store, other) for other in NEIGHBOURS}
    assert all(traces_of_agent(store).values())

    assert store.write(TENANT, lambda txn: txn.forget_agent(AGENT)) == Forgotten(
        sets=1, receipts=4, answers=3, retained=3
    )

    assert not any(traces_of_agent(store).values())
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.working_set(AGENT) is None
        assert AGENT not in snapshot.agents(None, 99)
        assert [snapshot.receipt(AGENT, Turn(turn)) for turn in range(4)] == [None] * 4
        assert [snapshot.answered(AGENT, f"focus:{turn}") for turn in range(4)] == [None] * 4
        assert snapshot.retained_turns(AGENT) == ()
    assert {other: traces_of_agent(store, other) for other in NEIGHBOURS} == kept
    assert all(traces_of_agent(store, tenant=OTHER_TENANT).values())
    assert store.write(TENANT, lambda txn: txn.forget_agent(AGENT)) == Forgotten()


@pytest.mark.parametrize("agent", ["nobody", "", "\ud800", "x" * 600])
def test_forgetting_who_was_never_there_does_nothing(store: Store, agent: str) -> None:
    assert store.write(TENANT, lambda txn: txn.forget_agent(AgentId(agent))) == Forgotten()
    assert store.tenants() == ()
    assert not any(traces_of_agent(store, AgentId(agent)).values())


def test_no_claim_from_before_can_bring_a_forgotten_set_back(store: Store) -> None:
    claims = [save(store, NO_SET, Epoch(0), Turn(1), b"one")]
    claims.append(save(store, claims[0], Epoch(0), Turn(1), b"touched"))
    store.write(TENANT, lambda txn: txn.forget_agent(AGENT))
    for claim in claims:
        with pytest.raises(ClaimLost):
            save(store, claim, Epoch(0), Turn(2), b"late")

    fresh = save(store, NO_SET, Epoch(0), Turn(1), b"anew")

    assert fresh.revision > max(claim.revision for claim in claims)
    for claim in claims:
        with pytest.raises(ClaimLost):
            save(store, claim, Epoch(0), Turn(2), b"late")
    assert save(store, fresh, Epoch(0), Turn(2), b"on").revision == fresh.revision + 1
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.agents(None, 9) == [AGENT]
        assert snapshot.answered(AGENT, "focus:1") is None


def test_a_set_is_dropped_by_its_claim_and_nothing_else_of_its_agent(store: Store) -> None:
    store.write(TENANT, work_of(AGENT))
    with store.snapshot(TENANT) as snapshot:
        stored = snapshot.working_set(AGENT)
    assert stored is not None
    late = replace(stored.claim, revision=stored.claim.revision - 1)
    for lost in (late, NO_SET):
        with pytest.raises(ClaimLost):
            store.write(TENANT, lambda txn, lost=lost: txn.drop_working_set(lost))

    store.write(TENANT, lambda txn: txn.drop_working_set(stored.claim))

    with store.snapshot(TENANT) as snapshot:
        assert snapshot.working_set(AGENT) is None
        assert snapshot.agents(None, 9) == []
        assert snapshot.answered(AGENT, "focus:1") == b"answer"
    with pytest.raises(ClaimLost):
        save(store, stored.claim, Epoch(0), Turn(9), b"late")
    assert save(store, NO_SET, Epoch(0), Turn(1), b"anew").revision > stored.claim.revision


def test_answers_are_counted_anew_after_forgetting(store: Store) -> None:
    store.write(TENANT, work_of(AGENT))
    store.write(TENANT, lambda txn: txn.forget_agent(AGENT))
    store.write(TENANT, work_of(AGENT))
    with store.snapshot(TENANT) as snapshot:
        assert [snapshot.answered(AGENT, f"focus:{turn}") for turn in range(4)] == [None, *[b"answer"] * 3]


def test_an_agent_and_its_namespace_go_in_one_job_or_not_at_all(store: Store) -> None:
    store.write(TENANT, work_of(AGENT))
    put(store, a_record("notes:n"))

    def job(txn: WriteTransaction) -> None:
        txn.forget_agent(AGENT)
        txn.purge_namespace(NOTES)
        assert (txn.working_set(AGENT), txn.namespaces()) == (None, ())
        raise KeyError

    with pytest.raises(KeyError):
        store.write(TENANT, job)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.working_set(AGENT) is not None
        assert snapshot.namespaces() == (NOTES,)
    assert traces_of(store, NOTES)["changes"] == 1


# --- namespaces


def vector_of(text: str, title: str = "a title", path: str = "") -> Digest:
    return embedding_digest(embedding_text(a_record("notes:any", text, title=title, path=path)))


def fill(store: Store) -> None:
    """A row in every table that can hold one of `notes`, beside a namespace that is linked to it both ways."""
    long = "x" * 700
    names = (Name(NameKind.SYMBOL, "n"), Name(NameKind.PATH, long))
    put(store, a_record("code:f"), a_record("code:g"))
    for text in ("one", "two"):
        put(store, a_record("notes:a", text, path="a.md", lines=Lines(1, 2), names=names, source_digest=Digest("d")))
    put(store, a_record("notes:b", path=long), a_record("notes:gone"), a_record("notes:loner", kind="turn"))
    for source, target in (("notes:a", "notes:b"), ("notes:a", "code:f"), ("code:g", "notes:a"), ("code:g", "code:f")):
        link(store, source, "mentions", target, CALLS)
        link(store, source, "refutes", target, Role.OPPOSING)
    link(store, "notes:gone", "mentions", "code:f", CALLS)
    link(store, "code:f", "mentions", "notes:gone", CALLS)
    link(store, "code:g", "depends_on", "notes:gone", Role.MANDATORY)
    store.write(TENANT, lambda txn: txn.remove_record(Ref("notes:gone")))
    store.write(TENANT, lambda txn: txn.collect_history(NOTES, Generation(1)))
    for source, target in (("notes:a", "notes:b"), ("notes:a", "code:f"), ("code:g", "notes:a")):
        store.write(TENANT, lambda txn, s=source, t=target: txn.remove_edge(Ref(s), "mentions", Ref(t)))  # type: ignore[misc]

    def job(txn: WriteTransaction) -> None:
        for model in ("m1", "m2"):
            for digest in (vector_of("one", path="a.md"), vector_of("two", path="a.md"), vector_of("only in code")):
                txn.put_vector(model, digest, b"vector")
        txn.put_mark("index", b"here", NOTES)
        txn.put_mark("index", b"there", CODE)
        txn.put_mark("index", b"everywhere")

    store.write(TENANT, job)
    put(store, a_record("code:f", "only in code"))


def test_a_purged_namespace_leaves_nothing_and_others_keep_all(store: Store) -> None:
    fill(store)
    put(store, a_record("notes:a"), tenant=OTHER_TENANT)
    before = traces_of(store, NOTES)
    assert {place for place, rows in before.items() if not rows} <= {"purged", "vectors"}

    done = purge(store, TENANT, NOTES)

    assert done == Purged(
        records=4, versions=6, edges=3, past_edges=6, names=2, changes=6, vectors=4, marks=1, left=False
    )
    assert not any(traces_of(store, NOTES).values())
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.namespaces() == (CODE,)
        assert (snapshot.generation(NOTES), snapshot.incarnation(NOTES)) == (0, 0)
        assert [snapshot.record(Ref(f"notes:{local}")) for local in ("a", "b", "gone")] == [None] * 3
        assert snapshot.counts(NOTES).records == 0
        assert snapshot.mark("index", NOTES) is None
        assert (snapshot.mark("index", CODE), snapshot.mark("index")) == (b"there", b"everywhere")
        assert snapshot.vector("m1", vector_of("only in code")) == b"vector"
        code_f = snapshot.record(Ref("code:f"))
        assert code_f is not None
        assert code_f.text == "only in code"
    with store.snapshot(OTHER_TENANT) as snapshot:
        assert snapshot.record(Ref("notes:a")) is not None
    assert purge(store, TENANT, NOTES) == Purged()


def test_edges_of_others_lose_the_purged_end_and_say_so_by_a_generation(store: Store) -> None:
    fill(store)
    before = generation(store)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.counts(CODE).edges == 3
    purge(store, TENANT, NOTES)
    assert generation(store) == before + 1
    with store.snapshot(TENANT) as snapshot:
        assert [edge.edge.target for edge in snapshot.edges_from(Ref("code:g"))] == ["code:f", "code:f"]
        assert [edge.edge.source for edge in snapshot.edges_to(Ref("code:f"))] == ["code:g", "code:g"]
        assert snapshot.edges_from(Ref("code:f"), Generation(before)) == []
        assert snapshot.counts(CODE).edges == 2
        assert snapshot.relations(CODE) == (("mentions", CALLS), ("refutes", Role.OPPOSING))
        f = snapshot.record_id(Ref("code:f")) or 0
        assert [relation for _, relation, _ in snapshot.neighbours(f, limit=9)] == ["mentions", "refutes"]


def test_a_namespace_written_again_starts_anew(store: Store) -> None:
    fill(store)
    with store.snapshot(TENANT) as snapshot:
        old_cut = snapshot.cut([NOTES])
        old_ids = [snapshot.record_id(Ref(f"notes:{local}")) or 0 for local in ("a", "b", "gone", "loner")]
        old_incarnation = snapshot.incarnation(NOTES)
    purge(store, TENANT, NOTES)

    put(store, a_record("notes:a", "anew"))

    with store.snapshot(TENANT) as snapshot:
        assert snapshot.incarnation(NOTES) not in (0, old_incarnation)
        assert snapshot.generation(NOTES) > max(generation for _, generation in old_cut.generations)
        assert snapshot.record_id(Ref("notes:a")) not in old_ids
        assert [snapshot.ref_of(old) for old in old_ids] == [None] * 4
        assert snapshot.records_by_id([*old_ids, snapshot.record_id(Ref("notes:a")) or 0], old_cut) == [None] * 5
        assert snapshot.records_by_id(old_ids, snapshot.cut([NOTES, CODE])) == [None] * 4
        assert snapshot.record(Ref("notes:a"), old_cut.generations[0][1]) is None
        assert [change.ref for change in snapshot.changes(NOTES, Generation(0), 99)] == ["notes:a"]
        assert snapshot.find(NOTES, NameKind.SYMBOL, "n", 9) == []
        assert snapshot.edges_from(Ref("notes:a")) == snapshot.edges_to(Ref("notes:a")) == []
        assert snapshot.mark("index", NOTES) is None
    assert store.write(TENANT, lambda txn: txn.put_mark("index", b"again", NOTES))


def test_a_namespace_may_be_written_again_in_the_job_that_purges_it(store: Store) -> None:
    fill(store)
    before = generation(store, NOTES)

    def job(txn: WriteTransaction) -> list[object]:
        txn.put_record(a_record("notes:c"))
        txn.purge_namespace(NOTES)
        seen: list[object] = [txn.namespaces(), txn.generation(NOTES), txn.record_id(Ref("notes:a"))]
        at = txn.put_record(a_record("notes:a", "anew"))
        txn.put_edge(Edge(Ref("notes:a"), "mentions", Ref("code:f"), CALLS))
        return [*seen, at, txn.counts(NOTES).records, len(txn.edges_to(Ref("code:f")))]

    assert store.write(TENANT, job) == [(CODE,), 0, None, before + 2, 1, 3]
    finish_all_purges(store)
    with store.snapshot(TENANT) as snapshot:
        assert [record.text for record in snapshot.list_records(NOTES, 0, 9).records] == ["anew"]
    assert traces_of(store, NOTES)["changes"] == 1


def test_a_snapshot_from_before_sees_what_was_there(store: Store) -> None:
    fill(store)
    with store.snapshot(TENANT) as snapshot:
        with ThreadPoolExecutor(1) as other:
            other.submit(purge, store, TENANT, NOTES).result()
        assert snapshot.namespaces() == (CODE, NOTES)
        record = snapshot.record(Ref("notes:a"))
        assert record is not None
        assert record.text == "two"
        assert [edge.edge.target for edge in snapshot.edges_from(Ref("code:g"))] == ["code:f", "code:f", "notes:a"]
        assert len(snapshot.path_records(NOTES, "a.md")) == 1
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.namespaces() == (CODE,)


def test_a_mark_of_a_namespace_that_is_not_there_is_not_kept(store: Store) -> None:
    assert not store.write(TENANT, lambda txn: txn.put_mark("index", b"late", NOTES))
    assert store.tenants() == ()
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.mark("index", NOTES) is None


@pytest.mark.parametrize("namespace", ["never", "", "\ud800", "x" * 600])
def test_purging_what_was_never_written_does_nothing(store: Store, namespace: str) -> None:
    put(store, a_record("code:f"))
    assert purge(store, TENANT, Namespace(namespace)) == Purged()
    assert purge(store, OTHER_TENANT, Namespace(namespace)) == Purged()
    assert store.tenants() == (TENANT,)
    assert generation(store) == 1


def test_generations_of_new_namespaces_are_above_all_that_were_purged(store: Store) -> None:
    for text in ("a", "b", "c"):
        put(store, a_record("notes:n", text))
    purge(store, TENANT, NOTES)
    assert put(store, a_record("code:f")) == 4
    assert put(store, a_record("code:f"), tenant=OTHER_TENANT) == 1
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.record(Ref("code:f"), Generation(3)) is None
        assert snapshot.cut([NOTES, CODE]) == Cut.of({NOTES: Generation(0), CODE: Generation(4)})


def test_what_was_deleted_stays_so_after_reopening(open_engine: Open) -> None:
    store = open_engine(False)
    fill(store)
    store.write(TENANT, work_of(AGENT))
    last = save(store, _claim(store), Epoch(2), Turn(4), b"more")
    purge(store, TENANT, NOTES)
    store.write(TENANT, lambda txn: txn.forget_agent(AGENT))
    store.close()
    store = open_engine(False)
    assert not any(traces_of(store, NOTES).values())
    assert not any(traces_of_agent(store).values())
    assert save(store, NO_SET, Epoch(0), Turn(1), b"anew").revision > last.revision
    assert put(store, a_record("notes:a", "anew")) > 6
    check_invariants(store)
    store.close()


def _claim(store: Store) -> Claim:
    with store.snapshot(TENANT) as snapshot:
        stored = snapshot.working_set(AGENT)
    assert stored is not None
    return stored.claim
