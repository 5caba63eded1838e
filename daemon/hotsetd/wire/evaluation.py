"""What Focus and Check both say of a goal: enough or not, drift, coverage, and what was left out."""

from __future__ import annotations

from hotset.v1 import attention_pb2 as pb
from hotset.v1 import common_pb2
from hotsetd.answers import Coverage
from hotsetd.wire import common, owed
from workingset.budget import OverBudget
from workingset.drift import Drift, Held, Verdict
from workingset.remainder import Ignored
from workingset.sufficiency import State, Sufficiency
from workingset.vocabulary import Freshness, OppositionCoverage, Robustness, SearchCoverage, Translation
from workingset.working_set import WorkingSet

STATES: dict[State, pb.SufficiencyState.ValueType] = {
    State.SUFFICIENT: pb.SUFFICIENCY_STATE_SUFFICIENT,
    State.GATHERING: pb.SUFFICIENCY_STATE_GATHERING,
    State.SATURATED: pb.SUFFICIENCY_STATE_SATURATED,
}
VERDICTS: dict[Verdict, pb.DriftVerdict.ValueType] = {
    Verdict.HOLD: pb.DRIFT_VERDICT_HOLD,
    Verdict.REFOCUS: pb.DRIFT_VERDICT_REFOCUS,
    Verdict.STALE: pb.DRIFT_VERDICT_STALE,
}
HOLDS: dict[Held, pb.DriftHold.ValueType] = {
    Held.FIRST_TURN: pb.DRIFT_HOLD_FIRST_TURN,
    Held.REFOCUSED_LATELY: pb.DRIFT_HOLD_REFOCUSED_LATELY,
    Held.NOTHING_RANKED: pb.DRIFT_HOLD_NOTHING_RANKED,
}
OPPOSITIONS: dict[OppositionCoverage, common_pb2.OppositionCoverage.ValueType] = {
    OppositionCoverage.NOT_REQUESTED: common_pb2.OPPOSITION_COVERAGE_NOT_REQUESTED,
    OppositionCoverage.RELATIONS: common_pb2.OPPOSITION_COVERAGE_RELATIONS,
    OppositionCoverage.HEURISTIC: common_pb2.OPPOSITION_COVERAGE_HEURISTIC,
    OppositionCoverage.RESOURCE_LIMITED: common_pb2.OPPOSITION_COVERAGE_RESOURCE_LIMITED,
    OppositionCoverage.UNAVAILABLE: common_pb2.OPPOSITION_COVERAGE_UNAVAILABLE,
    OppositionCoverage.CANCELLED: common_pb2.OPPOSITION_COVERAGE_CANCELLED,
}
ROBUSTNESSES: dict[Robustness, pb.Robustness.ValueType] = {
    Robustness.NOT_REQUESTED: pb.ROBUSTNESS_NOT_REQUESTED,
    Robustness.RESOURCE_LIMITED: pb.ROBUSTNESS_RESOURCE_LIMITED,
    Robustness.DEGRADED: pb.ROBUSTNESS_DEGRADED,
}
TRANSLATIONS: dict[Translation, pb.Translation.ValueType] = {
    Translation.PRESERVED: pb.TRANSLATION_PRESERVED,
    Translation.POST_FILTER: pb.TRANSLATION_POST_FILTER,
    Translation.WEAKENED: pb.TRANSLATION_WEAKENED,
    Translation.UNSUPPORTED: pb.TRANSLATION_UNSUPPORTED,
}
LANE_STATES: dict[str, pb.LaneState.ValueType] = {
    "ok": pb.LANE_STATE_OK,
    "partial": pb.LANE_STATE_PARTIAL,
    "timed_out": pb.LANE_STATE_TIMED_OUT,
    "unavailable": pb.LANE_STATE_UNAVAILABLE,
    "cancelled": pb.LANE_STATE_CANCELLED,
    "failed": pb.LANE_STATE_FAILED,
    "skipped": pb.LANE_STATE_SKIPPED,
}


def over_budget(value: OverBudget | None) -> pb.OverBudget | None:
    """Unset where everything fitted."""
    if value is None:
        return None
    offenders = [
        pb.Offender(ref=o.ref, tier=common.TIERS[o.tier], tokens=o.tokens, title=o.title) for o in value.offenders
    ]
    return pb.OverBudget(needed_tokens=value.needed, offenders=offenders)


def ignored(value: Ignored) -> pb.Ignored:
    """The honest remainder."""
    return pb.Ignored(
        count=value.count,
        reasons=common.reasons(value.reasons),
        best=[pb.Omission(ref=o.ref, why=o.why, relevance=o.relevance, title=o.title) for o in value.best],
        truncated=value.truncated,
        near_misses=value.near_misses,
        reduced=value.reduced,
    )


def sufficiency(value: Sufficiency) -> pb.Sufficiency:
    """The state with its figures."""
    return pb.Sufficiency(
        state=STATES[value.state],
        cause=value.cause,
        top_relevance=value.top_relevance,
        captured=value.captured,
        captured_full=value.captured_full,
        marginal=value.marginal,
        truncated=value.truncated,
        open_obligations=value.open_obligations,
        calibrated=value.calibrated,
    )


def drift(value: Drift) -> pb.Drift:
    """The verdict with its signals."""
    return pb.Drift(
        verdict=VERDICTS[value.verdict],
        signals=[
            pb.Signal(name=s.name, value=s.value, threshold=s.threshold, measured=s.measured) for s in value.signals
        ],
        stale=[
            pb.StaleEntry(ref=s.ref, admitted_generation=s.admitted_generation, generation=s.generation, what=s.what)
            for s in value.stale
        ],
        calibrated=value.calibrated,
        held=HOLDS[value.held] if value.held else pb.DRIFT_HOLD_UNSPECIFIED,
    )


def coverage(value: Coverage, state: WorkingSet) -> pb.Coverage:
    """The claims, kept apart: what is known of support, search, opposition, freshness and origins."""
    own_words = {p.ref for p in state.pins if p.text}
    records = [entry for entry in state.entries if entry.has_text and entry.ref not in own_words]
    worst = freshness_of({entry.freshness for entry in records})
    return pb.Coverage(
        support_closure=common.CLOSURES[value.support],
        search=common.COVERAGES[search_claim(value)],
        opposition=OPPOSITIONS[value.opposition],
        robustness=ROBUSTNESSES[value.robustness],
        disagreement=value.disagreement,
        freshness=common.FRESHNESSES[worst],
        lanes=[
            pb.LaneReport(
                lane=lane.lane,
                state=LANE_STATES[lane.state],
                hits=lane.hits,
                covered=lane.covered,
                lag=lane.lag,
                coverage=common.COVERAGES[lane.coverage],
                note=lane.note,
                truncated=lane.truncated,
                filtering=TRANSLATIONS[lane.filtering],
            )
            for lane in value.lanes
        ],
        rejected=common.reasons(value.rejected),
        entities=[pb.Entity(name=entity.name, found=entity.found) for entity in value.entities],
        ranked=value.ranked,
        origins=value.origins,
        profile=value.profile,
        obligations=map(owed.obligation, value.obligations),
        opposed=[pb.Opposed(ref=ref, by=by) for ref, by in value.opposed],
        architecture=owed.architecture(value.architecture),
    )


def freshness_of(of_records: set[Freshness]) -> Freshness:
    """The block as a whole: stale where any record is, unknown where any cannot be checked, else current."""
    for worst in (Freshness.STALE, Freshness.UNKNOWN):
        if worst in of_records:
            return worst
    return Freshness.CURRENT if of_records else Freshness.UNKNOWN


def search_claim(value: Coverage) -> SearchCoverage:
    """The search as a whole claims no more than heuristic, and less where a lane did not take full part."""
    if value.degraded:
        return SearchCoverage.PARTIAL_BACKEND
    return SearchCoverage.HEURISTIC if value.lanes else SearchCoverage.NOT_ATTEMPTED
