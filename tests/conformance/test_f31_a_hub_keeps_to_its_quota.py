"""F31: hub with 1e5 edges / expand / bounded, hub does not take > its type/origin quota. Here with a tenth of them."""

from __future__ import annotations

from pathlib import Path

from retrieval.closure import Closure
from retrieval.goal import Goal
from retrieval.lanes.graph import GraphLane
from retrieval.links import Links
from retrieval.live_relations import live_relations
from retrieval.record import Record
from retrieval.scoping import scope_of
from retrieval.settings import ClosureSettings, GraphSettings
from retrieval.store.lmdb import open_store
from tests.world import CODE, TENANT, World, edge, record

EDGES = 10_000


def hub_world(tmp_path: Path, relation: str) -> tuple[World, Record, Record]:
    world = World(open_store(tmp_path))
    hub, plain = record("hub", "what everything needs"), record("plain", "a plain one")
    spokes = [record(f"s{i:05}", f"spoke {i}") for i in range(EDGES)]
    world.put(hub, plain, *spokes, edges=[edge(hub, relation, spoke) for spoke in spokes], vectors=False)
    world.link(edge(plain, relation, spokes[0]))
    return world, hub, plain


def test_f31_a_walk_does_not_spread_from_a_hub(tmp_path: Path) -> None:
    world, hub, plain = hub_world(tmp_path, "calls")
    seeds = {world.id_of(hub.ref): 1.0, world.id_of(plain.ref): 1.0}
    settings = GraphSettings()
    with world.store.snapshot(TENANT) as txn:
        found = GraphLane(seeds, settings).propose(txn, Goal("", ()), scope_of(txn, (CODE,)), world.within(60.0))

    assert len(found.hits) <= settings.hits
    assert "1 hubs not spread" in found.outcome.note
    world.store.close()


def test_f31_a_hub_of_needs_takes_no_more_than_a_candidate_or_its_origin_may(tmp_path: Path) -> None:
    world, hub, plain = hub_world(tmp_path, "depends_on")
    settings = ClosureSettings(nodes_per_origin=5)
    with world.store.snapshot(TENANT) as txn:
        cut = txn.cut((CODE,))
        closure = Closure(Links(txn, live_relations(txn), 256), lambda ids: txn.records_by_id(ids, cut), settings)
        limited, fine = closure.of(world.id_of(hub.ref), "wire"), closure.of(world.id_of(plain.ref), "wire")

    assert (limited.closure.value, limited.requires) == ("resource_limited", ())
    assert (fine.closure.value, len(fine.requires)) == ("closed", 1)
    assert closure.edge_visits < 1_000
    world.store.close()
