"""Definition: each thing that the goal names is there."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus


def definition(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where every named thing occurs in the scope; what was not found is a gap."""
    missing = [entity.name for entity in view.entities if not entity.found]
    note = f"{len(view.entities) - len(missing)} of {len(view.entities)} named things occur"
    if not missing:
        return outcome(obligation, ObligationStatus.SATISFIED, note, spent=len(view.entities))
    gaps = [Gap(f"{name!r} was not found", "ingest what defines it, or name it otherwise") for name in missing]
    found_any = len(missing) < len(view.entities)
    status = ObligationStatus.PARTIAL if found_any else ObligationStatus.UNSATISFIED
    return outcome(obligation, status, note, gaps, spent=len(view.entities))
