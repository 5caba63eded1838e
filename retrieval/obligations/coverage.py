"""How opposition was looked for, and how far planted text was, from the outcomes of what was owed: the weaker claim
wins."""

from __future__ import annotations

from collections.abc import Sequence

from workingset.obligation import ObligationKind, ObligationOutcome, ObligationStatus
from workingset.vocabulary import OppositionCoverage, Robustness

_LIMITED = {
    ObligationStatus.CANCELLED: OppositionCoverage.CANCELLED,
    ObligationStatus.UNAVAILABLE: OppositionCoverage.UNAVAILABLE,
    ObligationStatus.DENIED: OppositionCoverage.UNAVAILABLE,
    ObligationStatus.RESOURCE_LIMITED: OppositionCoverage.RESOURCE_LIMITED,
    ObligationStatus.PARTIAL: OppositionCoverage.RESOURCE_LIMITED,
}
_ORDER = (OppositionCoverage.CANCELLED, OppositionCoverage.UNAVAILABLE, OppositionCoverage.RESOURCE_LIMITED)
_AGAINST_PLANTED = {ObligationKind.INDEPENDENT_ORIGIN, ObligationKind.OPPOSITION, ObligationKind.DEFEATER}


def robustness(outcomes: Sequence[ObligationOutcome], *, degraded: bool) -> Robustness:
    """Asked for where independent origins are required; `degraded` where a lane did not take full part."""
    if not any(one.kind is ObligationKind.INDEPENDENT_ORIGIN and one.required for one in outcomes):
        return Robustness.NOT_REQUESTED
    open_ones = any(one.kind in _AGAINST_PLANTED and one.status.open for one in outcomes)
    return Robustness.DEGRADED if degraded or open_ones else Robustness.RESOURCE_LIMITED


def opposition_coverage(outcomes: Sequence[ObligationOutcome]) -> OppositionCoverage:
    """By relations alone, also by search, or less where what was owed was cut short."""
    owed = [o for o in outcomes if o.kind in {ObligationKind.OPPOSITION, ObligationKind.DEFEATER}]
    limits = {_LIMITED[o.status] for o in owed if o.status in _LIMITED}
    for limit in _ORDER:
        if limit in limits:
            return limit
    if not owed:
        return OppositionCoverage.NOT_REQUESTED
    searched = any(o.kind is ObligationKind.OPPOSITION for o in owed)
    return OppositionCoverage.HEURISTIC if searched else OppositionCoverage.RELATIONS
