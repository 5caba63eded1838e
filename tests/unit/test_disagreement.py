"""How far the sensors disagree, in a projection and its receipt."""

from __future__ import annotations

import pytest

from retrieval.disagreement import BEST, disagreement
from retrieval.lanes.contract import Bm25, Cosine
from retrieval.lanes.lane import LaneHit, LaneProposal
from retrieval.lanes.lexical import LEXICAL
from retrieval.lanes.vector import VECTOR
from tests.world import World, record
from workingset.candidate import LaneOutcome


def words(*ids: int) -> LaneProposal:
    hits = tuple(LaneHit(i, Bm25(float(100 - at))) for at, i in enumerate(ids))
    return LaneProposal(hits, LaneOutcome(LEXICAL, "ok"))


def likeness(*ids: int) -> LaneProposal:
    hits = tuple(LaneHit(i, Cosine(0.9 - at / 100, "m")) for at, i in enumerate(ids))
    return LaneProposal(hits, LaneOutcome(VECTOR, "ok"))


@pytest.mark.parametrize(
    ("lexical", "vector", "share"),
    [((1, 2), (2, 1), 0.0), ((1, 2), (3, 4), 1.0), ((1, 2, 3), (3, 4, 5), 0.8), ((1,), (), None), ((), (), None)],
)
def test_it_is_the_share_that_only_one_has(
    lexical: tuple[int, ...], vector: tuple[int, ...], share: float | None
) -> None:
    found = disagreement({LEXICAL: words(*lexical), VECTOR: likeness(*vector)})
    assert found == (None if share is None else pytest.approx(share))


def test_only_the_best_count() -> None:
    found = disagreement({LEXICAL: words(*range(1, 31)), VECTOR: likeness(*range(1, BEST + 1))})
    assert found == 0.0


def test_a_projection_says_it() -> None:
    world = World()
    world.put(record("a", "the lease expires"), record("b", "the lease"), record("c", "nothing of it"))
    assert world.ask("the lease expires").disagreement is not None
    assert world.ask("qwzx").disagreement is None
