"""Exception: the guards and rules that limit a result come with it."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import ObligationOutcome, ObligationStatus


def exception(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where relations name guards or rules of the results; no hit means that no relation names any."""
    looked_at = view.best(obligation.results)
    guards = {ref for c in looked_at for ref in view.guarded.get(c.ref, ())}
    if not guards:
        note = f"no guard or rule is related to the {len(looked_at)} results looked at"
        return outcome(obligation, ObligationStatus.EXHAUSTED_NO_HIT, note)
    held = sum(bool(view.guarded.get(c.ref)) for c in looked_at)
    note = f"{len(guards)} guards and rules of {held} results"
    return outcome(obligation, ObligationStatus.SATISFIED, note, spent=len(guards))
