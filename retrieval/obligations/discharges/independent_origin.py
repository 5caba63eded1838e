"""Independent origin: how many sources speak, copies and derivations counted once."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus


def independent_origin(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where the results are of at least so many components of origin, and all their relations were read: what
    was not read may make one origin of two."""
    looked_at = view.best(obligation.results)
    components = {c.origin or c.ref for c in looked_at}
    note = f"{len(looked_at)} results of {len(components)} origins"
    if view.origins_bounded and len(components) >= obligation.least:
        gap = Gap("not all relations of origin were read", "raise retrieval.origins.edge_visits")
        return outcome(obligation, ObligationStatus.RESOURCE_LIMITED, note, [gap], spent=len(looked_at))
    if len(components) >= obligation.least:
        return outcome(obligation, ObligationStatus.SATISFIED, note, spent=len(looked_at))
    gap = Gap(
        f"{obligation.least - len(components)} more independent origins",
        "ingest sources that are no copies of these",
    )
    return outcome(obligation, ObligationStatus.UNSATISFIED, note, [gap], spent=len(looked_at))
