"""How rankers take part in a projection: what they bring, the order they give, and what happens when they cannot."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest

from retrieval.errors import DeadlinePassed, IndexUnavailable
from retrieval.ranking.look import Look
from retrieval.ranking.query_class import QueryClass, query_class
from retrieval.ranking.ranker import Ranked, Ranker, Ranking
from retrieval.scoping import scope_of
from tests.world import CODE, TENANT, World, record, refs

LEASE = record("lease", "the lease expires after a turn")
EXPIRY = record("expiry", "the lease expires when its lease is over and the lease expires")
STRANGER = record("stranger", "nothing of the kind")


class Backwards(Ranker, Ranking):
    """Orders by ref, last first, and brings one more record."""

    name = "backwards-1"

    def __init__(self, brings: Mapping[int, float] | None = None, *, down: bool = False) -> None:
        self._brings = brings or {}
        self._down = down

    def begin(self) -> Ranking:
        return self

    def bring(self, look: Look) -> Mapping[int, float]:
        assert all(look.records[i].namespace == CODE for i in look.hits["lexical"])
        return self._brings

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        if self._down:
            raise IndexUnavailable("its table is gone")
        by_ref = sorted(record_ids, key=lambda i: look.records[i].ref)
        scores = {record_id: float(at) for at, record_id in enumerate(by_ref)}
        return Ranked(scores, {record_id: (("at", at),) for record_id, at in scores.items()})


def everywhere(ranker: Ranker) -> dict[QueryClass, Ranker]:
    return dict.fromkeys(QueryClass, ranker)


@pytest.fixture
def world() -> World:
    made = World()
    made.put(LEASE, EXPIRY, STRANGER)
    return made


def test_the_ranker_orders_and_the_receipt_names_it_with_the_class(world: World) -> None:
    plain = world.ask("lease expires")
    turned = world.ask("lease expires", world.retrieval(ranked_by=everywhere(Backwards())))

    assert refs(turned) == [LEASE.ref, EXPIRY.ref]
    assert set(refs(plain)) == set(refs(turned))
    assert turned.fusion.split("; ")[:2] == ["prose", "backwards-1"]
    assert dict(turned.ranked[0].features)["at"] == 1.0


def test_relevance_falls_along_the_order_and_is_as_strong_as_the_evidence(world: World) -> None:
    plain = world.ask("lease expires")
    turned = world.ask("lease expires", world.retrieval(ranked_by=everywhere(Backwards())))

    strengths = [candidate.relevance for candidate in turned.ranked]
    assert strengths == sorted(strengths, reverse=True)
    assert sorted(strengths) == sorted(candidate.relevance for candidate in plain.ranked)


def test_what_is_brought_is_admitted_and_says_why(world: World) -> None:
    brings = Backwards({world.id_of(STRANGER.ref): 0.8, 2**40: 1.0})

    projection = world.ask("lease expires", world.retrieval(ranked_by=everywhere(brings)))

    brought = next(candidate for candidate in projection.ranked if candidate.ref == STRANGER.ref)
    assert "links" in brought.lanes
    assert dict(brought.features)["linked"] == 0.8
    assert dict(projection.rejected) == {"revalidation_failed": 1}


def test_a_ranker_that_cannot_work_leaves_the_order_to_ranks_and_says_so(world: World) -> None:
    down = world.ask("lease expires", world.retrieval(ranked_by=everywhere(Backwards(down=True))))

    assert refs(down) == refs(world.ask("lease expires"))
    assert "the ranker could not work: its table is gone" in down.fusion


@pytest.mark.parametrize(
    ("raised", "state"), [(IndexUnavailable("gone"), "unavailable"), (DeadlinePassed("late"), "timed_out")]
)
@pytest.mark.parametrize("step", ["bring", "strengths"])
def test_a_ranker_that_cannot_bring_is_an_outcome(world: World, step: str, raised: Exception, state: str) -> None:
    ranker = Backwards({world.id_of(STRANGER.ref): 0.8})

    def fails(*_: object) -> Mapping[int, float]:
        raise raised

    setattr(ranker, step, fails)
    projection = world.ask("lease expires", world.retrieval(ranked_by=everywhere(ranker)))

    assert {lane.lane: lane.state for lane in projection.lanes}["links"] == state
    assert refs(projection) == [LEASE.ref, EXPIRY.ref]


def test_what_a_ranker_leaves_out_is_told(world: World) -> None:
    ranker = Backwards()
    ranker.left = 3

    projection = world.ask("lease expires", world.retrieval(ranked_by=everywhere(ranker)))

    links = next(lane for lane in projection.lanes if lane.lane == "links")
    assert (links.truncated, links.note, links.hits) == (True, "3 more not followed", 0)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("function", "file", "section"), QueryClass.CODE),
        (("turn", "turn", "note", "commit", "commit", "commit"), QueryClass.CONVERSATION),
        (("section", "passage", "function"), QueryClass.PROSE),
        ((), QueryClass.PROSE),
    ],
)
def test_the_class_is_what_most_records_are_of(kinds: tuple[str, ...], expected: QueryClass) -> None:
    world = World()
    if kinds:
        world.put(*(replace(record(f"r{at}", f"text {at}"), kind=kind) for at, kind in enumerate(kinds)))

    with world.store.snapshot(TENANT) as txn:
        assert query_class(txn, scope_of(txn, (CODE,))) is expected
