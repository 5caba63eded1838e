"""How far the sensors disagree: what one of them finds best and the other does not find among its best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from retrieval.lanes.lane import LaneProposal
from retrieval.lanes.lexical import LEXICAL
from retrieval.lanes.vector import VECTOR

BEST: Final = 10
"""Hits compared, of each: a window of a quota."""


def disagreement(proposals: Mapping[str, LaneProposal]) -> float | None:
    """The share of the best of the lexical and of the vector lane that only one of them has; None where either has no
    hit, so that there is nothing to compare. High disagreement is no fault: it says that one sensor alone stands
    behind much of what was found."""
    best = [_best(proposals.get(lane)) for lane in (LEXICAL, VECTOR)]
    if not all(best):
        return None
    return 1.0 - len(best[0] & best[1]) / len(best[0] | best[1])


def _best(proposal: LaneProposal | None) -> frozenset[int]:
    hits = proposal.hits if proposal is not None else ()
    ordered = sorted(hits, key=lambda hit: (-hit.rank.order_value, hit.record_id))
    return frozenset(hit.record_id for hit in ordered[:BEST])
