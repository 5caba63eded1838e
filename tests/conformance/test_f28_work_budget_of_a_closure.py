"""F28: work budget of N edge visits / closure of 10N / stops at N, resource_limited."""

from __future__ import annotations

from itertools import pairwise

from retrieval.closure import Closure
from retrieval.links import Links
from retrieval.live_relations import live_relations
from retrieval.settings import ClosureSettings
from tests.world import TENANT, World, edge, record
from workingset.vocabulary import SupportClosure

BUDGET = 100


def test_f28_a_closure_stops_at_its_budget_of_edges() -> None:
    world = World()
    chain = [record(f"n{i:04}", f"premise number {i}") for i in range(10 * BUDGET)]
    world.put(*chain, edges=[edge(a, "depends_on", b) for a, b in pairwise(chain)])
    settings = ClosureSettings(nodes_per_candidate=10 * BUDGET, nodes=10 * BUDGET, edge_visits=BUDGET)

    with world.store.snapshot(TENANT) as txn:
        read: list[int] = []
        closure = Closure(
            Links(txn, live_relations(txn), 256), lambda ids: (read.extend(ids), [None for _ in ids])[1], settings
        )
        support = closure.of(world.id_of(chain[0].ref))

    assert support.closure is SupportClosure.RESOURCE_LIMITED
    assert closure.edge_visits <= BUDGET + 2
    assert read == [], "what is not closed is not read either"
    assert support.requires == ()
