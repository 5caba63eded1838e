"""What a projection owed, and how results stand to the manifests of their trees: values to messages."""

from __future__ import annotations

from hotset.v1 import attention_pb2 as pb
from hotsetd.wire import common
from workingset.candidate import Architecture
from workingset.obligation import ObligationKind, ObligationOutcome, ObligationStatus

KINDS: dict[ObligationKind, pb.ObligationKind.ValueType] = {
    ObligationKind.SUPPORT: pb.OBLIGATION_KIND_SUPPORT,
    ObligationKind.OPPOSITION: pb.OBLIGATION_KIND_OPPOSITION,
    ObligationKind.DEFEATER: pb.OBLIGATION_KIND_DEFEATER,
    ObligationKind.FRESHNESS: pb.OBLIGATION_KIND_FRESHNESS,
    ObligationKind.IDENTITY: pb.OBLIGATION_KIND_IDENTITY,
    ObligationKind.INDEPENDENT_ORIGIN: pb.OBLIGATION_KIND_INDEPENDENT_ORIGIN,
    ObligationKind.SCOPE: pb.OBLIGATION_KIND_SCOPE,
    ObligationKind.TEMPORAL_VALIDITY: pb.OBLIGATION_KIND_TEMPORAL_VALIDITY,
    ObligationKind.EXCEPTION: pb.OBLIGATION_KIND_EXCEPTION,
    ObligationKind.DEFINITION: pb.OBLIGATION_KIND_DEFINITION,
}
STATUSES: dict[ObligationStatus, pb.ObligationStatus.ValueType] = {
    ObligationStatus.SATISFIED: pb.OBLIGATION_STATUS_SATISFIED,
    ObligationStatus.UNSATISFIED: pb.OBLIGATION_STATUS_UNSATISFIED,
    ObligationStatus.PARTIAL: pb.OBLIGATION_STATUS_PARTIAL,
    ObligationStatus.EXHAUSTED_NO_HIT: pb.OBLIGATION_STATUS_EXHAUSTED_NO_HIT,
    ObligationStatus.UNAVAILABLE: pb.OBLIGATION_STATUS_UNAVAILABLE,
    ObligationStatus.DENIED: pb.OBLIGATION_STATUS_DENIED,
    ObligationStatus.RESOURCE_LIMITED: pb.OBLIGATION_STATUS_RESOURCE_LIMITED,
    ObligationStatus.CANCELLED: pb.OBLIGATION_STATUS_CANCELLED,
}


def obligation(value: ObligationOutcome) -> pb.Obligation:
    """One thing that was owed."""
    return pb.Obligation(
        kind=KINDS[value.kind],
        status=STATUSES[value.status],
        required=value.required,
        subject=value.subject,
        lanes=value.lanes,
        spent=value.spent,
        budget=value.budget,
        note=value.note,
        gaps=[pb.Gap(what=gap.what, fill=gap.fill, ref=gap.ref) for gap in value.gaps],
        gap_count=value.gap_count,
    )


def architecture(value: Architecture | None) -> pb.Architecture | None:
    """Unset where no tree in scope has a manifest."""
    if value is None:
        return None
    return pb.Architecture(
        counts=common.reasons(value.counts),
        missing=value.missing,
        errors=value.errors,
        eroded=[pb.Erosion(ref=ref, because=because) for ref, because in value.eroded],
    )
