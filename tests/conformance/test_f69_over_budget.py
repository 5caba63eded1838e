"""F69: pins exceed the budget / pin or focus / typed `OVER_BUDGET` naming sizes; nothing dropped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import Agent, Corpus, count, note_ref, record, ref
from workingset.rendering import render
from workingset.tier import Tier
from workingset.transitions.pins import PinOutcome
from workingset.transitions.records import entry_of
from workingset.transitions.texts import pin_candidate
from workingset.vocabulary import Fidelity, Turn

RULES = tuple(f"rule {i}: never do the forbidden thing number {i} in module_{i}" for i in range(6))


def agent_with_pins() -> Agent:
    corpus = Corpus.of(*(record(i, 0.6) for i in range(12)), record("rule", requires=["premise"]), record("premise"))
    agent = Agent(corpus, budget=4_000)
    agent.pin("rule")
    for rule in RULES:
        agent.pin(text=rule)
    agent.focus("first goal")
    agent.touch(0, 11)
    return agent


@pytest.mark.parametrize("short_by", [1, 50, 300])
def test_f69_focus_answers_over_budget_and_drops_nothing(short_by: int) -> None:
    agent = agent_with_pins()
    needed = agent.focus("the same goal", {}).ledger
    least = needed.pinned + needed.mandatory
    before = agent.state
    outcome = agent.focus("the same goal", budget=least - short_by)
    over = outcome.over_budget
    assert over is not None
    assert over.needed == least > least - short_by
    assert {o.ref for o in over.offenders} == {
        ref("rule"),
        ref("premise"),
        *(note_ref(rule) for rule in RULES),
        before.goal.ref if before.goal else ref("none"),
    }
    for offender in over.offenders:
        held = before.entry(offender.ref)
        assert held is not None
        assert offender.tokens == held.tokens > 0
        assert offender.tier is held.tier in (Tier.PINNED, Tier.MANDATORY)
        assert offender.title == held.title
    assert (outcome.block.text, outcome.block.tokens, outcome.moves, outcome.delta) == ("", 0, (), ())
    assert replace(outcome.state, turn=before.turn, last_receipt=before.last_receipt) == before
    after = agent.focus("the same goal", budget=least)
    assert after.over_budget is None
    assert after.block.tokens <= least
    assert all(rule in after.block.text for rule in RULES)


def test_f69_pin_answers_over_budget_and_takes_and_drops_nothing() -> None:
    agent = agent_with_pins()
    ledger = agent.focus("the same goal", {}).ledger
    least = ledger.pinned + ledger.mandatory
    before = agent.state
    outcome = agent.pin(text="one more rule", budget=least)
    assert outcome.over_budget is not None
    assert outcome.state == agent.state == before
    assert outcome.moves == ()
    assert outcome.tokens == _tokens_of(outcome)
    assert {o.ref for o in outcome.over_budget.offenders} >= {note_ref("one more rule"), ref("rule"), ref("premise")}
    assert all(o.tokens > 0 for o in outcome.over_budget.offenders)
    assert outcome.over_budget.needed == least + outcome.tokens
    taken = agent.pin(text="one more rule", budget=outcome.over_budget.needed)
    assert taken.over_budget is None
    assert agent.focus("the same goal", budget=outcome.over_budget.needed).over_budget is None


def _tokens_of(outcome: PinOutcome) -> int:
    made = pin_candidate(outcome.pin)
    held = entry_of(made, Tier.PINNED, Fidelity.FULL, Turn(0), 0)
    return render([held], lambda _: made.renderings, count).tokens
