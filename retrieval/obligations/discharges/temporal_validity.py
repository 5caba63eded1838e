"""Temporal validity: records whose time has not come or is over were left out, and are counted."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus


def temporal_validity(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where something valid was found, or nothing was left out for its time."""
    over, early = view.rejected.get("expired", 0), view.rejected.get("not_yet_valid", 0)
    note = f"{over} matches are expired, {early} not yet valid"
    if view.ranked or not over + early:
        return outcome(obligation, ObligationStatus.SATISFIED, note, spent=over + early)
    gap = Gap("all that matched is not valid now", "ingest what holds now, or ask for another time")
    return outcome(obligation, ObligationStatus.UNSATISFIED, note, [gap], spent=over + early)
