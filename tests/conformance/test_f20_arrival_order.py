"""F20: five lanes, all 120 arrival orders / run / identical projection digest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from retrieval.canonical import projection_digest
from retrieval.lanes.contract import GraphMass
from retrieval.lanes.lane import LaneHit
from tests.fakes import CannedLane
from tests.world import World, edge, record


def _world() -> World:
    world = World()
    upload = record("upload", "retry the upload with backoff", title="retry_upload", symbols=["retry_upload"])
    backoff = record("backoff", "backoff doubles the wait before each retry", title="backoff", symbols=["backoff"])
    limits = record("limits", "an upload is at most one gigabyte", title="limits")
    rule = record("rule", "never retry a request that is not idempotent", title="rule")
    twins = [record(f"twin{i}", "retry twin, the same words", title="twin") for i in range(4)]
    world.put(
        *(upload, backoff, limits, rule, *twins),
        edges=[edge(upload, "calls", backoff), edge(upload, "depends_on", rule), edge(backoff, "mentions", limits)],
    )
    return world


def test_f20_all_arrival_orders_of_five_lanes_give_one_digest() -> None:
    world = _world()
    ids = [world.id_of(c.ref) for c in world.ask("retry upload backoff").ranked]
    extra = (
        CannedLane("recent", [LaneHit(record_id, GraphMass(0.5)) for record_id in ids]),
        CannedLane("co_changed", [LaneHit(record_id, GraphMass(1 / (3 + n))) for n, record_id in enumerate(ids[::-1])]),
        CannedLane("first", [LaneHit(ids[0], GraphMass(0.9))]),
        CannedLane("last", [LaneHit(ids[-1], GraphMass(0.9)), LaneHit(ids[0], GraphMass(0.1))]),
    )
    digests: set[str] = set()
    sequences: set[tuple[str, ...]] = set()

    for permutation in permutations(range(5)):

        def order(names: tuple[str, ...], chosen: tuple[int, ...] = permutation) -> Sequence[str]:
            if len(names) < 5:  # exact and lexical, which are asked while the goal is being embedded, then the graph
                return names[::-1] if chosen[0] % 2 else names
            sequence = tuple(names[i] for i in chosen)
            sequences.add(sequence)
            return sequence

        projection = world.ask("how does `retry_upload` use backoff", world.retrieval(extra_lanes=extra, order=order))
        digests.add(projection_digest(projection))
        assert {lane.lane for lane in projection.lanes if lane.hits} == {
            *("exact", "lexical", "vector", "recent", "co_changed", "first", "last", "links", "graph")
        }
        assert [support.ref for support in projection.support] or "code:rule" in {c.ref for c in projection.ranked}

    assert len(sequences) == 120
    assert len(digests) == 1


def test_f20_the_digest_tells_different_answers_apart() -> None:
    world = _world()

    first, second = world.ask("retry upload backoff"), world.ask("retry upload")

    assert projection_digest(first) != projection_digest(second)
    assert projection_digest(first) == projection_digest(world.ask("retry upload backoff"))
