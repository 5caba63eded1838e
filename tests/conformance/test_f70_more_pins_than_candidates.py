"""F70: 33 pins with a candidate cap of 32 / focus / all 33 present or refused."""

from __future__ import annotations

import pytest

from tests.core_scenes import Agent, Corpus, note_ref, record, ref
from workingset.tier import Tier
from workingset.vocabulary import Fidelity


@pytest.mark.parametrize("ranked", [False, True], ids=["pins not ranked", "pins ranked last"])
def test_f70_pins_never_pass_through_a_candidate_cap(ranked: bool) -> None:
    pinned = [record(f"pin{i:02}", 0.01 if ranked else 0.0, lines=3) for i in range(30)]
    corpus = Corpus.of(*pinned, *(record(i, 0.9, lines=3) for i in range(60)))
    agent = Agent(corpus, budget=8_000, top_k=32)
    for candidate in pinned:
        agent.pin(candidate.ref.partition(":")[2])
    words = [f"rule number {i}" for i in range(3)]
    for text in words:
        agent.pin(text=text)
    for turn in range(5):
        outcome = agent.focus(f"goal {turn}")
        held = {e.ref for e in outcome.state.entries if e.tier is Tier.PINNED and e.fidelity is Fidelity.FULL}
        assert held >= {*(c.ref for c in pinned), *(note_ref(text) for text in words)}
        assert all(candidate.renderings.full in outcome.block.text for candidate in pinned)
        assert all(text in outcome.block.text for text in words)
        assert len(outcome.state.pins) == 33 + 1
        assert outcome.block.tokens <= 8_000


def test_f70_a_pin_that_does_not_fit_is_refused_and_the_others_stay() -> None:
    corpus = Corpus.of(*(record(i, 0.9, lines=3) for i in range(60)))
    agent = Agent(corpus, budget=1_000, top_k=32)
    agent.focus("goal", {})
    refused = [i for i in range(33) if agent.pin(i).over_budget is not None]
    taken = [ref(i) for i in range(33) if i not in refused]
    assert refused
    assert taken
    outcome = agent.focus("goal")
    assert outcome.over_budget is None
    assert [pin.ref for pin in outcome.state.pins if not pin.has_words] == sorted(taken)
    assert all(corpus.records[name].renderings.full in outcome.block.text for name in taken)
