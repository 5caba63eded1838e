"""Drift: has the subject moved away from the focus that the set was built for?

Signals are measured against the *current* focus, which is the last goal that was refocused to, and each is given with
its threshold. REFOCUS needs all measured goal signals; STALE needs changed evidence. After a refocus the new goal is
the baseline and the detector re-arms. Thresholds are uncalibrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique

from workingset.candidate import GoalView
from workingset.settings import DriftSettings
from workingset.vocabulary import Generation, Ref, Turn

_GOAL_SIGNALS = 2
"""How many signals compare goals; they come first, then the mass lost."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The focus that drift is measured against."""

    turn: Turn = Turn(0)
    terms: tuple[str, ...] = ()
    vector: tuple[float, ...] = ()


@unique
class Verdict(Enum):
    """What drift asks for."""

    HOLD = "hold"
    REFOCUS = "refocus"
    STALE = "stale"


@unique
class Held(Enum):
    """Why a set holds though nothing, or not enough, of it is about the goal."""

    FIRST_TURN = "first turn"
    REFOCUSED_LATELY = "refocused lately"
    NOTHING_RANKED = "nothing was found to refocus on"


@dataclass(frozen=True, slots=True)
class Signal:
    """One measured quantity, 0 to 1, and the value from which it speaks for drift."""

    name: str
    value: float
    threshold: float
    measured: bool = True

    @property
    def speaks(self) -> bool:
        """True where it was measured and reaches its threshold."""
        return self.measured and self.value >= self.threshold


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """An entry whose record changed or went since it was last read."""

    ref: Ref
    admitted_generation: Generation
    generation: Generation
    what: str


@dataclass(frozen=True, slots=True)
class Drift:
    """The verdict with its numbers and the stale entries by name.

    `held` says why it is HOLD where the signals alone do not: they speak, or there was nothing to measure them against.
    """

    verdict: Verdict
    signals: tuple[Signal, ...] = ()
    stale: tuple[StaleEntry, ...] = ()
    calibrated: bool = False
    held: Held | None = None


def detect(
    baseline: Baseline,
    goal: GoalView,
    *,
    turn: Turn,
    mass_kept: float | None,
    stale: Sequence[StaleEntry],
    stale_share: float | None,
    settings: DriftSettings,
) -> Drift:
    """Return the verdict for a goal at a turn.

    `mass_kept` is the share of the goal's relevance mass that the present set holds, None where nothing was ranked.
    `stale_share` is the share of the records in the block that are stale, None where there were none. The first turn of
    a set holds: there is nothing to drift from; so does a goal for which nothing was ranked: there is nothing to
    refocus on.
    """
    signals = (
        _vector_signal(baseline, goal, settings),
        _term_signal(baseline, goal, settings),
        Signal("relevance_mass_lost", 1.0 - (mass_kept or 0.0), settings.mass_lost_floor, mass_kept is not None),
        Signal("stale_evidence", stale_share or 0.0, settings.stale_share_floor, stale_share is not None),
    )
    moved = signals[: _GOAL_SIGNALS + 1]
    first = baseline.turn == 0
    armed = baseline.turn == 1 or turn - baseline.turn > settings.turns_between
    speaks = any(s.measured for s in moved) and all(s.speaks for s in moved if s.measured)
    held = _held(first=first, armed=armed, ranked=mass_kept is not None, speaks=speaks)
    if speaks and held is None:
        return Drift(Verdict.REFOCUS, signals, tuple(stale))
    if signals[-1].speaks:
        return Drift(Verdict.STALE, signals, tuple(stale))
    return Drift(Verdict.HOLD, signals, tuple(stale), held=held)


def _held(*, first: bool, armed: bool, ranked: bool, speaks: bool) -> Held | None:
    """Why the subject is not followed; None where it is, or has not moved."""
    if first:
        return Held.FIRST_TURN
    if not speaks:
        return None
    if not ranked:
        return Held.NOTHING_RANKED
    return None if armed else Held.REFOCUSED_LATELY


def baseline_after(baseline: Baseline, drift: Drift, goal: GoalView, turn: Turn) -> Baseline:
    """Return the focus to measure the next goal against.

    That is the new goal after a refocus, on the first turn, and where the set has followed the goal to another subject
    without one: else a later way back would look like no way at all.
    """
    anew = Baseline(turn, tuple(sorted(goal.terms)), goal.vector)
    if baseline.turn == 0 or drift.verdict is Verdict.REFOCUS:
        return anew
    goal_moved = [signal.speaks for signal in drift.signals[:_GOAL_SIGNALS] if signal.measured]
    mass_lost = drift.signals[_GOAL_SIGNALS]
    followed = all(goal_moved) and bool(goal_moved) and mass_lost.measured and not mass_lost.speaks
    return replace(anew, turn=baseline.turn) if followed else baseline


def _vector_signal(baseline: Baseline, goal: GoalView, settings: DriftSettings) -> Signal:
    measured = bool(baseline.vector) and len(baseline.vector) == len(goal.vector)
    cosine = sum(a * b for a, b in zip(baseline.vector, goal.vector, strict=True)) if measured else 1.0
    return Signal("goal_distance", min(1.0, max(0.0, 1.0 - cosine)), settings.goal_distance_floor, measured)


def _term_signal(baseline: Baseline, goal: GoalView, settings: DriftSettings) -> Signal:
    known = set(baseline.terms)
    shorter = min(len(known), len(goal.terms))
    distance = 1.0 - len(known & goal.terms) / shorter if shorter else 0.0
    return Signal("term_distance", distance, settings.term_distance_floor, shorter > 0)
