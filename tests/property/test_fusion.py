"""Fusion orders the same whatever order votes come in, and ties never hang on ids."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import fuse, ranks
from retrieval.settings import FusionSettings

_LANES = ("exact", "lexical", "vector", "graph", "recent")
_SETTINGS = FusionSettings()

scores = st.floats(min_value=-1.0, max_value=50.0, allow_nan=False).map(lambda value: round(value, 3))
votes = st.dictionaries(
    st.sampled_from(_LANES), st.dictionaries(st.integers(1, 40), scores, max_size=30), max_size=len(_LANES)
)


@given(votes, st.randoms(use_true_random=False))
def test_arrival_order_changes_no_bit(given_votes: dict[str, dict[int, float]], random: Random) -> None:
    lanes = list(given_votes)
    random.shuffle(lanes)
    shuffled: dict[str, dict[int, float]] = {}
    for lane in lanes:
        items = list(given_votes[lane].items())
        random.shuffle(items)
        shuffled[lane] = dict(items)

    once, again = fuse(given_votes, _SETTINGS), fuse(shuffled, _SETTINGS)

    assert {i: score.hex() for i, score in once.items()} == {i: score.hex() for i, score in again.items()}


@given(votes)
def test_who_no_lane_saw_has_no_score(given_votes: dict[str, dict[int, float]]) -> None:
    seen = {record_id for lane in given_votes.values() for record_id in lane}

    assert set(fuse(given_votes, _SETTINGS)) == seen


@given(votes, st.integers(1, 1000))
def test_renaming_records_renames_the_answer_and_nothing_else(
    given_votes: dict[str, dict[int, float]], shift: int
) -> None:
    def rename(record_id: int) -> int:
        return 10_000 - record_id * shift

    renamed = {lane: {rename(i): score for i, score in held.items()} for lane, held in given_votes.items()}

    assert fuse(renamed, _SETTINGS) == {rename(i): score for i, score in fuse(given_votes, _SETTINGS).items()}


@given(st.dictionaries(st.integers(1, 40), scores, min_size=1, max_size=30))
def test_ranks_follow_scores_and_equal_scores_share_the_best(given_scores: dict[int, float]) -> None:
    ranked = ranks(given_scores, 6)

    assert min(ranked.values()) == 1
    for one, first in given_scores.items():
        better = sum(1 for other in given_scores.values() if other > first)
        assert ranked[one] == better + 1


@given(votes, st.sampled_from(_LANES), st.integers(1, 40))
def test_a_better_place_in_one_lane_is_never_worse(
    given_votes: dict[str, dict[int, float]], lane: str, record_id: int
) -> None:
    before = fuse(given_votes, _SETTINGS).get(record_id, 0.0)
    lifted = {**given_votes, lane: {**given_votes.get(lane, {}), record_id: 100.0}}

    assert fuse(lifted, _SETTINGS)[record_id] >= before


def test_the_measured_profile_is_the_default() -> None:
    assert (_SETTINGS.k_ranks, _SETTINGS.lexical_weight, _SETTINGS.vector_weight) == (10, 0.5, 1.0)
    assert fuse({"vector": {7: 0.9}, "lexical": {7: 3.0}}, _SETTINGS) == {7: 1.0 / 11 + 0.5 / 11}
