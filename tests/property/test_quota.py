"""A quota of places between the ranker's order and a lane's: total, whole, and kept in every window."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.obligations.quota import Quota, falling, shared
from workingset.vocabulary import Ref

orders = st.lists(st.integers(0, 60), unique=True, max_size=45)
quotas = st.integers(2, 12).flatmap(
    lambda window: st.integers(0, window - 1).map(lambda places: Quota("q", places, window))
)
CONTESTED = Quota("contested_claims", 4)


@given(orders, orders, quotas, st.frozensets(st.integers(0, 60), max_size=5))
def test_nothing_is_lost_and_each_stands_once(
    base: list[int], lane: list[int], quota: Quota, held_back: frozenset[int]
) -> None:
    together = shared(base, lane, quota, held_back)

    assert sorted(together.order) == sorted({*base, *lane})
    assert together.by_lane <= set(lane) - held_back
    assert together == shared(list(base), list(lane), quota, set(held_back))


@given(orders, orders, quotas)
def test_each_window_has_its_shares_while_both_orders_last(base: list[int], lane: list[int], quota: Quota) -> None:
    both = shared(base, lane, quota)
    order, by_lane = both.order, both.by_lane
    for start in range(0, len(order), quota.window):
        before, window = set(order[:start]), order[start : start + quota.window]
        ranked = [i for i in base if i not in before][: quota.window - quota.lane_places]
        proposed = [i for i in lane if i not in before and i not in ranked][: quota.lane_places]
        assert set(ranked) | set(proposed) <= set(window)
        assert set(proposed) == by_lane & set(window)
        if ranked:
            assert window[0] == ranked[0]


@given(orders, orders, quotas)
def test_within_a_window_either_side_keeps_its_order(base: list[int], lane: list[int], quota: Quota) -> None:
    both = shared(base, lane, quota)
    for start in range(0, len(both.order), quota.window):
        proposed = [i for i in both.order[start : start + quota.window] if i in both.by_lane]
        assert proposed == sorted(proposed, key=lane.index)


@given(orders, quotas)
def test_a_lane_that_found_nothing_changes_nothing(base: list[int], quota: Quota) -> None:
    assert shared(base, [], quota).order == tuple(base)


@given(orders, orders, quotas, st.randoms(use_true_random=False))
def test_scores_fall_so_that_score_and_ref_give_the_order(
    base: list[int], lane: list[int], quota: Quota, random: Random
) -> None:
    together = shared(base, lane, quota)
    scores = {record_id: random.choice([0.0, 0.5, 1.0, 2.0, -1.0]) for record_id in base}
    refs = {record_id: Ref(f"n:{random.randrange(10**6):07}-{record_id}") for record_id in together.order}
    fell = falling(together, scores, refs)

    assert list(fell) == list(together.order)
    assert sorted(fell, key=lambda i: (-fell[i], refs[i])) == list(together.order)
    assert all(fell[first] >= fell[second] for first, second in pairwise(together.order))


def test_of_ten_places_four_are_the_lanes_and_what_both_hold_counts_once() -> None:
    together = shared(range(20), [0, 3, 101, 102, 103, 104], CONTESTED)

    assert together.order[:10] == (0, 1, 101, 2, 102, 3, 4, 103, 5, 104)
    assert together.order[10:] == tuple(range(6, 20))


def test_held_back_records_are_not_brought_forward_and_not_lost() -> None:
    together = shared([1, 2], [7, 8], CONTESTED, held_back={7})

    assert together.order == (1, 2, 8, 7)
    assert together.by_lane == {8}


def test_a_lanes_record_has_no_score_of_its_own() -> None:
    fell = falling(shared([1, 2], [9], Quota("q", 1, 3)), {1: 5.0, 2: 4.0}, {i: Ref(f"n:{i}") for i in (1, 2, 9)})

    assert fell == {1: 5.0, 2: 4.0, 9: 4.0}


@pytest.mark.parametrize("places", [-1, 10])
def test_a_quota_leaves_the_ranker_a_place(places: int) -> None:
    with pytest.raises(ValueError, match="lane_places"):
        Quota("q", places)
