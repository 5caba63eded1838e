"""Support: every result comes with all that it needs by mandatory relations."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.candidate import Candidate
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus
from workingset.vocabulary import SupportClosure

_OPEN = {SupportClosure.PARTIAL, SupportClosure.RESOURCE_LIMITED}


def support(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where every result that was closed over is closed; a need that is gone outweighs a bound."""
    closed_over = [c for c in view.best(obligation.results) if c.closure is not SupportClosure.NOT_REQUESTED]
    open_ones = [c for c in closed_over if c.closure in _OPEN]
    if not open_ones:
        return outcome(
            obligation, ObligationStatus.SATISFIED, f"{len(closed_over)} results closed", spent=len(closed_over)
        )
    partial = any(c.closure is SupportClosure.PARTIAL for c in open_ones)
    status = ObligationStatus.PARTIAL if partial else ObligationStatus.RESOURCE_LIMITED
    note = f"{len(open_ones)} of {len(closed_over)} results are not closed"
    return outcome(obligation, status, note, map(_gap, open_ones), spent=len(closed_over))


def _gap(candidate: Candidate) -> Gap:
    if candidate.closure is SupportClosure.PARTIAL:
        what = f"{candidate.unmet or 'some'} of what it needs are gone or may not be used"
        return Gap(what, "ingest what it needs, or end the relation", candidate.ref)
    return Gap("it needs more than the bounds of closure allow", "raise closure's bounds", candidate.ref)
