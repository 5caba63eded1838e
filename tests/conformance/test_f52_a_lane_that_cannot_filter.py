"""F52: backend cannot filter / translate / receipt says post_filter or weakened."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hotsetd.wire.evaluation import coverage
from retrieval.ingest.typed_records import EdgeInput
from retrieval.lanes.contract import GraphMass, HardFilter, LaneContract, Reads
from retrieval.lanes.graph import GraphLane
from retrieval.lanes.lane import LaneHit
from tests.daemon_room import note, opened
from tests.fakes import CannedLane, counted
from tests.world import World, record
from workingset.receipt import Node
from workingset.vocabulary import Namespace, SearchCoverage, Translation

GOAL = "how long does the lease last"


@pytest.mark.parametrize(
    ("hard_filter", "said"),
    [
        (HardFilter.NATIVE, Translation.PRESERVED),
        (HardFilter.EXACT_PREFILTER, Translation.PRESERVED),
        (HardFilter.OVERFETCH_POSTFILTER, Translation.POST_FILTER),
        (HardFilter.POSTFILTER, Translation.POST_FILTER),
        (HardFilter.UNSUPPORTED, Translation.UNSUPPORTED),
    ],
)
def test_f52_what_a_lane_makes_of_the_scope_is_said_and_nothing_from_outside_is_a_result(
    hard_filter: HardFilter, said: Translation
) -> None:
    world = World()
    inside, outside = record("in", "the lease lasts nine turns"), record("out", "a lease", namespace=Namespace("other"))
    world.put(inside, outside)
    lane = CannedLane("remote", [LaneHit(world.id_of(each.ref), GraphMass(1.0)) for each in (inside, outside)])
    lane.contract = replace(CannedLane.contract, lane="remote", hard_filter=hard_filter)

    found = world.ask(GOAL, world.retrieval(extra_lanes=[lane]))

    told = {each.lane: each for each in found.lanes}
    assert told["remote"].filtering is said
    assert told["lexical"].filtering is Translation.PRESERVED
    assert outside.ref not in {c.ref for c in (*found.ranked, *found.support, *found.known)}
    assert counted(found.rejected)["out_of_scope"] == 1
    scope = next(one for one in found.obligations if one.kind.value == "scope")
    assert (scope.status.value == "partial") is (said is Translation.UNSUPPORTED)
    assert [gap.what for gap in scope.gaps] == (
        ["the lane remote cannot keep to the scope"] if said is Translation.UNSUPPORTED else []
    )


def test_f52_a_cap_before_the_filter_weakens_the_constraint() -> None:
    assert HardFilter.POSTFILTER.translation(truncated=True) is Translation.WEAKENED
    assert HardFilter.NATIVE.translation(truncated=True) is Translation.PRESERVED


@pytest.mark.parametrize(
    "hard_filter", [HardFilter.OVERFETCH_POSTFILTER, HardFilter.POSTFILTER, HardFilter.UNSUPPORTED]
)
def test_f52_a_lane_that_filters_afterwards_cannot_promise_to_be_exhaustive(hard_filter: HardFilter) -> None:
    with pytest.raises(ValueError, match="never exhaustive"):
        LaneContract("remote", 1, SearchCoverage.EXHAUSTIVE, hard_filter, Reads.SNAPSHOT, GraphMass)


def _nodes(node: Node) -> list[Node]:
    return [node, *(each for part in node.parts for each in _nodes(part))]


def test_f52_the_receipt_of_a_turn_says_so(tmp_path: Path) -> None:
    """The graph lane walks edges that lead out of the scope: its contract says that it filters afterwards."""
    assert GraphLane.contract.hard_filter is HardFilter.POSTFILTER
    with opened(tmp_path) as room:
        room.records([note("away", "what the archive says of it")], ns="archive")
        room.records([note("in", "the lease lasts nine turns")], [EdgeInput("in", "references", "archive:away")])
        answer = room.focus(GOAL, namespaces=("shop",))

    (search,) = [node for node in answer.outcome.receipt.parts if node.what == "search"]
    said = {lane.what: {each.what: each.value for each in lane.parts}.get("filtering") for lane in search.parts}
    assert said["graph"] in {"post_filter", "weakened"}
    assert said["lexical"] == said["exact"] == "preserved"
    wire = coverage(answer.coverage, answer.outcome.state)
    assert {lane.lane for lane in wire.lanes if lane.filtering > 1} == {"graph"}
    assert "archive:away" not in {entry.ref for entry in answer.outcome.state.entries}
    assert dict(answer.coverage.rejected)["out_of_scope"] == 1
