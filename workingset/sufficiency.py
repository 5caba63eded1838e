"""Sufficiency: does the set hold enough for the goal? It never looks at answers.

The first rule: `sufficient` needs a match that is not weak, nothing strong left out, every named entity found, closed
closure, no degraded lane, and a calibration profile; without a profile the state is capped at `gathering` and says so.
The five kinds of nothing are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from workingset.candidate import Projection
from workingset.remainder import Ignored
from workingset.settings import SufficiencySettings


@unique
class State(Enum):
    """Whether to go on gathering. SATURATED: no more of it is to be had here."""

    SUFFICIENT = "sufficient"
    GATHERING = "gathering"
    SATURATED = "saturated"


@unique
class Nothing(Enum):
    """Which kind of nothing an empty answer is."""

    EMPTY = "empty"
    NOT_INDEXED = "not_indexed"
    BELOW_THRESHOLD = "below_threshold"
    DEGRADED = "degraded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """The state with its cause and the figures it rests on. `captured_full` counts whole texts alone."""

    state: State
    cause: str
    top_relevance: float
    captured: float
    marginal: float
    truncated: bool
    open_obligations: tuple[str, ...]
    calibrated: bool
    captured_full: float = 0.0


def nothing_of(projection: Projection) -> Nothing | None:
    """Return which kind of nothing the projection is, or None where something was ranked."""
    if projection.ranked:
        return None
    asked = [lane.state for lane in projection.lanes if lane.state != "skipped"]
    if asked and all(state not in ("ok", "partial") for state in asked):
        return Nothing.FAILED
    if projection.records_in_scope == 0:
        return Nothing.NOT_INDEXED
    if projection.degraded:
        return Nothing.DEGRADED
    return Nothing.BELOW_THRESHOLD if projection.near_misses else Nothing.EMPTY


def judge(
    projection: Projection,
    *,
    captured: float,
    captured_full: float,
    marginal: float | None,
    ignored: Ignored,
    open_obligations: tuple[str, ...],
    settings: SufficiencySettings,
) -> Sufficiency:
    """Return the state. `marginal` is the relevance of the best record left out, None where nothing was."""
    top = max((candidate.relevance for candidate in projection.ranked), default=0.0)
    state, cause = _verdict(projection, top, marginal, ignored, open_obligations, settings)
    calibrated = settings.calibration is not None
    truncated = ignored.count > 0
    return Sufficiency(
        state, cause, top, captured, marginal or 0.0, truncated, open_obligations, calibrated, captured_full
    )


def _verdict(
    projection: Projection,
    top: float,
    marginal: float | None,
    ignored: Ignored,
    open_obligations: tuple[str, ...],
    settings: SufficiencySettings,
) -> tuple[State, str]:
    nothing = nothing_of(projection)
    if nothing in {Nothing.FAILED, Nothing.DEGRADED}:
        return State.GATHERING, nothing.value
    if nothing is not None:
        return State.SATURATED, nothing.value
    if any(not entity.found for entity in projection.entities):
        return State.GATHERING, "entity_not_found"
    if open_obligations:
        return State.GATHERING, "open_obligations"
    if marginal is not None and marginal >= settings.left_out_floor:
        return State.GATHERING, "strong_candidate_left_out"
    if projection.degraded:
        return State.GATHERING, "degraded"
    if projection.overflow:
        return State.GATHERING, "unranked_left_out"
    if top < settings.weak_floor:
        return (State.GATHERING, "weak_match") if ignored.count else (State.SATURATED, "weak_match")
    if settings.calibration is None:
        return State.GATHERING, "uncalibrated"
    return State.SUFFICIENT, "nothing_strong_left_out"
