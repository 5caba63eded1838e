"""What every lane that ships must keep, whichever it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from retrieval.deadline import Deadline
from retrieval.errors import DeadlinePassed, IndexUnavailable
from retrieval.goal import parse_goal
from retrieval.lanes.exact import ExactLane
from retrieval.lanes.graph import GraphLane
from retrieval.lanes.lane import Lane, LaneProposal, Scope
from retrieval.lanes.lexical import LexicalLane
from retrieval.lanes.vector import VectorLane
from retrieval.settings import GoalSettings, GraphSettings, LaneSettings
from tests.world import CODE, TENANT, World, edge, record
from workingset.vocabulary import Namespace, SearchCoverage

_RECORDS = 12
_CAP = 5
_STATES = {"ok", "partial", "timed_out", "unavailable", "cancelled", "failed", "skipped"}
_STRENGTH = list(SearchCoverage)


def _lanes(settings: LaneSettings, graph: GraphSettings) -> dict[str, Callable[[World], Lane]]:
    return {
        "exact": lambda world: ExactLane(settings),
        "lexical": lambda world: LexicalLane(world.lexical, world.progress, settings),
        "vector": lambda world: VectorLane(world.vector, world.embedder, world.progress, settings, 0.4),
        "graph": lambda world: GraphLane({world.id_of(record("r00", "").ref): 1.0}, graph),
    }


_WIDE = _lanes(LaneSettings(), GraphSettings())
_NARROW = _lanes(LaneSettings(exact_hits_per_name=_CAP, lexical_hits=_CAP, vector_hits=_CAP), GraphSettings(hits=_CAP))


@dataclass
class Asked:
    """A lane over a world in which every record matches, and how to ask it."""

    world: World
    lane: Lane

    def propose(self, deadline: Deadline | None = None) -> LaneProposal:
        goal = parse_goal("`lease_end` expires", GoalSettings())
        with self.world.store.snapshot(TENANT) as txn:
            scope = Scope(TENANT, (CODE,), txn.cut([CODE]), txn.counts(CODE).records)
            return self.lane.propose(txn, goal, scope, deadline or self.world.within(9))


def _world() -> World:
    world = World()
    records = [record(f"r{i:02}", f"lease_end expires {i}", symbols=["lease_end"]) for i in range(_RECORDS)]
    world.put(*records, edges=[edge(records[0], "calls", other) for other in records[1:]])
    elsewhere = Namespace("other")
    world.put(record("x", "lease_end expires", symbols=["lease_end"], namespace=elsewhere))
    return world


@pytest.fixture(params=sorted(_WIDE))
def wide(request: pytest.FixtureRequest) -> Asked:
    world = _world()
    return Asked(world, _WIDE[request.param](world))


@pytest.fixture(params=sorted(_NARROW))
def narrow(request: pytest.FixtureRequest) -> Asked:
    world = _world()
    return Asked(world, _NARROW[request.param](world))


def test_it_is_named_as_its_contract_and_outcome_say(wide: Asked) -> None:
    proposal = wide.propose()

    assert wide.lane.name == wide.lane.contract.lane == proposal.outcome.lane
    assert wide.lane.contract.version >= 1
    assert proposal.outcome.state in _STATES


def test_its_ranks_are_of_the_type_it_promises(wide: Asked) -> None:
    hits = wide.propose().hits

    assert hits
    assert all(type(hit.rank) is wide.lane.contract.rank for hit in hits)


def test_all_that_matches_under_the_cap_is_returned_and_nothing_is_truncated(wide: Asked) -> None:
    proposal = wide.propose()

    assert proposal.outcome.hits == len({hit.record_id for hit in proposal.hits}) >= _RECORDS - 1
    assert not proposal.outcome.truncated
    assert (proposal.beyond, proposal.beyond_ids) == (0, frozenset())


def test_it_keeps_to_its_cap_and_says_that_there_is_more(narrow: Asked) -> None:
    proposal = narrow.propose()

    assert proposal.outcome.hits == len({hit.record_id for hit in proposal.hits}) == _CAP
    assert proposal.outcome.truncated


def test_it_stays_within_the_scope(wide: Asked) -> None:
    foreign = wide.world.id_of(record("x", "", namespace=Namespace("other")).ref)

    assert foreign not in {hit.record_id for hit in wide.propose().hits}


def test_it_never_claims_more_coverage_than_its_contract(wide: Asked, narrow: Asked) -> None:
    for asked in (wide, narrow):
        claimed = asked.propose().outcome.coverage
        assert _STRENGTH.index(claimed) >= _STRENGTH.index(asked.lane.contract.coverage)


def test_equal_questions_get_equal_answers(narrow: Asked) -> None:
    assert narrow.propose() == narrow.propose()


def test_it_stops_at_a_deadline_that_has_passed(wide: Asked) -> None:
    with pytest.raises(DeadlinePassed):
        wide.propose(wide.world.within(-1.0))


@pytest.mark.parametrize("lane", ["lexical", "vector"])
def test_a_lane_whose_index_is_down_says_unavailable(lane: str) -> None:
    world = _world()
    world.lexical.down = world.vector.down = True
    asked = Asked(world, _WIDE[lane](world))

    try:
        state = asked.propose().outcome.state
    except IndexUnavailable:
        state = "unavailable"

    assert state == "unavailable"
