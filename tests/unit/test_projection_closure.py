"""Mandatory closure: all that a result needs, or an honest word that it is not all there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from retrieval.project import Query
from retrieval.record import Record
from retrieval.relations import Role
from retrieval.settings import ClosureSettings, RetrievalSettings
from retrieval.store.collecting import collect
from retrieval.store.interface import Store
from retrieval.store.lmdb import open_store
from tests.fakes import counted
from tests.model.memory_store import MemoryDisk, MemoryStore
from tests.world import TENANT, World, edge, record
from workingset.vocabulary import Namespace, Standing, SupportClosure

_GOAL = "how long does the lease last"


@pytest.fixture(params=["memory", "lmdb"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    store: Store = MemoryStore(MemoryDisk()) if request.param == "memory" else open_store(tmp_path)
    yield World(store)
    store.close()


def _result(name: str = "result") -> Record:
    return record(name, "the lease lasts long, nine turns")


def test_a_result_that_needs_nothing_is_closed(world: World) -> None:
    world.put(_result())

    candidate = world.ask(_GOAL).ranked[0]

    assert (candidate.closure, candidate.requires) == (SupportClosure.CLOSED, ())


def test_needs_come_nearest_first_then_by_ref_in_both_directions(world: World) -> None:
    result, near_b, near_a = _result(), record("b", "bravo"), record("a", "alpha")
    guard, far = record("zz-guard", "golf"), record("far", "foxtrot")
    world.put(
        *(result, near_b, near_a, guard, far),
        edges=[
            edge(result, "depends_on", near_b),
            edge(near_a, "premise_of", result),
            edge(guard, "guard_of", result),
            edge(near_b, "cites", far, Role.MANDATORY),
            edge(result, "calls", record("far", "foxtrot")),
        ],
    )

    projection = world.ask(_GOAL)

    assert projection.ranked[0].requires == (near_a.ref, near_b.ref, guard.ref, far.ref)
    assert projection.ranked[0].closure is SupportClosure.CLOSED
    assert [c.ref for c in projection.support] == [near_a.ref, near_b.ref, far.ref, guard.ref]
    assert {c.renderings.full for c in projection.support} == {"alpha", "bravo", "foxtrot", "golf"}
    by_ref = {c.ref: c for c in projection.support}
    assert by_ref[near_b.ref].requires == (far.ref,)
    assert by_ref[far.ref].closure is SupportClosure.CLOSED


def test_the_needs_of_the_other_end_are_not_taken(world: World) -> None:
    result, dependent = _result(), record("dependent", "needs the other")
    world.put(result, dependent, edges=[edge(dependent, "depends_on", result), edge(result, "rule_for", dependent)])

    assert world.ask(_GOAL).ranked[0].requires == ()


def test_cycles_end_with_each_node_once(world: World) -> None:
    result, one, two = _result(), record("one", "alpha"), record("two", "bravo")
    cycle = [(result, one), (one, two), (two, result), (two, one), (one, one)]
    world.put(result, one, two, edges=[edge(a, "depends_on", b) for a, b in cycle])

    projection = world.ask(_GOAL)

    assert projection.ranked[0].requires == (one.ref, two.ref)
    assert {c.ref: c.closure for c in projection.support} == dict.fromkeys((one.ref, two.ref), SupportClosure.CLOSED)


def test_a_need_out_of_scope_makes_it_partial(world: World) -> None:
    result, foreign = _result(), record("foreign", "elsewhere", namespace=Namespace("other"))
    world.put(result, foreign, edges=[edge(result, "depends_on", foreign)])

    projection = world.ask(_GOAL)

    assert projection.ranked[0].closure is SupportClosure.PARTIAL
    assert projection.ranked[0].requires == ()
    assert counted(projection.rejected)["required_unavailable"] == 1
    both = world.ask(Query(_GOAL, namespaces=(Namespace("code"), Namespace("other"))))
    assert both.ranked[0].closure is SupportClosure.CLOSED


def test_a_need_that_was_removed_makes_it_partial(world: World) -> None:
    result, premise = _result(), record("premise", "alpha")
    world.put(result, premise, edges=[edge(result, "depends_on", premise)])
    world.remove(premise.ref)

    projection = world.ask(Query(_GOAL, known=(premise.ref,)))

    assert projection.ranked[0].closure is SupportClosure.PARTIAL
    assert counted(projection.rejected)["required_gone"] == 1
    assert projection.known[0].standing is Standing.REMOVED


@pytest.mark.parametrize("collected", [False, True])
def test_a_need_by_an_edge_later_than_the_result_is_missed_too(world: World, collected: bool) -> None:
    result, premise = _result(), record("premise", "alpha")
    world.put(result, premise)
    world.put(edges=[edge(premise, "premise_of", result)])
    world.remove(premise.ref)
    if collected:
        collect(world.store, TENANT, result.namespace, world.generation())

    projection = world.ask(_GOAL)

    assert projection.ranked[0].closure is SupportClosure.PARTIAL
    assert counted(projection.rejected)["required_gone"] == 1
    world.put(premise, edges=[edge(premise, "premise_of", result)])
    assert world.ask(_GOAL).ranked[0].closure is SupportClosure.CLOSED


def test_what_a_result_needed_before_it_was_rewritten_is_not_missed(world: World) -> None:
    result, premise = _result(), record("premise", "alpha")
    world.put(result, premise, edges=[edge(result, "depends_on", premise)])
    world.remove(premise.ref)
    world.put(record("result", "the lease lasts long, without any reason"))

    assert world.ask(_GOAL).ranked[0].closure is SupportClosure.CLOSED


def test_a_superseded_need_is_there_and_says_so(world: World) -> None:
    result, old, new = _result(), record("old", "alpha"), record("new", "bravo")
    world.put(result, old, new, edges=[edge(result, "depends_on", old), edge(new, "supersedes", old)])

    projection = world.ask(_GOAL)

    assert projection.ranked[0].closure is SupportClosure.CLOSED
    assert [(c.ref, c.standing, c.successor) for c in projection.support] == [(old.ref, Standing.SUPERSEDED, new.ref)]


def test_one_result_that_needs_the_world_does_not_starve_the_others(world: World) -> None:
    bomb = _result("a-bomb")
    needs = [record(f"need{i:03}", f"premise number {i}") for i in range(40)]
    plain = [(_result(f"plain{i}"), record(f"rule{i}", f"rule of {i}")) for i in range(5)]
    world.put(
        *(bomb, *needs, *(r for pair in plain for r in pair)),
        edges=[
            *(edge(bomb, "depends_on", need) for need in needs),
            *(edge(rule, "rule_for", result) for result, rule in plain),
        ],
    )
    settings = RetrievalSettings(closure=ClosureSettings(nodes_per_candidate=10, nodes=120))

    by_ref = {c.ref: c for c in world.ask(_GOAL, world.retrieval(settings)).ranked}

    assert by_ref[bomb.ref].closure is SupportClosure.RESOURCE_LIMITED
    assert by_ref[bomb.ref].requires == ()
    for result, rule in plain:
        assert (by_ref[result.ref].closure, by_ref[result.ref].requires) == (SupportClosure.CLOSED, (rule.ref,))


def test_the_shared_bound_of_edge_visits_is_kept(world: World) -> None:
    chain = [_result(), *(record(f"n{i:02}", f"premise number {i}") for i in range(30))]
    world.put(*chain, edges=[edge(a, "depends_on", b) for a, b in pairwise(chain)])
    settings = RetrievalSettings(closure=ClosureSettings(edge_visits=9))

    candidate = world.ask(_GOAL, world.retrieval(settings)).ranked[0]

    assert candidate.closure is SupportClosure.RESOURCE_LIMITED
    assert candidate.requires == ()


def test_a_node_with_more_edges_than_are_read_is_limited_only_where_its_needs_are(world: World) -> None:
    result, premise = _result(), record("premise", "alpha")
    parts = [record(f"part{i:02}", f"piece {i}") for i in range(20)]
    edges = [edge(result, "contains", part) for part in parts]
    world.put(result, premise, *parts, edges=[*edges, edge(result, "depends_on", premise)])
    settings = RetrievalSettings(closure=ClosureSettings(edges_per_node=5))

    candidate = world.ask(_GOAL, world.retrieval(settings)).ranked[0]

    assert (candidate.closure, candidate.requires) == (SupportClosure.CLOSED, (premise.ref,))


def test_results_beyond_the_largest_window_are_not_closed_over(world: World) -> None:
    world.put(*(_result(f"r{i}") for i in range(4)))
    settings = RetrievalSettings(closure=ClosureSettings(candidates=2))

    ranked = world.ask(Query(_GOAL, known=(_result("r3").ref,)), world.retrieval(settings))

    assert [c.closure for c in ranked.ranked] == [SupportClosure.CLOSED] * 2 + [SupportClosure.NOT_REQUESTED] * 2
    assert ranked.known[0].closure is SupportClosure.CLOSED


def test_support_that_is_ranked_itself_is_not_listed_twice(world: World) -> None:
    result, premise = _result(), record("premise", "a lease lasts long")
    world.put(result, premise, edges=[edge(result, "depends_on", premise)])

    projection = world.ask(_GOAL)

    assert {c.ref for c in projection.ranked} == {result.ref, premise.ref}
    assert projection.support == ()


def test_a_premise_of_many_is_closed_over_all_the_same(world: World) -> None:
    result, premise, ground = _result(), record("premise", "alpha"), record("ground", "bravo")
    others = [record(f"other{i:02}", f"piece {i}") for i in range(20)]
    edges = [edge(other, "depends_on", premise) for other in others]
    edges += [edge(premise, "rule_for", other) for other in others]
    world.put(result, premise, ground, *others, edges=[*edges, edge(premise, "depends_on", ground)])
    world.link(edge(result, "depends_on", premise))
    settings = RetrievalSettings(closure=ClosureSettings(edges_per_node=5))

    candidate = world.ask(_GOAL, world.retrieval(settings)).ranked[0]

    assert (candidate.closure, candidate.requires) == (SupportClosure.CLOSED, (premise.ref, ground.ref))


def test_results_of_one_origin_share_a_bound(world: World) -> None:
    made = [replace(_result(f"r{i}"), origin="wire") for i in range(4)]
    needs = [[record(f"n{i}{j}", f"premise {i} {j}") for j in range(3)] for i in range(4)]
    own, rule = _result("own"), record("rule", "what holds")
    world.put(*made, *(n for each in needs for n in each), own, rule, edges=[
        *(edge(one, "depends_on", need) for one, each in zip(made, needs, strict=True) for need in each),
        edge(rule, "rule_for", own),
    ])  # fmt: skip
    settings = RetrievalSettings(closure=ClosureSettings(nodes_per_origin=6))

    by_ref = {c.ref: c for c in world.ask(_GOAL, world.retrieval(settings)).ranked}

    states = [by_ref[one.ref].closure for one in made]
    assert states.count(SupportClosure.CLOSED) == 2
    assert states.count(SupportClosure.RESOURCE_LIMITED) == 2
    assert by_ref[own.ref].closure is SupportClosure.CLOSED
