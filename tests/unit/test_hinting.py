"""Hints move a goal that only points at the work to the front of it, and others hardly at all."""

from __future__ import annotations

import pytest

from retrieval.goal import parse_goal
from retrieval.hinting import lifted, pointing_weight
from retrieval.hints import HintSettings
from retrieval.settings import FusionSettings, GoalSettings

_HINTS = HintSettings()
_FUSION = FusionSettings()


def _weight(goal: str) -> float:
    return pointing_weight(parse_goal(goal, GoalSettings()), _HINTS)


@pytest.mark.parametrize(
    "goal",
    [
        "commit this, then let's do the other bit",
        "can you review the changes in the local branch?",
        "commit this",
        "Please finish it.",
        "review my diff",
        "continue",
        "now do the rest",
        "squash the last commits and push",
        "summarize the uncommitted changes",
        "review the changes we made so far",
        "let's go on to the next step",
        "please continue with it",
        "the remaining steps, please",
        "check the pull request",
    ],
)
def test_goals_that_only_point(goal: str) -> None:
    assert _weight(goal) == _HINTS.pointing_weight


@pytest.mark.parametrize("goal", ["commit this, then fix the lease expiry too", "review my changes to the tax tables"])
def test_goals_that_point_and_say_a_little(goal: str) -> None:
    assert _weight(goal) == _HINTS.half_pointing_weight


@pytest.mark.parametrize(
    "goal",
    [
        "change the tax rate",
        "review the tax code",
        "fix lease expiry",
        "why does that function round twice",
        "commit this with `parcel_weight` renamed",
        "look at shop/ship.py and finish it",
        "this raises when a parcel has no weight, the carrier is unknown and the order was placed before midnight",
        "explain the diff algorithm",
        "how does the branch predictor work",
        "why is the patch endpoint failing",
        "where is the commit hook installed",
        "the latest changes endpoint returns 500",
        "how is the stash table created",
        "the rest client times out",
        "add a retry to the next step",
        "which steps does the next step of the wizard call",
        "why does continue skip the finally block",
        "does the proceed button work",
        "",
    ],
)
def test_goals_that_are_about_something(goal: str) -> None:
    assert _weight(goal) == _HINTS.weight


def test_the_second_does_not_pass_the_first_by_a_mild_hint() -> None:
    scores = lifted({1: 9.0, 2: 8.0}, (1, 2), {2: 1.0}, _HINTS.weight, _FUSION)

    assert scores[1] > scores[2]


def test_the_last_passes_all_where_the_goal_only_points() -> None:
    plain = {i: 1000.0 - i for i in range(500)}

    scores = lifted(plain, plain, {499: 1.0, 498: _HINTS.branch_lines}, _HINTS.pointing_weight, _FUSION)

    assert sorted(scores, key=lambda i: -scores[i])[:3] == [499, 498, 0]


def test_without_hints_among_them_scores_stay() -> None:
    plain = {1: 0.3, 2: 0.2}

    assert lifted(plain, (1, 2), {7: 1.0}, 1.5, _FUSION) is plain
