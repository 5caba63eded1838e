"""Words that every service shares, in both directions."""

from __future__ import annotations

from collections.abc import Sequence

from hotset.v1 import common_pb2 as pb
from hotsetd import PROTOCOL, __version__
from workingset.sufficiency import Nothing
from workingset.tier import Tier
from workingset.vocabulary import Cut, Fidelity, Freshness, Lines, SearchCoverage, Standing, SupportClosure

TIERS: dict[Tier, pb.Tier.ValueType] = {
    Tier.PINNED: pb.TIER_PINNED,
    Tier.MANDATORY: pb.TIER_MANDATORY,
    Tier.RESIDENT: pb.TIER_RESIDENT,
    Tier.FRONTIER_ONLY: pb.TIER_FRONTIER_ONLY,
    Tier.EVICTED: pb.TIER_EVICTED,
}
FIDELITIES: dict[Fidelity, pb.Fidelity.ValueType] = {
    Fidelity.FULL: pb.FIDELITY_FULL,
    Fidelity.OUTLINE: pb.FIDELITY_OUTLINE,
    Fidelity.GIST: pb.FIDELITY_GIST,
    Fidelity.REFERENCE: pb.FIDELITY_REFERENCE,
}
STANDINGS: dict[Standing, pb.Standing.ValueType] = {
    Standing.CURRENT: pb.STANDING_CURRENT,
    Standing.SUPERSEDED: pb.STANDING_SUPERSEDED,
    Standing.REMOVED: pb.STANDING_REMOVED,
    Standing.OUT_OF_SCOPE: pb.STANDING_OUT_OF_SCOPE,
}
CLOSURES: dict[SupportClosure, pb.SupportClosure.ValueType] = {
    SupportClosure.CLOSED: pb.SUPPORT_CLOSURE_CLOSED,
    SupportClosure.PARTIAL: pb.SUPPORT_CLOSURE_PARTIAL,
    SupportClosure.RESOURCE_LIMITED: pb.SUPPORT_CLOSURE_RESOURCE_LIMITED,
    SupportClosure.NOT_REQUESTED: pb.SUPPORT_CLOSURE_NOT_REQUESTED,
}
COVERAGES: dict[SearchCoverage, pb.SearchCoverage.ValueType] = {
    SearchCoverage.EXHAUSTIVE: pb.SEARCH_COVERAGE_EXHAUSTIVE_FOR_DECLARED_FRAGMENT,
    SearchCoverage.APPROXIMATE: pb.SEARCH_COVERAGE_APPROXIMATE,
    SearchCoverage.HEURISTIC: pb.SEARCH_COVERAGE_HEURISTIC,
    SearchCoverage.BOUNDED: pb.SEARCH_COVERAGE_BOUNDED,
    SearchCoverage.PARTIAL_BACKEND: pb.SEARCH_COVERAGE_PARTIAL_BACKEND,
    SearchCoverage.RESOURCE_LIMITED: pb.SEARCH_COVERAGE_RESOURCE_LIMITED,
    SearchCoverage.NOT_ATTEMPTED: pb.SEARCH_COVERAGE_NOT_ATTEMPTED,
}
FRESHNESSES: dict[Freshness, pb.Freshness.ValueType] = {
    Freshness.CURRENT: pb.FRESHNESS_CURRENT,
    Freshness.STALE: pb.FRESHNESS_STALE,
    Freshness.UNKNOWN: pb.FRESHNESS_UNKNOWN,
}
NOTHINGS: dict[Nothing, pb.Nothing.ValueType] = {
    Nothing.EMPTY: pb.NOTHING_EMPTY,
    Nothing.NOT_INDEXED: pb.NOTHING_NOT_INDEXED,
    Nothing.BELOW_THRESHOLD: pb.NOTHING_BELOW_THRESHOLD,
    Nothing.DEGRADED: pb.NOTHING_DEGRADED,
    Nothing.FAILED: pb.NOTHING_FAILED,
}
UNCALIBRATED = "uncalibrated"
CONTRACT = "1"


def nothing(kind: Nothing | None) -> pb.Nothing.ValueType:
    """UNSPECIFIED where something was found."""
    return NOTHINGS[kind] if kind else pb.NOTHING_UNSPECIFIED


def lines(value: Lines | None) -> pb.Lines | None:
    """None stays unset."""
    return pb.Lines(start=value.start, end=value.end) if value else None


def cut(value: Cut) -> pb.Cut:
    """Namespaces in order."""
    return pb.Cut(
        generations=[pb.NamespaceGeneration(namespace=name, generation=gen) for name, gen in value.generations]
    )


def cut_of(message: pb.Cut) -> tuple[tuple[str, int], ...]:
    """Unchecked, as sent."""
    return tuple((part.namespace, part.generation) for part in message.generations)


def reasons(counts: Sequence[tuple[str, int]]) -> list[pb.ReasonCount]:
    """Counts by reason, in the order given."""
    return [pb.ReasonCount(reason=reason, count=count) for reason, count in counts]


class Versions:
    """What every reply was computed with; made once."""

    def __init__(self, tokenizer: str, embedding_model: str, calibration: str, profile: str) -> None:
        """`profile` is the attention profile of whoever names none."""
        self._profile = profile
        self._tokenizer = tokenizer
        self._embedding_model = embedding_model
        self._calibration = calibration or UNCALIBRATED

    def message(self, profile: str = "") -> pb.Versions:
        """A new message with all versions; `profile` is the attention profile that was asked for, if any was."""
        return pb.Versions(
            daemon=__version__,
            protocol=PROTOCOL,
            profile=profile or self._profile,
            contract=CONTRACT,
            calibration=self._calibration,
            tokenizer=self._tokenizer,
            embedding_model=self._embedding_model,
        )
