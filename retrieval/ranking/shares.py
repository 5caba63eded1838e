"""Scores of one query made comparable: over the best of them."""

from __future__ import annotations

from collections.abc import Mapping


def over_best(scores: Mapping[int, float]) -> Mapping[int, float]:
    """Each score over the best; none where none is above 0."""
    best = max(scores.values(), default=0.0)
    return {record_id: score / best for record_id, score in scores.items()} if best > 0.0 else {}
