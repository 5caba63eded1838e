"""The graph lane walks near the seeds, within bounds, and is not captured by hubs."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval.goal import parse_goal
from retrieval.lanes.graph import GraphLane
from retrieval.lanes.lane import LaneProposal, Scope
from retrieval.project import Query
from retrieval.record import Edge, Record
from retrieval.settings import GoalSettings, GraphSettings
from tests.world import CODE, TENANT, World, edge, record
from workingset.vocabulary import Ref, SearchCoverage

_PLAIN = GraphSettings(
    relation_weights=(),
    other_relation_weight=1.0,
    backward_weight=1.0,
    hub_damping=0.0,
    residual_floor=1e-9,
    pushes=100_000,
    edge_visits=1_000_000,
    hits=1_000,
)


def _solved(pairs: list[tuple[str, str]], seed: str, restart: float) -> dict[str, float]:
    """Personalised PageRank of an undirected graph by a linear solve: the definition itself."""
    names = sorted({name for pair in pairs for name in pair})
    adjacent = np.zeros((len(names), len(names)))
    for left, right in pairs:
        adjacent[names.index(left), names.index(right)] = adjacent[names.index(right), names.index(left)] = 1.0
    walk = adjacent / adjacent.sum(axis=1, keepdims=True)
    start = np.array([name == seed for name in names], dtype=float)
    mass = np.linalg.solve(np.eye(len(names)) - (1.0 - restart) * walk.T, restart * start)
    return dict(zip(names, mass.tolist(), strict=True))


def _walk(world: World, seeds: dict[str, float], settings: GraphSettings) -> LaneProposal:
    with world.store.snapshot(TENANT) as txn:
        ids = {world.id_of(_ref(local)): weight for local, weight in seeds.items()}
        scope = Scope(TENANT, (CODE,), txn.cut([CODE]), txn.counts(CODE).records)
        lane = GraphLane(ids, settings)
        return lane.propose(txn, parse_goal("x", GoalSettings()), scope, world.within(10))


def _ref(local: str) -> Ref:
    return Ref(f"code:{local}")


def _chain(world: World, *pairs: tuple[str, str]) -> None:
    names = sorted({name for pair in pairs for name in pair})
    records: dict[str, Record] = {name: record(name, f"body of {name}") for name in names}
    edges: list[Edge] = [edge(records[a], "calls", records[b]) for a, b in pairs]
    world.put(*records.values(), edges=edges)


def test_masses_agree_with_personalised_pagerank() -> None:
    world = World()
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("d", "e"), ("e", "f"), ("b", "f"), ("f", "g")]
    _chain(world, *pairs)

    proposal = _walk(world, {"a": 1.0}, _PLAIN)

    expected = _solved(pairs, "a", _PLAIN.restart_share)
    expected["a"] -= _PLAIN.restart_share
    best = max(expected.values())
    for hit in proposal.hits:
        with world.store.snapshot(TENANT) as txn:
            ref = txn.ref_of(hit.record_id)
        assert ref is not None
        assert hit.rank.order_value == pytest.approx(expected[ref.partition(":")[2]] / best, abs=1e-3)
    assert len(proposal.hits) == 7


def test_a_seed_without_neighbours_is_not_its_own_evidence() -> None:
    world = World()
    _chain(world, ("a", "b"))
    world.put(record("alone", "body"))

    hits = {hit.record_id for hit in _walk(world, {"alone": 1.0, "a": 1.0}, _PLAIN).hits}

    assert world.id_of(_ref("alone")) not in hits
    assert world.id_of(_ref("b")) in hits


def test_a_hub_spreads_nothing_and_is_counted() -> None:
    world = World()
    _chain(world, ("seed", "hub"), *(("hub", f"leaf{i:03}") for i in range(100)))

    proposal = _walk(world, {"seed": 1.0}, GraphSettings())

    reached = {hit.record_id for hit in proposal.hits}
    assert reached <= {world.id_of(_ref("hub")), world.id_of(_ref("seed"))}
    assert proposal.outcome.note == "1 hubs not spread"


def test_a_walk_stops_at_its_pushes_and_says_so() -> None:
    world = World()
    _chain(world, *((f"n{i:02}", f"n{i + 1:02}") for i in range(40)))
    settings = GraphSettings(pushes=3, residual_floor=1e-9)

    proposal = _walk(world, {"n00": 1.0}, settings)

    assert proposal.outcome.coverage is SearchCoverage.RESOURCE_LIMITED
    assert len(proposal.hits) <= 8


def test_resolved_use_weighs_more_than_mere_neighbourhood() -> None:
    world = World()
    seed, callee, part = record("seed", "s"), record("callee", "c"), record("part", "p")
    world.put(seed, callee, part, edges=[edge(seed, "calls", callee), edge(seed, "contains", part)])

    ranks = {hit.record_id: hit.rank.order_value for hit in _walk(world, {"seed": 1.0}, GraphSettings()).hits}

    assert ranks[world.id_of(callee.ref)] > ranks[world.id_of(part.ref)]


def test_equal_walks_give_equal_floats() -> None:
    world = World()
    _chain(world, ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "a"))

    assert _walk(world, {"a": 0.3, "c": 0.7}, GraphSettings()) == _walk(world, {"c": 0.7, "a": 0.3}, GraphSettings())


def test_what_is_warm_lifts_its_neighbours_a_little() -> None:
    world = World()
    goal_text = "the lease expires after nine turns"
    first, second = record("first", goal_text, title="lease"), record("second", goal_text, title="lease")
    warm = record("warm", "an unrelated note of yesterday")
    cool = record("cool", "an unrelated note of last year")
    links = [edge(cool, "references", first), edge(warm, "references", second)]
    world.put(first, second, warm, cool, edges=links)

    cold = world.ask(Query("when does the lease expire"))
    warmed = world.ask(Query("when does the lease expire", warm=(warm.ref,)))

    assert [c.ref for c in cold.ranked] == [first.ref, second.ref]
    assert warmed.ranked[0].ref == second.ref
    assert warmed.ranked[0].relevance >= cold.ranked[0].relevance
