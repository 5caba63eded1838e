"""The table of moves: what it holds can be written down, what it does not hold cannot."""

from __future__ import annotations

from itertools import product

import pytest

from tests.core_scenes import ref
from workingset.errors import IllegalMove, WorkingSetError
from workingset.tier import LEGAL, Cause, Move, Tier

LEAVES_AT_WILL = {
    Cause.PRESSURE,
    Cause.COOLED,
    Cause.REFOCUS,
    Cause.REMOVED,
    Cause.OUT_OF_SCOPE,
    Cause.SUPERSEDED,
    Cause.ASKED,
    Cause.NEED_EVICTED,
    Cause.UNDONE,
}
CONTRACT: dict[tuple[Tier, Tier], set[Cause]] = {
    (Tier.EVICTED, Tier.PINNED): {Cause.PINNED, Cause.GOAL},
    (Tier.EVICTED, Tier.MANDATORY): {Cause.NEEDED},
    (Tier.EVICTED, Tier.RESIDENT): {Cause.RESULT, Cause.FAULT, Cause.KEPT, Cause.UNDONE},
    (Tier.EVICTED, Tier.FRONTIER_ONLY): {Cause.RELEVANT, Cause.UNDONE},
    (Tier.FRONTIER_ONLY, Tier.PINNED): {Cause.PINNED, Cause.GOAL},
    (Tier.FRONTIER_ONLY, Tier.MANDATORY): {Cause.NEEDED},
    (Tier.FRONTIER_ONLY, Tier.RESIDENT): {Cause.RESULT, Cause.FAULT, Cause.KEPT, Cause.UNDONE},
    (Tier.FRONTIER_ONLY, Tier.EVICTED): LEAVES_AT_WILL,
    (Tier.RESIDENT, Tier.PINNED): {Cause.PINNED, Cause.GOAL},
    (Tier.RESIDENT, Tier.MANDATORY): {Cause.NEEDED},
    (Tier.RESIDENT, Tier.FRONTIER_ONLY): {Cause.PRESSURE, Cause.COOLED, Cause.REFOCUS, Cause.UNDONE},
    (Tier.RESIDENT, Tier.EVICTED): LEAVES_AT_WILL,
    (Tier.MANDATORY, Tier.PINNED): {Cause.PINNED, Cause.GOAL},
    (Tier.MANDATORY, Tier.RESIDENT): {Cause.DEPENDENTS_LEFT},
    (Tier.MANDATORY, Tier.EVICTED): {
        Cause.DEPENDENTS_LEFT,
        Cause.ASKED,
        Cause.NEED_EVICTED,
        Cause.REMOVED,
        Cause.OUT_OF_SCOPE,
        Cause.SUPERSEDED,
        Cause.NEW_GOAL,
        Cause.NEW_REQUEST,
        Cause.CLOSED,
        Cause.UNDONE,
    },
    (Tier.PINNED, Tier.MANDATORY): {Cause.UNPINNED, Cause.EXPIRED},
    (Tier.PINNED, Tier.RESIDENT): {Cause.UNPINNED, Cause.EXPIRED},
    (Tier.PINNED, Tier.EVICTED): {Cause.UNPINNED, Cause.EXPIRED, Cause.NEW_GOAL, Cause.SUPERSEDED},
}


@pytest.mark.parametrize(("origin", "target"), list(product(Tier, Tier)))
def test_each_pair_of_tiers_takes_the_causes_of_its_contract_and_no_other(origin: Tier, target: Tier) -> None:
    allowed = CONTRACT.get((origin, target), set())
    assert LEGAL.get((origin, target), frozenset()) == allowed
    for cause in Cause:
        if cause in allowed:
            move = Move(ref("a"), origin, target, cause, "title", "why")
            assert move.reason == f"{cause.value}: why"
        else:
            with pytest.raises(IllegalMove) as refused:
                Move(ref("a"), origin, target, cause)
            assert origin.value in str(refused.value)
            assert isinstance(refused.value, WorkingSetError)


def test_no_pin_leaves_by_pressure_cooling_or_refocus() -> None:
    for target in Tier:
        causes = LEGAL.get((Tier.PINNED, target), frozenset())
        assert not causes & {Cause.PRESSURE, Cause.COOLED, Cause.REFOCUS, Cause.REMOVED, Cause.ASKED}


def test_a_move_without_detail_gives_its_cause_as_reason() -> None:
    assert Move(ref("a"), Tier.EVICTED, Tier.RESIDENT, Cause.RESULT).reason == Cause.RESULT.value
