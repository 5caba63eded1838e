"""F71: mandatory M of result R / evict M / R evicted first, or R.closure=partial in the same receipt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.receipt import Node
from workingset.tier import Tier
from workingset.vocabulary import Standing, SupportClosure


def agent_with_rule() -> Agent:
    agent = Agent(Corpus.of(record("r", 0.9, requires=["m"]), record("m"), record("x", 0.5)))
    agent.focus("goal")
    held = agent.state.entry(ref("m"))
    assert held is not None
    assert held.tier is Tier.MANDATORY
    return agent


def test_f71_evicting_the_mandatory_evicts_the_result_first() -> None:
    agent = agent_with_rule()
    gone = [move.ref for move in agent.evict("m").moves if move.target is Tier.EVICTED]
    assert gone == [ref("r"), ref("m")]


@pytest.mark.parametrize("budget", [400, 300, 200, 120, 60])
def test_f71_under_pressure_the_mandatory_leaves_with_or_after_the_result(budget: int) -> None:
    agent = agent_with_rule()
    outcome = agent.focus("goal", budget=budget)
    gone = [move.ref for move in outcome.moves if move.target in (Tier.EVICTED, Tier.FRONTIER_ONLY)]
    result = agent.state.entry(ref("r"))
    if ref("m") in gone:
        assert ref("r") in gone
        assert gone.index(ref("r")) < gone.index(ref("m"))
        assert result is None or not result.has_text
    else:
        held = agent.state.entry(ref("m"))
        assert held is not None
        assert held.has_text
        assert result is None or result.closure is SupportClosure.CLOSED


@pytest.mark.parametrize("standing", [Standing.REMOVED, Standing.OUT_OF_SCOPE, Standing.SUPERSEDED])
def test_f71_where_the_mandatory_is_not_there_any_more_the_closure_is_partial_in_the_same_receipt(
    standing: Standing,
) -> None:
    agent = agent_with_rule()
    agent.corpus.put(replace(record("m"), standing=standing))
    outcome = agent.focus("goal")
    assert ref("m") in {move.ref for move in outcome.moves if move.target is Tier.EVICTED}
    result = outcome.state.entry(ref("r"))
    assert result is not None
    assert result.closure is SupportClosure.PARTIAL
    assert _closure_in(outcome.receipt, ref("r")) == "partial"
    assert outcome.sufficiency.open_obligations == ("support_closure of shop:r is partial",)


def _closure_in(receipt: Node, name: str) -> object:
    entries = next(part for part in receipt.parts if part.what == "entries")
    entry = next(part for part in entries.parts if part.what == name)
    return next(part.value for part in entry.parts if part.what == "closure")
