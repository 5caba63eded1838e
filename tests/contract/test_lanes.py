"""What every lane that ships must keep, whichever it is: `lane_room.LANES` names them all."""

from __future__ import annotations

import copy
from dataclasses import replace
from math import isfinite

import pytest

from retrieval.admission import Gate
from retrieval.deadline import Deadline
from retrieval.errors import DeadlinePassed
from retrieval.execution import run_lanes
from retrieval.lanes.contract import HardFilter, Reads
from retrieval.settings import LaneSettings
from tests.contract.lane_room import (
    CAP,
    INDEXES,
    LANES,
    NARROW,
    OTHER,
    RECORDS,
    WIDE,
    Asked,
    asked,
    filled,
    goal,
    made,
    scope_of,
    shipped,
)
from tests.fakes import CannedLane, FakeClock
from tests.world import CODE, TENANT, edge
from workingset.vocabulary import Generation, SearchCoverage

_STATES = {"ok", "partial", "timed_out", "unavailable", "cancelled", "failed", "skipped"}
_STRENGTH = list(SearchCoverage)
FOLLOWERS = sorted(lane for lane, contract in shipped().items() if contract.reads is Reads.FOLLOWER)


@pytest.fixture(params=sorted(LANES))
def wide(request: pytest.FixtureRequest) -> Asked:
    return asked(request.param, WIDE)


@pytest.fixture(params=sorted(LANES))
def narrow(request: pytest.FixtureRequest) -> Asked:
    return asked(request.param, NARROW)


def test_every_lane_is_held_to_this() -> None:
    assert sorted(LANES) == sorted(shipped())


def test_it_is_named_as_its_contract_and_outcome_say(wide: Asked) -> None:
    proposal = wide.propose()

    assert wide.lane.name == wide.lane.contract.lane == proposal.outcome.lane
    assert wide.lane.contract.version >= 1
    assert proposal.outcome.state in _STATES


def test_its_ranks_are_of_the_type_it_promises(wide: Asked) -> None:
    hits = wide.propose().hits

    assert hits
    assert all(type(hit.rank) is wide.lane.contract.rank for hit in hits)
    assert all(isfinite(hit.rank.order_value) for hit in hits)


def test_its_hits_are_in_a_total_order(wide: Asked) -> None:
    hits = [(-hit.rank.order_value, hit.record_id) for hit in wide.propose().hits]

    assert hits == sorted(hits)


def test_all_that_matches_under_the_cap_is_returned_and_nothing_is_truncated(wide: Asked) -> None:
    proposal = wide.propose()

    assert proposal.outcome.hits == len({hit.record_id for hit in proposal.hits}) >= RECORDS - 1
    assert not proposal.outcome.truncated
    assert (proposal.beyond, proposal.beyond_ids) == (0, frozenset())


def test_it_keeps_to_its_cap_and_says_that_there_is_more(narrow: Asked) -> None:
    proposal = narrow.propose()

    assert proposal.outcome.hits == len({hit.record_id for hit in proposal.hits}) == CAP
    assert proposal.outcome.truncated
    assert not proposal.beyond_ids & {hit.record_id for hit in proposal.hits}


@pytest.mark.parametrize("lane", ["exact", "host", "vector"])
def test_what_its_cap_keeps_out_is_told(lane: str) -> None:
    wide, narrow = asked(lane, WIDE).propose(), asked(lane, NARROW).propose()
    left = {hit.record_id for hit in wide.hits} - {hit.record_id for hit in narrow.hits}

    assert len(narrow.beyond_ids) + narrow.beyond >= len(left) > 0
    assert narrow.beyond or left <= narrow.beyond_ids


@pytest.mark.parametrize("lane", sorted(LANES))
def test_under_its_cap_it_returns_the_best_of_what_it_would_return_without(lane: str) -> None:
    few, many = ([hit.record_id for hit in asked(lane, caps).propose().hits] for caps in (NARROW, WIDE))

    assert few == many[:CAP]


def test_its_hits_exist_at_the_cut(wide: Asked) -> None:
    with wide.world.store.snapshot(TENANT) as txn:
        gate = Gate(txn, scope_of(txn), 0)
        hits = wide.propose().hits
        gate.admit(hit.record_id for hit in hits)

    assert gate.reasons() == {}
    assert {hit.record_id for hit in hits} == set(gate.records)


def test_what_it_proposes_of_the_past_does_not_pass_the_gate(wide: Asked) -> None:
    gone = made(3)
    gone_id = wide.world.id_of(gone.ref)
    wide.world.remove(gone.ref, from_indexes=False)

    hits = wide.propose().hits
    with wide.world.store.snapshot(TENANT) as txn:
        gate = Gate(txn, scope_of(txn), 0)
        gate.admit(hit.record_id for hit in hits)

    assert gone_id not in gate.records
    assert len(gate.records) >= RECORDS - 2
    assert sum(gate.reasons().values()) == len({hit.record_id for hit in hits}) - len(gate.records)


def test_it_stays_within_the_scope(wide: Asked) -> None:
    foreign = wide.world.id_of(made(0, OTHER).ref)

    assert foreign not in {hit.record_id for hit in wide.propose().hits}


def test_over_both_namespaces_it_finds_what_each_holds(wide: Asked) -> None:
    wide.world.put(edges=[edge(made(0), "calls", made(0, OTHER))])
    foreign = wide.world.id_of(made(0, OTHER).ref)

    with wide.world.store.snapshot(TENANT) as txn:
        both = wide.lane.propose(txn, goal(), scope_of(txn, CODE, OTHER), wide.world.within(9))
        gate = Gate(txn, scope_of(txn), 0)
        gate.admit(hit.record_id for hit in wide.propose().hits)

    if wide.lane.name == "host":  # its path could now be either namespace's file
        assert (both.hits, both.outcome.note) == ((), "1 of 1 hinted files could be several files: lib/lease.py")
    else:
        assert foreign in {hit.record_id for hit in both.hits}
    assert foreign not in gate.records
    assert (gate.reasons() == {}) or wide.lane.contract.hard_filter is not HardFilter.NATIVE


@pytest.mark.parametrize("lane", sorted(LANES))
def test_it_never_claims_more_coverage_than_its_contract(lane: str) -> None:
    for each in (asked(lane, WIDE), asked(lane, NARROW)):
        claimed = each.propose().outcome.coverage
        assert _STRENGTH.index(claimed) >= _STRENGTH.index(each.lane.contract.coverage)


@pytest.mark.parametrize("lane", sorted(LANES))
def test_it_claims_to_be_exhaustive_only_where_nothing_is_missing(lane: str) -> None:
    for each in (asked(lane, WIDE), asked(lane, NARROW)):
        proposal = each.propose()
        if proposal.outcome.coverage is SearchCoverage.EXHAUSTIVE:
            assert (proposal.beyond, proposal.beyond_ids) == (0, frozenset())
            assert (proposal.outcome.lag, proposal.outcome.covered, proposal.outcome.state) == (0, 1.0, "ok")


@pytest.mark.parametrize("lane", FOLLOWERS)
def test_while_its_index_is_behind_it_says_so_and_claims_no_more(lane: str) -> None:
    for index in INDEXES.get(lane, (lane,)):
        world, _ = filled()
        world.put(made(RECORDS), vectors=False)
        world.progress.behind[index, CODE] = Generation(world.generation() - 1)
        with world.store.snapshot(TENANT) as txn:
            outcome = LANES[lane](world, WIDE).propose(txn, goal(), scope_of(txn), world.within(9)).outcome

        assert (outcome.state, outcome.coverage) == ("partial", SearchCoverage.PARTIAL_BACKEND)
        assert outcome.lag >= 1
        assert outcome.covered < 1.0


@pytest.mark.parametrize("lane", FOLLOWERS)
def test_a_rebuilt_index_is_named_in_its_outcome(lane: str) -> None:
    for index in INDEXES.get(lane, (lane,)):
        told = asked(lane, WIDE)
        told.world.progress.notes[index, CODE] = "rebuilt from the store: the index was missing"

        outcome = told.propose().outcome

        assert "rebuilt from the store: the index was missing" in outcome.note
        assert outcome.state == "ok"


def test_equal_questions_get_equal_answers(narrow: Asked) -> None:
    assert narrow.propose() == narrow.propose()
    assert narrow.propose() == asked(narrow.lane.name, NARROW).propose()


def test_it_changes_nothing(wide: Asked) -> None:
    world = wide.world
    before = copy.deepcopy((wide.disk.contents, vars(world.lexical), vars(world.vector), world.progress))

    wide.propose()

    assert (wide.disk.contents, vars(world.lexical), vars(world.vector), world.progress) == before


def test_it_stops_at_a_deadline_that_has_passed(wide: Asked) -> None:
    with pytest.raises(DeadlinePassed):
        wide.propose(wide.world.within(-1.0))


def test_time_that_runs_out_midway_is_an_outcome_and_the_others_answer(wide: Asked) -> None:
    beside = CannedLane("beside", ())
    for readings in range(1, 6):
        deadline = Deadline(readings + 1.5, FakeClock(step_seconds=1.0))
        with wide.world.store.snapshot(TENANT) as txn:
            first, last = run_lanes([wide.lane, beside], txn, goal(), scope_of(txn), deadline, 60.0)
        assert first.proposal.outcome.state in {"ok", "timed_out"}
        assert (first.proposal.hits == ()) == (first.proposal.outcome.state == "timed_out")
        assert last.proposal.outcome.state in {"ok", "timed_out"}


@pytest.mark.parametrize("lane", FOLLOWERS)
def test_an_index_that_is_down_is_an_outcome_and_the_others_answer(lane: str) -> None:
    told = asked(lane, WIDE)
    told.world.lexical.down = told.world.vector.down = True
    beside = CannedLane("beside", ())

    with told.world.store.snapshot(TENANT) as txn:
        down, up = run_lanes([told.lane, beside], txn, goal(), scope_of(txn), told.world.within(9), 9.0)

    assert (down.proposal.outcome.state, down.proposal.hits) == ("unavailable", ())
    assert down.proposal.outcome.coverage is SearchCoverage.NOT_ATTEMPTED
    assert down.proposal.outcome.covered == 0.0
    assert "index is down" in down.proposal.outcome.note
    assert up.proposal.outcome.state == "ok"


def test_the_vector_lane_is_exhaustive_where_all_vectors_were_compared_and_none_that_is_strong_is_cut_off() -> None:
    for cap, strong, claim in (
        (CAP, False, SearchCoverage.EXHAUSTIVE),
        (CAP, True, SearchCoverage.APPROXIMATE),
        (RECORDS, True, SearchCoverage.EXHAUSTIVE),
    ):
        lanes = replace(LaneSettings(), vector_hits=cap)
        told = asked("vector", replace(WIDE, lanes=lanes))
        told.world.vector.exhaustive = True
        if not strong:
            told.lane._strong_cosine = 1.01  # type: ignore[attr-defined]
        proposal = told.propose()
        assert proposal.outcome.coverage is claim
        assert proposal.outcome.truncated == (cap < RECORDS)
