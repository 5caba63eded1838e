"""F53: one required backend down / run / partial_backend plus the named unsatisfied obligation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hotset.v1 import attention_pb2, common_pb2
from hotsetd.wire.evaluation import coverage
from retrieval.errors import IndexUnavailable
from retrieval.obligations.profiles import profiles
from retrieval.project import Query
from tests.contract.hashing_embedder import HashingEmbedder
from tests.daemon_room import note, opened
from tests.world import World, record
from workingset.obligation import ObligationStatus
from workingset.sufficiency import State
from workingset.vocabulary import OppositionCoverage, SearchCoverage

CLAIM = "the lease of the warehouse lasts nine years"


def test_f53_the_answer_claims_less_and_names_what_is_owed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(self: HashingEmbedder, texts: Sequence[str]) -> list[tuple[float, ...]]:
        del self, texts
        raise IndexUnavailable("the model cannot be loaded")

    with opened(tmp_path) as room:
        room.records([note("claim", CLAIM), note("other", "the lease was cut to five years")])
        well = room.focus(CLAIM, "well", profile="irreversible_action")
        monkeypatch.setattr(HashingEmbedder, "embed", down)
        answer = room.focus(CLAIM, profile="irreversible_action")

    assert coverage(well.coverage, well.outcome.state).search == common_pb2.SEARCH_COVERAGE_HEURISTIC
    reply = coverage(answer.coverage, answer.outcome.state)
    assert reply.search == common_pb2.SEARCH_COVERAGE_PARTIAL_BACKEND
    lanes = {lane.lane: lane.state for lane in reply.lanes}
    assert lanes["vector"] == attention_pb2.LANE_STATE_UNAVAILABLE
    assert lanes["lexical"] == attention_pb2.LANE_STATE_OK, "the others answer"

    owed = {one.kind.value: one for one in answer.coverage.obligations}
    assert owed["opposition"].status is ObligationStatus.PARTIAL
    assert owed["opposition"].open
    assert [gap.what for gap in owed["opposition"].gaps] == ["the lane opposing did not search fully"]
    assert owed["scope"].open
    assert {gap.what for gap in owed["scope"].gaps} >= {"the lane vector is unavailable"}
    assert answer.coverage.opposition is OppositionCoverage.RESOURCE_LIMITED
    named = "; ".join(answer.outcome.sufficiency.open_obligations)
    assert "opposition" in named
    assert "scope" in named
    assert answer.outcome.sufficiency.state is not State.SUFFICIENT
    assert "shop:claim" in {entry.ref for entry in answer.outcome.state.entries}


@pytest.mark.parametrize(
    ("down", "status", "said"),
    [
        (("lexical",), ObligationStatus.PARTIAL, OppositionCoverage.RESOURCE_LIMITED),
        (("vector",), ObligationStatus.PARTIAL, OppositionCoverage.RESOURCE_LIMITED),
        (("lexical", "vector"), ObligationStatus.UNAVAILABLE, OppositionCoverage.UNAVAILABLE),
    ],
)
def test_f53_with_either_index_down_what_it_was_to_search_is_open(
    down: tuple[str, ...], status: ObligationStatus, said: OppositionCoverage
) -> None:
    world = World()
    world.put(record("claim", CLAIM, symbols=["lease_end"]), record("other", "the lease was cut to five years"))
    for which in down:
        getattr(world, which).down = True

    found = world.ask(Query(f"`lease_end`: {CLAIM}", profile=profiles()["contested_claims"]))

    owed = next(one for one in found.obligations if one.kind.value == "opposition")
    assert (owed.status, owed.open) == (status, True)
    assert owed.gaps
    assert found.opposition is said
    (lane,) = [lane for lane in found.lanes if lane.lane == "opposing"]
    assert lane.degraded
    assert lane.coverage in {SearchCoverage.PARTIAL_BACKEND, SearchCoverage.NOT_ATTEMPTED}
    assert found.ranked, "what is left still answers"
