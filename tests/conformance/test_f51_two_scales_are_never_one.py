"""F51: BM25 20 and cosine .9 / run without a fusion profile / both typed; no cross-sort."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import pytest

from retrieval.fusion import fuse
from retrieval.lanes.contract import (
    Bm25,
    Cosine,
    ExactMatch,
    GraphMass,
    Hinted,
    LaneContract,
    Linked,
    Opposing,
    RankInfo,
)
from retrieval.lanes.exact import ExactLane
from retrieval.lanes.graph import GraphLane
from retrieval.lanes.host import HostLane
from retrieval.lanes.lane import LaneHit
from retrieval.lanes.lexical import LexicalLane
from retrieval.lanes.opposing import OpposingLane
from retrieval.lanes.vector import VectorLane
from retrieval.ranking.by_ranks import ByRanks
from retrieval.ranking.query_class import QueryClass
from retrieval.settings import FusionSettings
from tests.fakes import CannedLane
from tests.world import World, record, refs

GOAL = "how long does the lease last"
RANKS: list[RankInfo] = [
    ExactMatch("f", "f", None, 1.0),
    Bm25(20.0),
    Cosine(0.9, "model-1"),
    GraphMass(0.4),
    Linked(0.5),
    Hinted(0.6),
    Opposing(1.2),
]


def test_f51_each_lane_has_a_rank_of_its_own_type_and_no_two_types_compare() -> None:
    lanes = (ExactLane, LexicalLane, VectorLane, GraphLane, HostLane, OpposingLane)
    contracts: list[LaneContract] = [lane.contract for lane in lanes]
    assert len({contract.rank for contract in contracts}) == len(contracts)
    for one in RANKS:
        for other in RANKS:
            with pytest.raises(TypeError):
                assert one < other  # type: ignore[operator]


def order_with(lexical: Callable[[float], float], cosine: Callable[[float], float]) -> list[str]:
    """The order by ranks, where one lane says BM25 20 of one record and another cosine .9 of another, as rescaled."""
    world = World()
    records = [record(f"r{i}", f"the lease number {i} lasts {i} turns") for i in range(6)]
    world.put(*records)
    ids = [world.id_of(each.ref) for each in records]
    by_words = CannedLane("words", [LaneHit(ids[i], Bm25(lexical(s))) for i, s in ((0, 20.0), (1, 11.0), (2, 3.0))])
    by_likeness = CannedLane(
        "likeness", [LaneHit(ids[i], Cosine(cosine(s), "model-1")) for i, s in ((3, 0.9), (4, 0.5), (0, 0.2))]
    )
    unfitted = dict.fromkeys(QueryClass, ByRanks(FusionSettings()))
    found = world.ask(GOAL, world.retrieval(extra_lanes=[by_words, by_likeness], ranked_by=unfitted))
    assert FusionSettings().name in found.fusion, "what orders is always named"
    assert {lane.lane for lane in found.lanes} >= {"words", "likeness"}
    return [str(ref) for ref in refs(found)]


def test_f51_the_size_of_a_score_says_nothing_to_another_lane() -> None:
    plain = order_with(lambda s: s, lambda s: s)
    assert order_with(lambda s: s / 1_000, lambda s: s) == plain
    assert order_with(lambda s: s, lambda s: exp(9 * s)) == plain
    assert order_with(lambda s: s**3, lambda s: s / 50) == plain


def test_f51_the_best_of_each_lane_are_equals() -> None:
    fused = fuse(
        {"lexical": {1: 20.0, 2: 19.0}, "vector": {3: 0.9, 4: 0.1}},
        FusionSettings(lexical_weight=1.0, vector_weight=1.0),
    )
    assert fused[1] == fused[3]
    assert fused[2] == fused[4] < fused[1]
