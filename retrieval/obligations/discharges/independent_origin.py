"""Independent origin: how many sources speak, copies and derivations counted once."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus


def independent_origin(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where the results are of at least so many components of origin."""
    looked_at = view.best(obligation.results)
    components = {c.origin or c.ref for c in looked_at}
    note = f"{len(looked_at)} results of {len(components)} origins"
    if len(components) >= obligation.least:
        return outcome(obligation, ObligationStatus.SATISFIED, note, spent=len(looked_at))
    gap = Gap(
        f"{obligation.least - len(components)} more independent origins",
        "ingest sources that are no copies of these",
    )
    return outcome(obligation, ObligationStatus.UNSATISFIED, note, [gap], spent=len(looked_at))
