"""F56: self-contained top-k answer with closed support / report / search_coverage stays heuristic."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotset.v1 import common_pb2
from hotsetd.wire.evaluation import coverage
from retrieval.ingest.typed_records import EdgeInput
from tests.daemon_room import note, opened
from workingset.vocabulary import SearchCoverage, SupportClosure


@pytest.mark.parametrize("profile", ["default", "contested_claims"])
def test_f56_a_closed_answer_claims_no_more_of_its_search(tmp_path: Path, profile: str) -> None:
    with opened(tmp_path) as room:
        room.records(
            [
                note("claim", "the lease of the warehouse lasts nine years"),
                note("signing", "leases are counted from the signing"),
                note("law", "a lease is a contract"),
            ],
            [EdgeInput("claim", "depends_on", "signing"), EdgeInput("signing", "depends_on", "law")],
        )
        answer = room.focus("how long does the lease of the warehouse last", profile=profile, top_k=1)

    said = coverage(answer.coverage, answer.outcome.state)
    assert answer.coverage.support is SupportClosure.CLOSED
    assert said.support_closure == common_pb2.SUPPORT_CLOSURE_CLOSED
    assert {entry.ref for entry in answer.outcome.state.entries} >= {"shop:claim", "shop:signing", "shop:law"}
    lanes = {lane.lane: lane for lane in answer.coverage.lanes}
    assert lanes["vector"].coverage is SearchCoverage.EXHAUSTIVE, "even where one lane looked at everything it knows"
    assert not answer.coverage.degraded
    assert said.search == common_pb2.SEARCH_COVERAGE_HEURISTIC
