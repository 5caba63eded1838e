"""The lexical lane says what it could not see and what it left out."""

from __future__ import annotations

import pytest

from retrieval.settings import GoalSettings, LaneSettings, RetrievalSettings
from tests.world import CODE, World, record
from workingset.candidate import LaneOutcome, Projection
from workingset.vocabulary import Generation, SearchCoverage


def _lexical(projection: Projection) -> LaneOutcome:
    return next(lane for lane in projection.lanes if lane.lane == "lexical")


def test_a_goal_without_words_skips_the_lane() -> None:
    world = World()
    world.put(record("a", "body"))

    outcome = _lexical(world.ask("… !?"))

    assert outcome.state == "skipped"
    assert not outcome.degraded


def test_an_index_behind_the_store_is_partial_with_its_lag() -> None:
    world = World()
    world.put(record("a", "leases expire"))
    world.put(record("b", "leases renew"), record("c", "leases end"))
    world.progress.behind["lexical", CODE] = Generation(1)

    outcome = _lexical(world.ask("leases"))

    assert (outcome.state, outcome.lag) == ("partial", 2)
    assert outcome.covered == pytest.approx(1 / 3)
    assert outcome.coverage is SearchCoverage.PARTIAL_BACKEND
    assert outcome.degraded


def test_an_index_that_never_ran_covers_nothing() -> None:
    world = World()
    world.put(record("a", "leases expire"), record("b", "leases renew"))
    world.progress.behind["lexical", CODE] = Generation(0)

    outcome = _lexical(world.ask("leases"))

    assert (outcome.lag, outcome.covered) == (2, 0.0)


def test_exactly_as_many_matches_as_the_cap_are_not_truncated() -> None:
    world = World()
    world.put(*(record(f"r{i}", f"lease number {i}") for i in range(6)))
    retrieval = world.retrieval(RetrievalSettings(lanes=LaneSettings(lexical_hits=6)))

    projection = world.ask("lease", retrieval)

    assert not _lexical(projection).truncated
    assert projection.overflow == 0
    assert len(projection.ranked) == 6


def test_matches_beyond_the_cap_are_bounded_from_above() -> None:
    world = World()
    world.put(*(record(f"r{i:02}", f"the lease expires {i}") for i in range(30)))
    retrieval = world.retrieval(RetrievalSettings(lanes=LaneSettings(lexical_hits=10, vector_hits=2)))

    projection = world.ask("lease expires", retrieval)

    assert _lexical(projection).truncated
    assert _lexical(projection).coverage is SearchCoverage.BOUNDED
    assert 30 - len(projection.ranked) <= projection.overflow <= 30


def test_terms_beyond_the_cap_are_told() -> None:
    world = World()
    world.put(record("a", "alpha"))
    retrieval = world.retrieval(RetrievalSettings(goal=GoalSettings(terms_limit=2)))

    assert "2 lighter terms not searched" in _lexical(world.ask("alpha beta gamma delta", retrieval)).note


def test_text_beyond_the_cap_is_told() -> None:
    world = World()
    world.put(record("a", "alpha"))
    retrieval = world.retrieval(RetrievalSettings(goal=GoalSettings(read_characters=10)))

    assert "15 characters of the goal not read" in _lexical(world.ask("alpha " + "x" * 19, retrieval)).note
