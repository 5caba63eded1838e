"""Runs lanes under their bounds and brings their answers to one order, whatever order they came in.

A lane that fails, runs out of time or is cancelled is an outcome, never an exception. Nothing is dispatched after the
deadline or a cancellation; a reply that comes later is discarded and counted. Lanes share the snapshot of one thread
and so run one after another; `order` says in which sequence, and must not matter: `normalised` is the barrier behind
which all arrival orders are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from retrieval.deadline import Deadline
from retrieval.errors import DeadlinePassed, IndexUnavailable, StoreUnavailable
from retrieval.goal import Goal
from retrieval.lanes.contract import ExactMatch
from retrieval.lanes.lane import Lane, LaneHit, LaneProposal, Scope, nothing
from retrieval.store.interface import Snapshot

Order = Callable[[tuple[str, ...]], Sequence[str]]
"""Given the lanes' names, the sequence to run them in: a permutation of them."""

DISCARDED = "discarded_after_cancel"


def as_given(names: tuple[str, ...]) -> tuple[str, ...]:
    """Run lanes in the order in which they are listed."""
    return names


@dataclass(frozen=True, slots=True)
class LaneRun:
    """What one lane answered, how many hits of a late reply were discarded, and how long it took."""

    lane: str
    proposal: LaneProposal
    discarded: int = 0
    milliseconds: float = 0.0


def run_lanes(
    lanes: Sequence[Lane],
    txn: Snapshot,
    goal: Goal,
    scope: Scope,
    deadline: Deadline,
    lane_seconds: float,
    order: Order = as_given,
) -> tuple[LaneRun, ...]:
    """Run every lane once and return the runs in the order of `lanes`. Raises ValueError for a bad `order`."""
    by_name = {lane.name: lane for lane in lanes}
    sequence = order(tuple(by_name))
    if sorted(sequence) != sorted(by_name):
        raise ValueError(f"order must permute {sorted(by_name)}, not give {sorted(sequence)}")
    runs = {name: _run(by_name[name], txn, goal, scope, deadline, lane_seconds) for name in sequence}
    return tuple(runs[lane.name] for lane in lanes)


def _run(lane: Lane, txn: Snapshot, goal: Goal, scope: Scope, deadline: Deadline, lane_seconds: float) -> LaneRun:
    if deadline.over():
        return LaneRun(lane.name, nothing(lane.name, stopped(deadline), "not dispatched"))
    started = deadline.now()
    bound = deadline.within(lane_seconds)
    try:
        proposal = lane.propose(txn, goal, scope, bound)
    except DeadlinePassed as passed:
        proposal = nothing(lane.name, stopped(deadline), str(passed))
    except IndexUnavailable as unavailable:
        proposal = nothing(lane.name, "unavailable", str(unavailable))
    except StoreUnavailable:
        raise
    except Exception as failure:  # one broken lane must not take the others with it; the outcome names it
        proposal = nothing(lane.name, "failed", f"{type(failure).__name__}: {failure}")
    milliseconds = (deadline.now() - started) * 1000.0
    if bound.over() and proposal.outcome.state in {"ok", "partial"}:
        late = nothing(lane.name, stopped(deadline), f"a late reply of {len(proposal.hits)} hits was discarded")
        late = replace(late, embedding_calls=proposal.embedding_calls)
        return LaneRun(lane.name, late, len(proposal.hits), milliseconds)
    filtering = lane.contract.hard_filter.translation(truncated=proposal.outcome.truncated)
    outcome = replace(proposal.outcome, filtering=filtering)
    return LaneRun(lane.name, replace(proposal, hits=normalised(proposal.hits), outcome=outcome), 0, milliseconds)


def stopped(deadline: Deadline) -> str:
    """The state of what did not come to an end: cancelled, or out of time."""
    return "cancelled" if deadline.cancelled() else "timed_out"


def normalised(hits: Iterable[LaneHit]) -> tuple[LaneHit, ...]:
    """The hits in the order of (record id, name), the best of each kept once."""
    best: dict[tuple[int, str], LaneHit] = {}
    for hit in hits:
        key = (hit.record_id, hit.rank.name if isinstance(hit.rank, ExactMatch) else "")
        held = best.get(key)
        if held is None or (hit.rank.order_value, repr(hit.rank)) > (held.rank.order_value, repr(held.rank)):
            best[key] = hit
    return tuple(best[key] for key in sorted(best))
