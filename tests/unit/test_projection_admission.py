"""A hit counts only once the store has shown its record, valid and in scope."""

from __future__ import annotations

from dataclasses import replace

from retrieval.project import Query
from tests.fakes import counted
from tests.world import World, edge, record, refs
from workingset.vocabulary import Namespace, Standing


def test_records_are_valid_for_their_time_only() -> None:
    world = World()
    world.put(
        record("past", "the lease expires", valid_until=100),
        record("present", "the lease expires", valid_from=50, valid_until=200),
        record("future", "the lease expires", valid_from=150),
    )

    projection = world.ask(Query("lease expires", now_seconds=100))

    assert refs(projection) == ["code:present"]
    assert counted(projection.rejected) == {"expired": 1, "not_yet_valid": 1}


def test_a_removed_record_that_the_indexes_still_hold_is_counted_once() -> None:
    world = World()
    world.put(record("a", "the lease expires"), record("b", "the lease renews"))
    world.remove(record("b", "").ref, from_indexes=False)

    projection = world.ask("lease")

    assert refs(projection) == ["code:a"]
    assert counted(projection.rejected) == {"removed": 1}


def test_a_changed_record_is_answered_as_it_is_now() -> None:
    world = World()
    old = record("a", "the lease expires after nine turns")
    world.put(old)
    new = replace(record("a", "the lease expires after ten turns"))
    world.put(new)

    candidate = world.ask("lease expires").ranked[0]

    assert candidate.renderings.full == new.text
    assert (candidate.digest, candidate.generation) == (new.digest, 2)


def test_superseded_records_are_not_ranked_but_known_as_such() -> None:
    world = World()
    first = record("first", "the lease expires after nine turns")
    second = record("second", "the lease expires after ten turns")
    third = record("third", "the lease expires after eleven turns")
    world.put(first, second, third, edges=[edge(second, "supersedes", first), edge(third, "supersedes", second)])

    projection = world.ask(Query("lease expires", known=(first.ref, third.ref)))

    assert refs(projection) == [third.ref]
    assert counted(projection.rejected) == {"superseded": 2}
    known = {candidate.ref: candidate for candidate in projection.known}
    assert (known[first.ref].standing, known[first.ref].successor) == (Standing.SUPERSEDED, third.ref)
    assert (known[third.ref].standing, known[third.ref].successor) == (Standing.CURRENT, None)


def test_succession_from_another_namespace_counts() -> None:
    world = World()
    old = record("old", "the lease expires after nine turns")
    new = record("new", "the lease never expires", namespace=Namespace("decisions"))
    world.put(old, new, edges=[edge(new, "supersedes", old)])

    projection = world.ask(Query("lease expires", known=(old.ref,)))

    assert projection.ranked == ()
    assert projection.known[0].successor == new.ref


def test_records_that_supersede_one_another_do_not_hang() -> None:
    world = World()
    one, two = record("one", "the lease expires"), record("two", "the lease expires")
    world.put(one, two, edges=[edge(one, "supersedes", two), edge(two, "supersedes", one)])

    projection = world.ask("lease expires")

    assert projection.ranked == ()
    assert counted(projection.rejected) == {"superseded": 2}
