"""Which records are one thing, which are one voice, and which a relation keeps apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from retrieval.identities import Identities, IdentitySettings, identities_of
from retrieval.origins import Origins, OriginSettings, origins_of
from retrieval.record import Record
from tests.world import TENANT, World, edge, record


def people(world: World, *names: str) -> list[Record]:
    made = [record(name, f"about {name}") for name in names]
    world.put(*made)
    return made


def identities(world: World, *records: Record, settings: IdentitySettings | None = None) -> Identities:
    with world.store.snapshot(TENANT) as txn:
        return identities_of(txn, [r.ref for r in records], settings or IdentitySettings())


def origins(world: World, *records: Record, settings: OriginSettings | None = None) -> Origins:
    with world.store.snapshot(TENANT) as txn:
        return origins_of(txn, records, settings or OriginSettings())


def test_without_relations_nothing_is_one() -> None:
    world = World()
    a, b = people(world, "a", "b")
    assert identities(world, a, b) == Identities()
    assert origins(world, a, b).of(a) == ""


def test_same_as_joins_also_over_records_that_were_not_asked_for() -> None:
    world = World()
    a, b, c = people(world, "a", "b", "c")
    world.link(edge(a, "same_as", c), edge(b, "same_as", c))
    found = identities(world, a, b)
    assert found.groups == ((a.ref, b.ref),)
    assert found.same(a.ref, b.ref)


def test_a_withdrawn_mapping_splits_again() -> None:
    world = World()
    a, b = people(world, "a", "b")
    world.link(edge(a, "same_as", b))
    assert identities(world, a, b).same(a.ref, b.ref)
    world.unlink(edge(a, "same_as", b))
    assert not identities(world, a, b).same(a.ref, b.ref)


def test_different_from_keeps_apart_what_a_chain_would_join_and_says_so() -> None:
    world = World()
    a, b, c = people(world, "a", "b", "c")
    world.link(edge(a, "same_as", b), edge(b, "same_as", c), edge(c, "different_from", a))
    found = identities(world, a, b, c)
    assert found.differ(a.ref, c.ref)
    assert not found.same(a.ref, c.ref)
    assert found.contested == ((a.ref, c.ref),)
    assert found.groups == ((a.ref, b.ref),)


def test_bounds_of_identity_are_said() -> None:
    world = World()
    made = people(world, *(f"p{at:02}" for at in range(20)))
    world.link(*(edge(made[0], "same_as", other) for other in made[1:]))
    found = identities(world, made[0], settings=IdentitySettings(edges_per_record=4))
    assert found.bounded
    assert not identities(world, made[0]).bounded


def test_ten_mirrors_are_one_origin() -> None:
    world = World()
    wire, *mirrors = people(world, "wire", *(f"m{at}" for at in range(10)))
    (own,) = people(world, "own")
    world.link(*(edge(mirror, "copy_of", wire) for mirror in mirrors))
    found = origins(world, *mirrors, own)
    assert len({found.of(mirror) for mirror in mirrors}) == 1
    assert found.of(own) == ""


def test_names_and_relations_of_origin_join() -> None:
    world = World()
    a, b, c = (replace(record(n, n), origin=o) for n, o in (("a", "agency"), ("b", ""), ("c", "agency")))
    world.put(a, b, c)
    world.link(edge(b, "derived_from", a))
    found = origins(world, a, b, c)
    assert [found.of(each) for each in (a, b, c)] == ["agency", "agency", "agency"]


def test_two_sources_of_one_review_stay_two() -> None:
    world = World()
    review, one, other = people(world, "review", "one", "other")
    world.link(edge(review, "derived_from", one), edge(review, "derived_from", other))
    found = origins(world, one, other)
    assert (found.of(one), found.of(other)) == ("", "")


def test_bounds_of_origin_are_said() -> None:
    world = World()
    made = people(world, *(f"p{at:02}" for at in range(20)))
    world.link(*(edge(one, "copy_of", other) for one, other in pairwise(made)))
    assert origins(world, made[0], settings=OriginSettings(edge_visits=5)).bounded
    assert not origins(world, made[0]).bounded
