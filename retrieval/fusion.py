"""Fusion: one order from the lanes' votes, by reciprocal rank fusion.

Cormack, Clarke, Buettcher, "Reciprocal rank fusion outperforms Condorcet", SIGIR 2009, with k = 10 instead of 60 and
weights per lane, as measured on open code rows. A lane that has not seen a record has no vote on it; equal scores share
the best rank, so that ties do not hang on ids. Sums run in a fixed order of lanes, so arrival changes no bit.
"""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.settings import FusionSettings

Votes = Mapping[str, Mapping[int, float]]
"""Lane name to record id to the lane's own score, higher is better. Scores of two lanes are never compared."""


def ranks(scores: Mapping[int, float], decimals: int) -> dict[int, int]:
    """Ranks from 1; equal scores (to `decimals`) share the best rank of their group."""
    rounded = {record_id: round(score, decimals) for record_id, score in scores.items()}
    first: dict[float, int] = {}
    for position, score in enumerate(sorted(rounded.values(), reverse=True), start=1):
        first.setdefault(score, position)
    return {record_id: first[score] for record_id, score in rounded.items()}


def fuse(votes: Votes, settings: FusionSettings) -> dict[int, float]:
    """The selection score of every record that any lane voted for; it orders and means nothing else."""
    fused: dict[int, float] = {}
    for lane in sorted(votes):
        weight = settings.weight(lane)
        for record_id, rank in ranks(votes[lane], settings.score_decimals).items():
            fused[record_id] = fused.get(record_id, 0.0) + weight / (settings.k_ranks + rank)
    return fused
