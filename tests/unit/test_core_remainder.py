"""The honest remainder: an upper bound with its reasons, and the best of what was left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.remainder import BUDGET, CLOSURE, DUPLICATE_ORIGIN, LANE_CAP, WINDOW, captured, remainder
from workingset.vocabulary import SupportClosure

FIVE = Corpus.of(*(record(i, 0.9 - i / 10) for i in range(5)))


def test_everything_ranked_without_text_is_counted_with_its_reason() -> None:
    made = FIVE.projection("goal")
    found, left_out = remainder(made, frozenset({ref(0), ref(2)}), frozenset({ref(0)}), {ref(1): BUDGET}, named=2)
    assert found.count == 3
    assert found.reasons == ((BUDGET, 1), (WINDOW, 2))
    assert [(o.ref, o.why) for o in found.best] == [(ref(1), BUDGET), (ref(3), WINDOW)]
    assert found.truncated
    assert found.reduced == 1
    assert [candidate.ref for candidate in left_out] == [ref(1), ref(3), ref(4)]


def test_what_the_lanes_cut_or_refused_is_counted_too() -> None:
    made = replace(FIVE.projection("goal"), rejected=(("removed", 2), ("out_of_scope", 1)), overflow=7, near_misses=4)
    found, _ = remainder(made, frozenset(map(ref, range(5))), frozenset(map(ref, range(5))), {}, named=5)
    assert found.count == 10
    assert found.reasons == ((LANE_CAP, 7), ("out_of_scope", 1), ("removed", 2))
    assert found.best == ()
    assert found.truncated
    assert found.near_misses == 4


def test_nothing_left_out_is_nothing_counted() -> None:
    found, left_out = remainder(
        FIVE.projection("goal"), frozenset(map(ref, range(5))), frozenset(map(ref, range(5))), {}, named=5
    )
    assert (found.count, found.reasons, found.best, found.truncated, left_out) == (0, (), (), False, [])


def test_captured_is_the_exact_share_of_the_mass() -> None:
    made = FIVE.projection("goal")
    assert captured(made, frozenset({ref(0), ref(4)})) == pytest.approx((0.9 + 0.5) / 3.5, abs=1e-12)
    assert captured(made, frozenset()) == 0.0
    assert captured(FIVE.projection("goal", {}), frozenset()) == 0.0


def test_a_focus_tells_window_budget_origin_and_closure_apart() -> None:
    corpus = Corpus.of(
        record("first", 0.9, origin="wire"),
        record("mirror", 0.8, origin="wire"),
        record("bomb", 0.7, closure=SupportClosure.RESOURCE_LIMITED),
        record("needy", 0.6, requires=["huge"]),
        record("huge", text="unbreakable " * 4_000),
        record("behind", 0.5),
    )
    agent = Agent(corpus, budget=600, top_k=2)
    outcome = agent.focus("goal")
    assert dict(outcome.ignored.reasons) == {DUPLICATE_ORIGIN: 1, CLOSURE: 1, BUDGET: 1, WINDOW: 1}
    assert {o.ref: o.why for o in outcome.ignored.best} == {
        ref("mirror"): DUPLICATE_ORIGIN,
        ref("bomb"): CLOSURE,
        ref("needy"): BUDGET,
        ref("behind"): WINDOW,
    }
