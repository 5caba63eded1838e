"""Which function says what became of which kind of obligation: the one registry of discharges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from retrieval.obligations.discharges.defeater import defeater
from retrieval.obligations.discharges.definition import definition
from retrieval.obligations.discharges.exception import exception
from retrieval.obligations.discharges.freshness import freshness
from retrieval.obligations.discharges.identity import identity
from retrieval.obligations.discharges.independent_origin import independent_origin
from retrieval.obligations.discharges.opposition import opposition
from retrieval.obligations.discharges.scope import scope
from retrieval.obligations.discharges.support import support
from retrieval.obligations.discharges.temporal_validity import temporal_validity
from retrieval.obligations.obligation import Obligation
from retrieval.obligations.profile import AttentionProfile
from retrieval.obligations.view import View
from workingset.obligation import ObligationKind, ObligationOutcome

Discharge = Callable[[View, Obligation], ObligationOutcome]

DISCHARGES: Final[Mapping[ObligationKind, Discharge]] = {
    ObligationKind.SUPPORT: support,
    ObligationKind.OPPOSITION: opposition,
    ObligationKind.DEFEATER: defeater,
    ObligationKind.FRESHNESS: freshness,
    ObligationKind.IDENTITY: identity,
    ObligationKind.INDEPENDENT_ORIGIN: independent_origin,
    ObligationKind.SCOPE: scope,
    ObligationKind.TEMPORAL_VALIDITY: temporal_validity,
    ObligationKind.EXCEPTION: exception,
    ObligationKind.DEFINITION: definition,
}


def discharged(profile: AttentionProfile, view: View) -> tuple[ObligationOutcome, ...]:
    """What became of everything the profile owes, in its order."""
    return tuple(DISCHARGES[one.kind](view, one) for one in profile.obligations)
