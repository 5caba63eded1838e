"""Freshness: whether the evidence is known to be current. A high score buys no stale record a way back."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus
from workingset.vocabulary import Freshness

NO_CURRENT_EVIDENCE = "no current evidence"


def freshness(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where the results are current: all of them, or, where current ones alone count, one, and none stale."""
    looked_at = view.best(obligation.results)
    current = [c for c in looked_at if c.freshness is Freshness.CURRENT]
    stale = [c for c in looked_at if c.freshness is Freshness.STALE]
    unknown = len(looked_at) - len(current) - len(stale)
    note = f"{len(current)} current, {len(stale)} stale, {unknown} not known"
    if obligation.current_only and not current:
        gaps = [Gap(NO_CURRENT_EVIDENCE, "ingest it again from its source with a validator and when it was verified")]
        gaps += [Gap("stale", "bring it up to its source", c.ref) for c in stale]
        return outcome(
            obligation, ObligationStatus.UNSATISFIED, f"{NO_CURRENT_EVIDENCE}: {note}", gaps, spent=len(looked_at)
        )
    if len(current) == len(looked_at):
        return outcome(obligation, ObligationStatus.SATISFIED, note, spent=len(looked_at))
    gaps = [
        Gap("stale" if c.freshness is Freshness.STALE else "not known to be current", "verify it at its source", c.ref)
        for c in looked_at
        if c.freshness is not Freshness.CURRENT
    ]
    status = ObligationStatus.SATISFIED if obligation.current_only and not stale else ObligationStatus.PARTIAL
    return outcome(obligation, status, note, gaps, spent=len(looked_at))
