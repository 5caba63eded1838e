"""The present set is re-read at the cut, whatever its relevance."""

from __future__ import annotations

from retrieval.project import Query
from tests.world import TENANT, World, edge, record
from workingset.candidate import Candidate, Projection
from workingset.vocabulary import Freshness, Namespace, Ref, Standing, SupportClosure


def _known(projection: Projection) -> dict[Ref, Candidate]:
    return {candidate.ref: candidate for candidate in projection.known}


def test_known_records_come_whatever_their_relevance() -> None:
    world = World()
    hot, cold = record("hot", "the lease expires"), record("cold", "budgets hold")
    world.put(hot, cold)

    projection = world.ask(Query("lease expires", known=(cold.ref, hot.ref, cold.ref)))

    assert [c.ref for c in projection.known] == [cold.ref, hot.ref]
    known = _known(projection)
    assert known[hot.ref] == projection.ranked[0]
    assert known[cold.ref].relevance < 0.18
    assert known[cold.ref].standing is Standing.CURRENT
    assert known[cold.ref].closure is SupportClosure.CLOSED


def test_refs_that_never_were_are_missing() -> None:
    world = World()
    world.put(record("a", "words"))

    projection = world.ask(Query("words", known=(Ref("code:never"), Ref("nowhere:at all"), Ref("no colon"))))

    assert projection.missing == (Ref("code:never"), Ref("no colon"), Ref("nowhere:at all"))
    assert projection.known == ()


def test_a_removed_record_comes_with_its_last_text() -> None:
    world = World()
    gone = record("gone", "the lease expires after nine turns", title="Lease", from_file=True)
    world.put(gone)
    world.remove(gone.ref)

    candidate = world.ask(Query("lease", known=(gone.ref,))).known[0]

    assert candidate.standing is Standing.REMOVED
    assert candidate.freshness is Freshness.STALE
    assert candidate.renderings.full == gone.text
    assert candidate.generation == 2
    assert candidate.relevance == 0.0


def test_records_of_other_namespaces_and_times_are_out_of_scope() -> None:
    world = World()
    foreign = record("foreign", "words", namespace=Namespace("other"))
    expired = record("expired", "words", valid_until=10)
    world.put(foreign, expired)

    known = _known(world.ask(Query("words", known=(foreign.ref, expired.ref), now_seconds=20)))

    assert {candidate.standing for candidate in known.values()} == {Standing.OUT_OF_SCOPE}


def test_a_source_that_nobody_looked_at_is_unknown() -> None:
    world = World()
    mirrored, typed = record("mirrored", "the lease", from_file=True), record("typed", "the lease")
    world.put(mirrored, typed)

    freshness = {c.ref: c.freshness for c in world.ask("the lease").ranked}

    assert freshness == {mirrored.ref: Freshness.UNKNOWN, typed.ref: Freshness.UNKNOWN}


def test_reading_by_ref_needs_no_goal_and_asks_no_index() -> None:
    world = World()
    result, premise = record("result", "r"), record("premise", "p", namespace=Namespace("rules"))
    gone = record("gone", "g")
    world.put(result, premise, gone, edges=[edge(premise, "premise_of", result)])
    world.remove(gone.ref)
    world.lexical.down = world.vector.down = world.embedder.down = True

    with world.store.snapshot(TENANT) as txn:
        reading = world.retrieval().read(txn, (result.ref, gone.ref, Ref("code:never")), 0)

    assert [(c.ref, c.standing) for c in reading.known] == [
        (gone.ref, Standing.REMOVED),
        (result.ref, Standing.CURRENT),
    ]
    assert reading.known[1].requires == (premise.ref,)
    assert [c.ref for c in reading.support] == [premise.ref]
    assert reading.missing == (Ref("code:never"),)
