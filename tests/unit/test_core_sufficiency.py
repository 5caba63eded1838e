"""Sufficiency: each state with its cause, and the five kinds of nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import NS, SETTINGS, record
from workingset.candidate import Candidate, Entity, GoalView, LaneOutcome, Projection
from workingset.remainder import Ignored
from workingset.settings import Calibration, SufficiencySettings
from workingset.sufficiency import Nothing, State, Sufficiency, judge, nothing_of
from workingset.vocabulary import Cut, Generation

CALIBRATED = SufficiencySettings(calibration=Calibration("test", 100, "2025-01-01", 0.05, 0.1))
OK = LaneOutcome("lexical", "ok")


def projection(*ranked: Candidate, **fields: object) -> Projection:
    made = Projection(GoalView("goal"), Cut.of({NS: Generation(1)}), ranked=ranked, records_in_scope=9, lanes=(OK,))
    return replace(made, **fields)  # type: ignore[arg-type]


def ignored(count: int = 0) -> Ignored:
    return Ignored(count, (("window", count),) if count else (), (), count > 0, 0)


def judged(
    made: Projection | None = None,
    marginal: float | None = None,
    left_out: int = 0,
    obligations: tuple[str, ...] = (),
    settings: SufficiencySettings = CALIBRATED,
) -> Sufficiency:
    return judge(
        made or projection(record("a", 0.5)),
        captured=0.5,
        captured_full=0.4,
        marginal=marginal,
        ignored=ignored(left_out),
        open_obligations=obligations,
        settings=settings,
    )


def test_a_good_match_with_nothing_strong_left_out_is_sufficient() -> None:
    found = judged()
    assert (found.state, found.cause) == (State.SUFFICIENT, "nothing_strong_left_out")
    assert found.calibrated
    assert not found.truncated


def test_without_a_profile_the_state_is_capped_and_says_so() -> None:
    found = judged(settings=SETTINGS.sufficiency)
    assert (found.state, found.cause, found.calibrated) == (State.GATHERING, "uncalibrated", False)


def test_best_left_out_below_the_floor_is_sufficient_and_truncated() -> None:
    found = judged(marginal=0.12, left_out=3)
    assert found.state is State.SUFFICIENT
    assert found.truncated
    assert found.marginal == 0.12
    assert found.top_relevance == 0.5


def test_best_left_out_at_the_floor_is_gathering() -> None:
    found = judged(marginal=0.18, left_out=1)
    assert (found.state, found.cause) == (State.GATHERING, "strong_candidate_left_out")


@pytest.mark.parametrize(
    ("found", "state", "cause"),
    [
        (
            judged(projection(record("a", 0.9), entities=(Entity("Refund", False),))),
            State.GATHERING,
            "entity_not_found",
        ),
        (judged(obligations=("closure",)), State.GATHERING, "open_obligations"),
        (judged(projection(record("a", 0.29)), 0.1, 1), State.GATHERING, "weak_match"),
        (judged(projection(record("a", 0.29))), State.SATURATED, "weak_match"),
        (
            judged(projection(record("a", 0.9), lanes=(OK, LaneOutcome("vector", "unavailable")))),
            State.GATHERING,
            "degraded",
        ),
        (judged(projection()), State.SATURATED, "empty"),
        (judged(projection(near_misses=2)), State.SATURATED, "below_threshold"),
        (judged(projection(records_in_scope=0)), State.SATURATED, "not_indexed"),
        (judged(projection(lanes=(OK, LaneOutcome("vector", "timed_out")))), State.GATHERING, "degraded"),
        (judged(projection(lanes=(LaneOutcome("lexical", "failed"),))), State.GATHERING, "failed"),
    ],
)
def test_each_state_names_its_cause(found: Sufficiency, state: State, cause: str) -> None:
    assert (found.state, found.cause) == (state, cause)


def test_a_found_entity_does_not_hold_back() -> None:
    assert judged(projection(record("a", 0.9), entities=(Entity("Refund", True),))).state is State.SUFFICIENT


@pytest.mark.parametrize(
    ("made", "nothing"),
    [
        (projection(record("a", 0.1)), None),
        (projection(), Nothing.EMPTY),
        (projection(lanes=()), Nothing.EMPTY),
        (projection(near_misses=1), Nothing.BELOW_THRESHOLD),
        (projection(records_in_scope=0, near_misses=1), Nothing.NOT_INDEXED),
        (projection(lanes=(OK, LaneOutcome("vector", "partial"))), Nothing.DEGRADED),
        (projection(lanes=(LaneOutcome("lexical", "partial"),)), Nothing.DEGRADED),
        (projection(lanes=(LaneOutcome("lexical", "timed_out"), LaneOutcome("exact", "failed"))), Nothing.FAILED),
        (projection(lanes=(LaneOutcome("lexical", "cancelled"), LaneOutcome("graph", "skipped"))), Nothing.FAILED),
        (projection(records_in_scope=0, lanes=(LaneOutcome("lexical", "unavailable"), OK)), Nothing.NOT_INDEXED),
        (projection(records_in_scope=0, lanes=(LaneOutcome("lexical", "unavailable"),)), Nothing.FAILED),
    ],
)
def test_the_kinds_of_nothing_are_told_apart(made: Projection, nothing: Nothing | None) -> None:
    assert nothing_of(made) is nothing


def test_a_weak_match_beside_a_lane_that_is_down_is_not_all_there_is() -> None:
    down = replace(OK, state="timed_out")
    found = judged(projection(record("a", 0.2), lanes=(OK, down)))
    assert (found.state, found.cause) == (State.GATHERING, "degraded")


def test_what_no_lane_ranked_may_be_strong() -> None:
    found = judged(projection(record("a", 0.5), overflow=3))
    assert (found.state, found.cause) == (State.GATHERING, "unranked_left_out")
