"""What Focus and Check both say of a goal, as values."""

from __future__ import annotations

from collections.abc import Iterable

from hotset import types as t
from hotset._wire import words
from hotset._wire.shared import cut, reason_counts, versions
from hotset.v1 import attention_pb2 as pb
from hotset.v1 import common_pb2


def ignored(message: pb.Ignored) -> t.Ignored:
    """Read the remainder."""
    return t.Ignored(
        count=message.count,
        reasons=reason_counts(message.reasons),
        best=tuple(t.Omission(each.ref, each.why, each.relevance, each.title) for each in message.best),
        truncated=message.truncated,
        near_misses=message.near_misses,
        reduced=message.reduced,
    )


def sufficiency(message: pb.Sufficiency) -> t.Sufficiency:
    """Read the stop signal."""
    return t.Sufficiency(
        state=words.SUFFICIENCY_STATE.read(message.state),
        cause=message.cause,
        top_relevance=message.top_relevance,
        captured=message.captured,
        marginal=message.marginal,
        truncated=message.truncated,
        open_obligations=tuple(message.open_obligations),
        calibrated=message.calibrated,
        captured_full=message.captured_full,
    )


def drift(message: pb.Drift) -> t.Drift:
    """Read the drift verdict and its signals."""
    return t.Drift(
        verdict=words.DRIFT_VERDICT.read(message.verdict),
        signals=tuple(t.Signal(each.name, each.value, each.threshold, each.measured) for each in message.signals),
        stale=tuple(
            t.StaleEntry(each.ref, each.admitted_generation, each.generation, each.what) for each in message.stale
        ),
        calibrated=message.calibrated,
        held=words.DRIFT_HOLD.read(message.held),
    )


def coverage(message: pb.Coverage) -> t.Coverage:
    """Read the coverages, the lanes behind them, and what was owed."""
    return t.Coverage(
        support_closure=words.SUPPORT_CLOSURE.read(message.support_closure),
        search=words.SEARCH_COVERAGE.read(message.search),
        opposition=words.OPPOSITION_COVERAGE.read(message.opposition),
        freshness=words.FRESHNESS.read(message.freshness),
        lanes=tuple(_lane(each) for each in message.lanes),
        rejected=reason_counts(message.rejected),
        entities=tuple(t.Entity(each.name, each.found) for each in message.entities),
        ranked=message.ranked,
        origins=message.origins,
        profile=message.profile,
        obligations=tuple(_obligation(each) for each in message.obligations),
        opposed=tuple(t.Opposed(each.ref, tuple(each.by)) for each in message.opposed),
        architecture=_architecture(message.architecture) if message.HasField("architecture") else None,
        robustness=words.ROBUSTNESS.read(message.robustness),
        disagreement=message.disagreement if message.HasField("disagreement") else None,
    )


def _obligation(message: pb.Obligation) -> t.Obligation:
    return t.Obligation(
        kind=words.OBLIGATION_KIND.read(message.kind),
        status=words.OBLIGATION_STATUS.read(message.status),
        required=message.required,
        subject=message.subject,
        lanes=tuple(message.lanes),
        spent=message.spent,
        budget=message.budget,
        note=message.note,
        gaps=tuple(t.Gap(each.what, each.fill, each.ref) for each in message.gaps),
        gap_count=message.gap_count,
    )


def _architecture(message: pb.Architecture) -> t.Architecture:
    return t.Architecture(
        counts=reason_counts(message.counts),
        missing=tuple(message.missing),
        errors=tuple(message.errors),
        eroded=tuple(t.Erosion(each.ref, each.because) for each in message.eroded),
    )


def _lane(message: pb.LaneReport) -> t.LaneReport:
    return t.LaneReport(
        lane=message.lane,
        state=words.LANE_STATE.read(message.state),
        hits=message.hits,
        covered=message.covered,
        lag=message.lag,
        coverage=words.SEARCH_COVERAGE.read(message.coverage),
        note=message.note,
        truncated=message.truncated,
        filtering=words.TRANSLATION.read(message.filtering),
    )


def over_budget(message: pb.OverBudget) -> t.OverBudget:
    """Read what would have been needed."""
    return t.OverBudget(
        needed_tokens=message.needed_tokens,
        offenders=tuple(
            t.Offender(each.ref, words.TIER.read(each.tier), each.tokens, each.title) for each in message.offenders
        ),
    )


def nothing(number: common_pb2.Nothing.ValueType) -> t.Nothing | None:
    """Read which kind of nothing; None where something was found."""
    return words.NOTHING.read(number) if number else None


def pin_reports(messages: Iterable[pb.PinReport]) -> tuple[t.PinReport, ...]:
    """Read the reports on pins whose record changed its standing."""
    return tuple(
        t.PinReport(
            ref=each.ref,
            standing=words.STANDING.read(each.standing),
            successor=each.successor,
            what_to_do=each.what_to_do,
            replaced_by=each.replaced_by,
        )
        for each in messages
    )


def check(message: pb.CheckReply) -> t.CheckAnswer:
    """Read the answer to Check."""
    return t.CheckAnswer(
        agent=message.agent,
        turn=message.turn,
        answer=words.ANSWER.read(message.answer),
        sufficiency=sufficiency(message.sufficiency),
        ignored=ignored(message.ignored),
        drift=drift(message.drift),
        coverage=coverage(message.coverage),
        over_budget=over_budget(message.over_budget) if message.HasField("over_budget") else None,
        filtering_reason=nothing(message.filtering_reason),
        degraded=message.degraded,
        cut=cut(message.cut),
        versions=versions(message.versions),
        model_calls=message.model_calls,
        embedding_calls=message.embedding_calls,
        pin_reports=pin_reports(message.pin_reports),
    )
