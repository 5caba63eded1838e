"""Scope: whether all of the namespaces that were asked could be searched."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus
from workingset.vocabulary import Translation


def scope(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where every lane that takes part took full part, knows the scope, and no record is unsearched."""
    broken = [lane for lane in view.lanes.values() if lane.degraded]
    gaps = [Gap(f"the lane {lane.lane} is {lane.state}", lane.note or "ask again later") for lane in broken]
    blind = [lane for lane in view.lanes.values() if lane.filtering is Translation.UNSUPPORTED]
    gaps += [Gap(f"the lane {lane.lane} cannot keep to the scope", "ask another back end for it") for lane in blind]
    if view.unsearched:
        gaps.append(Gap(f"{view.unsearched} records are not indexed yet", "ask again when the index has come up"))
    note = f"{view.scope.records} records in {len(view.scope.namespaces)} namespaces"
    outside = view.rejected.get("out_of_scope", 0)
    if outside:
        note += f"; {outside} hits lie outside"
    cut_off = [lane.lane for lane in view.lanes.values() if lane.filtering is Translation.WEAKENED]
    if cut_off:
        note += f"; filtered after their caps: {', '.join(cut_off)}"
    status = ObligationStatus.PARTIAL if gaps else ObligationStatus.SATISFIED
    return outcome(obligation, status, note, gaps, spent=view.scope.records)
