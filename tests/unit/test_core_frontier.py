"""The frontier: one line each for the best of what has no place, within what is left of the budget."""

from __future__ import annotations

from dataclasses import replace

from tests.core_scenes import SETTINGS, Agent, Corpus, count, record, ref
from workingset.settings import EvictionSettings, HeatSettings, PackingSettings
from workingset.tier import Cause, Tier
from workingset.vocabulary import Ref, Turn


def lines(agent: Agent) -> list[Ref]:
    return [e.ref for e in agent.state.entries if e.tier is Tier.FRONTIER_ONLY]


def shop(number: int = 30, top_k: int = 20) -> Agent:
    return Agent(Corpus.of(*(record(i, 0.9 - i / 100, lines=4) for i in range(number))), top_k=top_k)


def test_the_best_of_what_was_left_out_gets_a_line() -> None:
    agent = shop(top_k=5)
    outcome = agent.focus("goal")
    assert lines(agent) == [ref(i) for i in range(5, 5 + SETTINGS.packing.frontier_lines)]
    assert "- shop:5 src/5.py:1-4 function_5\n" in outcome.block.text
    assert outcome.ignored.count == 25


def test_a_line_too_long_does_not_keep_shorter_ones_out() -> None:
    corpus = Corpus.of(
        *(record(i, 0.9, lines=4) for i in range(3)),
        record("long", 0.8, title="word " * 400),
        *(record(f"short{i}", 0.5) for i in range(3)),
    )
    agent = Agent(corpus, budget=400, top_k=3)
    outcome = agent.focus("goal")
    assert lines(agent) == [ref(f"short{i}") for i in range(3)]
    assert outcome.block.tokens == count(outcome.block.text) <= 400


def test_a_line_becomes_a_result_and_back_and_leaves_when_nothing_wants_it() -> None:
    agent = shop(3, top_k=1)
    agent.focus("goal")
    assert lines(agent) == [ref(1), ref(2)]
    outcome = agent.focus("goal b", {ref(1): 0.9})
    moves = {move.ref: (move.origin, move.target, move.cause) for move in outcome.moves}
    assert moves[ref(1)] == (Tier.FRONTIER_ONLY, Tier.RESIDENT, Cause.RESULT)
    assert moves[ref(2)] == (Tier.FRONTIER_ONLY, Tier.EVICTED, Cause.COOLED)
    agent.focus("goal c", {ref(2): 0.9}, budget=110)
    assert next(e for e in agent.state.entries if e.ref == ref(2)).has_text


def test_what_went_cold_gets_no_line_and_what_was_used_stays() -> None:
    agent = shop(8, top_k=8)
    agent.settings = replace(SETTINGS, packing=PackingSettings(cold_share=0.0), heat=HeatSettings(idle_turns=30))
    agent.focus("goal")
    agent.touch(5, 5, 6)
    agent.state = replace(agent.state, turn=Turn(15))
    outcome = agent.focus("another subject altogether", {})
    assert {ref(5), ref(6)} <= {entry.ref for entry in agent.state.entries if entry.has_text}
    assert lines(agent) == []
    assert {move.cause for move in outcome.moves if move.ref == ref(4)} == {Cause.COOLED}


def test_what_all_fits_needs_no_reserve_and_no_line() -> None:
    agent = shop(6)
    texts = agent.focus("goal", budget=4_000).block.tokens
    outcome = agent.focus("goal", budget=texts)
    assert outcome.ignored.count == 0
    assert lines(agent) == []


def test_a_frontier_of_no_lines_is_possible() -> None:
    agent = shop(20, top_k=2)
    agent.settings = replace(SETTINGS, packing=PackingSettings(frontier_lines=0))
    assert agent.focus("goal").ledger.frontier == 0
    assert lines(agent) == []


def test_a_mandatory_entry_that_is_not_needed_any_more_may_get_a_line() -> None:
    corpus = Corpus.of(record("a", requires=["m"]), record("m"), record("b", lines=40))
    agent = Agent(corpus, budget=700)
    agent.settings = replace(
        SETTINGS,
        packing=PackingSettings(outline_share=0.0, gist_share=0.0),
        eviction=EvictionSettings(minimum_stay_turns=0),
    )
    agent.focus("goal", {ref("a"): 0.9})
    outcome = agent.focus("goal b", {ref("b"): 0.97, ref("m"): 0.05}, budget=650)
    steps = [(move.origin, move.target) for move in outcome.moves if move.ref == ref("m")]
    assert steps == [(Tier.MANDATORY, Tier.RESIDENT), (Tier.RESIDENT, Tier.FRONTIER_ONLY)]
    order = [move.ref for move in outcome.moves]
    assert order.index(ref("a")) < order.index(ref("m"))
