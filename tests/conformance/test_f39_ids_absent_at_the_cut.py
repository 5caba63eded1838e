"""F39: vector index returns an id absent at the cut / run / dropped with revalidation_failed; never in closure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.index.sensor import Hit
from retrieval.store.interface import Store
from retrieval.store.lmdb import open_store
from tests.fakes import counted
from tests.model.memory_store import MemoryDisk, MemoryStore
from tests.world import World, edge, record
from workingset.vocabulary import Namespace, SupportClosure


@pytest.fixture(params=["memory", "lmdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened: Store = MemoryStore(MemoryDisk()) if request.param == "memory" else open_store(tmp_path)
    yield opened
    opened.close()


def test_f39_ids_absent_at_the_cut_are_dropped_and_counted(store: Store) -> None:
    world = World(store)
    kept = record("kept", "the ledger counts every token")
    gone = record("gone", "the ledger counted tokens once")
    foreign = record("foreign", "the ledger of another corpus", namespace=Namespace("other"))
    world.put(kept, gone)
    world.put(foreign)
    absent = {"gone": world.id_of(gone.ref), "foreign": world.id_of(foreign.ref)}
    world.remove(gone.ref, from_indexes=True)
    never = 2**40
    world.vector.planted = [Hit(record_id, 0.999) for record_id in (never, *absent.values())]

    projection = world.ask("which ledger counts tokens")

    assert [candidate.ref for candidate in projection.ranked] == [kept.ref]
    rejected = counted(projection.rejected)
    assert rejected["revalidation_failed"] == 1
    assert rejected["removed"] == 1
    assert rejected["out_of_scope"] == 1
    vector = next(lane for lane in projection.lanes if lane.lane == "vector")
    assert vector.hits == 4


def test_f39_an_absent_id_never_enters_through_closure(store: Store) -> None:
    world = World(store)
    result = record("result", "the ledger counts every token")
    premise = record("premise", "tokens are counted by the exact tokenizer")
    foreign = record("foreign", "a rule kept elsewhere", namespace=Namespace("other"))
    world.put(
        result, premise, foreign, edges=[edge(result, "depends_on", premise), edge(result, "depends_on", foreign)]
    )
    premise_id, foreign_id = world.id_of(premise.ref), world.id_of(foreign.ref)
    world.put(record("later", "an unrelated change"))
    world.remove(premise.ref, from_indexes=True)
    world.vector.planted = [Hit(premise_id, 0.999), Hit(foreign_id, 0.998)]

    projection = world.ask("which ledger counts tokens")

    everywhere = {c.ref for c in (*projection.ranked, *projection.support, *projection.known)}
    assert everywhere.isdisjoint({premise.ref, foreign.ref})
    assert projection.ranked[0].ref == result.ref
    assert projection.ranked[0].requires == ()
    assert projection.ranked[0].closure is SupportClosure.PARTIAL
    assert counted(projection.rejected)["required_gone"] == 1
    assert counted(projection.rejected)["required_unavailable"] == 1
