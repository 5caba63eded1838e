"""Opposition: text against the claim is searched for, beside what relations name. Finding none says nothing of there
being none."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import failed, outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus


def opposition(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied by a live opposer by relation, or by candidates of the lanes; their stance is judged by nobody here."""
    lanes = {name: view.lanes.get(name) for name in obligation.lanes}
    looked_at = view.best(obligation.results)
    by_relation = sum(len(view.opposed[c.ref].by) for c in looked_at if c.ref in view.opposed)
    searched = [name for name, lane in lanes.items() if failed(lane) is None]
    candidates = [c for c in looked_at if not set(obligation.lanes).isdisjoint(c.lanes)]
    note = f"{by_relation} by relation, {len(candidates)} candidates by search among the first {obligation.results}"
    spent = sum(lane.hits for lane in lanes.values() if lane is not None)
    broken = {name: status for name, lane in lanes.items() if (status := failed(lane)) is not None}
    if broken:
        worst = ObligationStatus.CANCELLED
        worst = worst if worst in broken.values() else next(iter(broken.values()))
        gaps = [Gap(f"the lane {name} did not search fully", "ask again") for name in broken]
        return outcome(obligation, worst, note, gaps, spent=spent)
    if by_relation or candidates:
        return outcome(obligation, ObligationStatus.SATISFIED, note, spent=spent)
    return outcome(
        obligation, ObligationStatus.EXHAUSTED_NO_HIT, f"searched by {', '.join(searched)}, none found", spent=spent
    )
