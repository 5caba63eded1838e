"""Drift: a moved subject, changed evidence, and re-arming after a refocus."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.candidate import GoalView
from workingset.drift import Baseline, Drift, Held, Verdict, baseline_after, detect
from workingset.settings import DriftSettings
from workingset.tier import Cause
from workingset.vocabulary import Standing, Turn

SETTINGS = DriftSettings()
OLD = Baseline(Turn(1), ("refund", "timeout"), (1.0, 0.0))
FAR = GoalView("nightly export", frozenset({"nightly", "export"}), (0.0, 1.0))
NEAR = GoalView("refund again", frozenset({"refund", "again"}), (0.9, 0.43588989))


def drift(
    goal: GoalView = FAR,
    baseline: Baseline = OLD,
    turn: int = 5,
    kept: float | None = 0.0,
    stale: float | None = 0.0,
    settings: DriftSettings = SETTINGS,
) -> Drift:
    return detect(baseline, goal, turn=Turn(turn), mass_kept=kept, stale=(), stale_share=stale, settings=settings)


def test_a_moved_subject_asks_for_a_refocus_with_its_numbers() -> None:
    found = drift()
    assert found.verdict is Verdict.REFOCUS
    values = {signal.name: signal.value for signal in found.signals}
    assert values == {"goal_distance": 1.0, "term_distance": 1.0, "relevance_mass_lost": 1.0, "stale_evidence": 0.0}
    assert not found.calibrated


@pytest.mark.parametrize(
    "found",
    [
        drift(NEAR),
        drift(kept=0.9),
        drift(baseline=Baseline()),
        drift(baseline=replace(OLD, turn=Turn(4))),
        drift(kept=None),
        drift(replace(FAR, terms=frozenset({"refund", "timeout"}))),
    ],
    ids=["near goal", "mass kept", "first turn", "not armed", "nothing ranked", "same words"],
)
def test_one_quiet_signal_is_enough_to_hold(found: Drift) -> None:
    assert found.verdict is Verdict.HOLD


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (drift(baseline=Baseline()), Held.FIRST_TURN),
        (drift(baseline=replace(OLD, turn=Turn(4))), Held.REFOCUSED_LATELY),
        (drift(kept=None), Held.NOTHING_RANKED),
        (drift(NEAR), None),
        (drift(), None),
        (drift(baseline=replace(OLD, turn=Turn(4)), stale=1.0), None),
    ],
    ids=["first turn", "not armed", "nothing ranked", "signals hold by themselves", "refocus", "stale"],
)
def test_what_holds_against_its_signals_says_why(found: Drift, why: Held | None) -> None:
    assert found.held is why


def test_an_unmeasured_signal_neither_speaks_nor_vetoes() -> None:
    found = drift(GoalView("export", frozenset({"export"})), Baseline(Turn(1), ("refund",)))
    assert found.verdict is Verdict.REFOCUS
    assert [signal.measured for signal in found.signals] == [False, True, True, True]
    assert found.signals[0].value == 0.0
    other_model = drift(replace(FAR, vector=(0.0, 1.0, 0.0)))
    assert not other_model.signals[0].measured


def test_changed_evidence_is_stale_and_a_refocus_goes_before_it() -> None:
    assert drift(NEAR, stale=SETTINGS.stale_share_floor).verdict is Verdict.STALE
    assert drift(NEAR, stale=SETTINGS.stale_share_floor - 0.01).verdict is Verdict.HOLD
    assert drift(NEAR, stale=None).verdict is Verdict.HOLD
    assert drift(stale=1.0).verdict is Verdict.REFOCUS


def test_the_detector_re_arms_on_the_new_focus() -> None:
    found = drift(turn=5)
    baseline = baseline_after(OLD, found, FAR, Turn(5))
    assert baseline == Baseline(Turn(5), ("export", "nightly"), (0.0, 1.0))
    back = GoalView("refund timeout", frozenset({"refund", "timeout"}), (1.0, 0.0))
    assert drift(back, baseline, turn=6).verdict is Verdict.HOLD
    assert drift(back, baseline, turn=7).verdict is Verdict.REFOCUS


def test_holding_keeps_the_baseline_so_that_slow_drift_adds_up() -> None:
    assert baseline_after(OLD, drift(NEAR), NEAR, Turn(5)) == OLD
    assert baseline_after(Baseline(), drift(NEAR, Baseline()), NEAR, Turn(1)).turn == 1


def test_a_set_that_followed_the_goal_without_a_refocus_is_measured_from_there() -> None:
    found = drift(kept=0.9)
    assert found.verdict is Verdict.HOLD
    baseline = baseline_after(OLD, found, FAR, Turn(5))
    assert baseline == Baseline(OLD.turn, ("export", "nightly"), (0.0, 1.0))
    back = GoalView("refund timeout", frozenset({"refund", "timeout"}), (1.0, 0.0))
    assert drift(back, baseline, turn=6).verdict is Verdict.REFOCUS
    assert baseline_after(OLD, drift(kept=None), FAR, Turn(5)) == OLD


def test_a_refocus_cools_residents_and_moves_them_with_its_reason() -> None:
    old = [record(f"old{i}", 0.0) for i in range(6)]
    new = [record(f"new{i}", 0.0) for i in range(6)]
    agent = Agent(Corpus.of(*old, *new), budget=1_500)
    before = {c.ref: 0.8 for c in old}
    after = {c.ref: 0.8 for c in new}
    agent.focus("refund issued twice", before)
    agent.focus("refund issued twice again", before)
    outcome = agent.focus("nightly export slow", after)
    assert outcome.drift.verdict is Verdict.REFOCUS
    causes = {move.cause for move in outcome.moves if move.ref in before}
    assert Cause.REFOCUS in causes
    assert agent.state.baseline.turn == 3


def test_stale_entries_are_named_with_both_generations() -> None:
    corpus = Corpus.of(*(record(i, 0.8, lines=3) for i in range(4)), record("gone", 0.8, lines=3))
    agent = Agent(corpus)
    agent.focus("goal")
    corpus.put(record(0, 0.8, lines=4, generation=7))
    corpus.put(replace(record("gone", 0.0, lines=3, generation=8), standing=Standing.REMOVED))
    outcome = agent.focus("goal")
    assert [(s.ref, s.admitted_generation, s.generation, s.what) for s in outcome.drift.stale] == [
        (ref(0), 1, 7, "changed"),
        (ref("gone"), 1, 8, "removed"),
    ]
    assert outcome.drift.verdict is Verdict.STALE
    assert agent.focus("goal").drift.stale == ()
