"""How outcomes are made: bounded gaps, and a lane's state as a status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from retrieval.obligations.obligation import Obligation
from workingset.candidate import LaneOutcome
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus
from workingset.vocabulary import Translation

NAMED_GAPS: Final = 8
"""Guess: gaps that are named; the rest are counted."""

_OF_LANE: Final = {
    "unavailable": ObligationStatus.UNAVAILABLE,
    "failed": ObligationStatus.UNAVAILABLE,
    "timed_out": ObligationStatus.PARTIAL,
    "partial": ObligationStatus.PARTIAL,
    "cancelled": ObligationStatus.CANCELLED,
    "skipped": ObligationStatus.UNSATISFIED,
}


def outcome(
    obligation: Obligation,
    status: ObligationStatus,
    note: str,
    gaps: Iterable[Gap] = (),
    *,
    spent: int = 0,
    unnamed: int = 0,
    lanes: tuple[str, ...] | None = None,
) -> ObligationOutcome:
    """The outcome of an obligation; of its gaps the first are named, `unnamed` ones are only counted."""
    held = tuple(gaps)
    return ObligationOutcome(
        kind=obligation.kind,
        status=status,
        required=obligation.required,
        lanes=obligation.lanes if lanes is None else lanes,
        spent=spent,
        budget=obligation.work,
        note=note,
        gaps=held[:NAMED_GAPS],
        gap_count=len(held) + unnamed,
    )


def failed(lane: LaneOutcome | None) -> ObligationStatus | None:
    """What a lane that did not take full part makes of its obligation; None where it did.

    One that knows nothing of the scope cannot satisfy what is owed within it.
    """
    if lane is None:
        return ObligationStatus.UNAVAILABLE
    if lane.filtering is Translation.UNSUPPORTED:
        return ObligationStatus.UNSATISFIED
    return _OF_LANE.get(lane.state)
