"""Freshness: whether the evidence is known to be current. A high score buys no stale record a way back."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus
from workingset.vocabulary import Freshness

NO_CURRENT_EVIDENCE = "no current evidence"
_FILL = "verify it at its source"


def freshness(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where the results are current: all of them, or, where current ones alone count, one, and none stale.

    What they need may not be stale either: a conclusion is no fresher than its premises.
    """
    looked_at, needs = view.best(obligation.results), view.needed(obligation.results)
    current = [c for c in looked_at if c.freshness is Freshness.CURRENT]
    stale = [c for c in looked_at if c.freshness is Freshness.STALE]
    stale_needs = [c for c in needs if c.freshness is Freshness.STALE]
    unknown = len(looked_at) - len(current) - len(stale)
    note = f"{len(current)} current, {len(stale)} stale, {unknown} not known"
    if stale_needs:
        note += f"; of what they need {len(stale_needs)} stale"
    spent = len(looked_at) + len(needs)
    of_needs = [Gap("stale, and a result needs it", _FILL, c.ref) for c in stale_needs]
    if obligation.current_only and not current:
        gaps = [Gap(NO_CURRENT_EVIDENCE, "ingest it again from its source with a validator and when it was verified")]
        gaps += [Gap("stale", "bring it up to its source", c.ref) for c in stale]
        note = f"{NO_CURRENT_EVIDENCE}: {note}"
        return outcome(obligation, ObligationStatus.UNSATISFIED, note, [*gaps, *of_needs], spent=spent)
    if len(current) == len(looked_at) and not stale_needs:
        return outcome(obligation, ObligationStatus.SATISFIED, note, spent=spent)
    gaps = [
        Gap("stale" if c.freshness is Freshness.STALE else "not known to be current", _FILL, c.ref)
        for c in looked_at
        if c.freshness is not Freshness.CURRENT
    ]
    met = obligation.current_only and not stale and not stale_needs
    status = ObligationStatus.SATISFIED if met else ObligationStatus.PARTIAL
    return outcome(obligation, status, note, [*gaps, *of_needs], spent=spent)
