"""Identity: which results are one thing and which are not, by relations. Likeness only proposes."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus


def identity(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where relations settle every pair that is so alike that it may be one; open pairs are gaps."""
    held = view.identities
    note = f"{len(held.groups)} things of several records, {len(held.contested)} pairs kept apart"
    gaps = [
        Gap(f"may be the same as {other}, and no relation says so", "add same_as or different_from", one)
        for one, other in view.proposed
    ]
    spent = sum(map(len, held.groups)) + len(held.contested) + len(view.proposed)
    if held.bounded:
        return outcome(obligation, ObligationStatus.RESOURCE_LIMITED, note, gaps, spent=spent)
    status = ObligationStatus.PARTIAL if gaps else ObligationStatus.SATISFIED
    return outcome(obligation, status, note, gaps, spent=spent)
