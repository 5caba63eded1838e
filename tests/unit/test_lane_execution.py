"""Lanes are run under their bounds; whatever goes wrong is an outcome, never an exception."""

from __future__ import annotations

import pytest

from retrieval.deadline import Deadline
from retrieval.errors import DeadlinePassed
from retrieval.lanes.contract import GraphMass
from retrieval.lanes.lane import LaneHit
from retrieval.settings import LaneSettings, RetrievalSettings
from tests.fakes import CannedLane, counted
from tests.world import World, record
from workingset.candidate import Projection


def _states(projection: Projection) -> dict[str, str]:
    return {lane.lane: lane.state for lane in projection.lanes}


@pytest.fixture
def world() -> World:
    filled = World()
    filled.put(record("a", "leases expire"), record("b", "budgets hold"))
    return filled


def test_a_lane_that_raises_has_failed_and_the_others_answer(world: World) -> None:
    def broken() -> None:
        raise ZeroDivisionError("division by zero")

    projection = world.ask("leases expire", world.retrieval(extra_lanes=[CannedLane("extra", (), broken)]))

    outcome = next(lane for lane in projection.lanes if lane.lane == "extra")
    assert (outcome.state, outcome.note) == ("failed", "ZeroDivisionError: division by zero")
    assert projection.degraded
    assert [c.ref for c in projection.ranked] == ["code:a"]


def test_a_lane_that_overruns_its_time_is_discarded_and_counted(world: World) -> None:
    def slow() -> None:
        world.clock.seconds += 5.0

    hit = LaneHit(world.id_of(record("b", "").ref), GraphMass(1.0))
    lane = CannedLane("extra", [hit, hit], slow)

    projection = world.ask("leases expire", world.retrieval(extra_lanes=[lane]))

    assert _states(projection)["extra"] == "timed_out"
    assert counted(projection.rejected)["discarded_after_cancel"] == 2
    assert _states(projection)["graph"] == "ok"
    assert [c.ref for c in projection.ranked] == ["code:a"]


def test_a_lane_that_notices_its_deadline_has_timed_out(world: World) -> None:
    def gives_up() -> None:
        raise DeadlinePassed("the deadline ran out")

    projection = world.ask("leases", world.retrieval(extra_lanes=[CannedLane("extra", (), gives_up)]))

    assert _states(projection)["extra"] == "timed_out"


def test_nothing_is_dispatched_after_the_deadline(world: World) -> None:
    def slow() -> None:
        world.clock.seconds += 100.0

    first, second = CannedLane("first", (), slow), CannedLane("second", ())
    retrieval = world.retrieval(RetrievalSettings(lanes=LaneSettings(lane_seconds=1000.0)), extra_lanes=[first, second])

    projection = world.ask("leases expire", retrieval, world.within(10.0))

    assert (first.asked, second.asked) == (1, 0)
    assert _states(projection) == {
        "exact": "ok",
        "lexical": "ok",
        "vector": "ok",
        "first": "timed_out",
        "second": "timed_out",
        "links": "timed_out",
        "graph": "timed_out",
    }
    assert [c.ref for c in projection.ranked] == ["code:a"]


def test_after_a_cancellation_nothing_new_starts_and_late_replies_are_discarded(world: World) -> None:
    cancelled: list[bool] = []
    hit = LaneHit(world.id_of(record("b", "").ref), GraphMass(1.0))
    first = CannedLane("first", [hit], lambda: cancelled.append(True))
    second = CannedLane("second", [hit])
    deadline = Deadline(1e9, world.clock, lambda: bool(cancelled))

    projection = world.ask("leases", world.retrieval(extra_lanes=[first, second]), deadline)

    assert (first.asked, second.asked) == (1, 0)
    assert _states(projection)["first"] == _states(projection)["second"] == "cancelled"
    assert counted(projection.rejected)["discarded_after_cancel"] == 1
    assert "code:b" not in {c.ref for c in projection.ranked}


def test_a_deadline_that_has_passed_still_gives_an_answer(world: World) -> None:
    projection = world.ask("leases", deadline=world.within(-1.0))

    assert set(_states(projection).values()) == {"timed_out"}
    assert projection.ranked == ()
    assert projection.degraded


def test_every_step_is_timed(world: World) -> None:
    steps = [name for name, _ in world.ask("leases expire").timings_ms]

    assert steps == [
        *("goal", "exact", "lexical", "admission", "relevance", "links", "vector", "graph"),
        *("relations", "ranking", "closure", "known", "entities", "obligations"),
    ]


def test_an_order_that_is_no_permutation_is_refused(world: World) -> None:
    with pytest.raises(ValueError, match="permute"):
        world.ask("leases", world.retrieval(order=lambda names: names[:-1]))


def test_a_deadline_says_what_is_left(world: World) -> None:
    deadline = world.within(2.0)
    assert deadline.remaining() == 2.0
    assert deadline.within(0.5).remaining() == 0.5
    assert deadline.within(9.0).remaining() == 2.0
    deadline.check()
    world.clock.seconds += 2.0
    with pytest.raises(DeadlinePassed, match="ran out"):
        deadline.check()
