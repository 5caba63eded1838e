"""Groundedness: heat counts for as much as what an entry rests on is there, whole and fresh."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, record, ref
from workingset.heat import decayed, heat_at
from workingset.settings import EvictionSettings, PackingSettings
from workingset.tier import Tier
from workingset.vocabulary import Fidelity, Freshness, Standing, SupportClosure

HEAT = SETTINGS.heat


def shop(closes: bool = True) -> Agent:
    """A result that rests on four premises, all used; closed over as retrieval does, or as far as it names itself."""
    needs = ["p0", "p1", "p2", "p3"]
    agent = Agent(Corpus.of(record("answer", 0.9, requires=needs), *(record(name, lines=3) for name in needs)))
    agent.corpus.closes = closes
    agent.focus("goal")
    agent.touch("answer", *needs)
    return agent


def lose(agent: Agent, name: str) -> None:
    agent.corpus.put(replace(agent.corpus.records[ref(name)], standing=Standing.REMOVED))
    agent.focus("goal")


def test_what_rests_on_nothing_is_grounded() -> None:
    agent = Agent(Corpus.of(record("a", 0.9)))
    agent.focus("goal")
    assert agent.entry("a").grounded == 1.0


def test_a_result_with_all_it_needs_is_grounded() -> None:
    assert shop().entry("answer").grounded == 1.0


@pytest.mark.parametrize("closes", [True, False])
@pytest.mark.parametrize("lost", [1, 2, 3, 4])
def test_heat_is_multiplied_by_the_share_of_needs_that_is_there(lost: int, closes: bool) -> None:
    agent = shop(closes)
    for name in range(lost):
        lose(agent, f"p{name}")
    held = agent.entry("answer")
    assert held.grounded == pytest.approx(1 - lost / 4)
    assert heat_at(held, agent.state.turn, HEAT) == pytest.approx(
        decayed(held, agent.state.turn, HEAT) * (1 - lost / 4)
    )


def test_a_stale_premise_counts_as_missing_and_stays() -> None:
    agent = shop()
    agent.corpus.put(replace(agent.corpus.records[ref("p0")], freshness=Freshness.STALE))
    agent.focus("goal")
    held = agent.entry("answer")
    assert (held.grounded, held.closure) == (0.75, SupportClosure.CLOSED)
    assert agent.tier("p0") is Tier.MANDATORY


def test_a_premise_whose_freshness_nobody_can_check_counts_as_there() -> None:
    agent = shop()
    assert {agent.entry(f"p{i}").freshness for i in range(4)} == {Freshness.UNKNOWN}
    assert agent.entry("answer").grounded == 1.0


def test_groundedness_does_not_cool_what_is_stored_or_what_the_entry_rests_on() -> None:
    agent = shop()
    before = {name: agent.entry(name) for name in ("answer", "p1")}
    lose(agent, "p0")
    for name, held in before.items():
        assert decayed(agent.entry(name), agent.state.turn, HEAT) >= decayed(held, agent.state.turn, HEAT)
    assert agent.entry("p1").grounded == 1.0


def test_heat_is_back_in_full_when_the_premise_is_back() -> None:
    agent = shop()
    lose(agent, "p0")
    agent.corpus.put(record("p0", lines=3))
    agent.focus("goal")
    held = agent.entry("answer")
    assert (held.grounded, held.closure) == (1.0, SupportClosure.CLOSED)
    assert heat_at(held, agent.state.turn, HEAT) == decayed(held, agent.state.turn, HEAT)


def test_a_use_while_a_premise_is_missing_is_kept_for_when_it_is_back() -> None:
    agent, other = shop(), shop()
    lose(agent, "p0")
    other.focus("goal")
    for each in (agent, other):
        each.touch("answer")
    assert agent.entry("answer").heat == other.entry("answer").heat


def test_a_record_that_needs_nothing_any_more_is_grounded() -> None:
    agent = shop()
    lose(agent, "p0")
    agent.corpus.put(record("answer", 0.9, generation=2))
    agent.focus("goal")
    assert agent.entry("answer").grounded == 1.0


def test_the_ghost_remembers_heat_as_it_counted() -> None:
    agent = shop()
    lose(agent, "p0")
    held = agent.entry("answer")
    agent.evict("answer")
    (ghost,) = [ghost for ghost in agent.state.ghosts if ghost.ref == ref("answer")]
    assert ghost.heat == heat_at(held, agent.state.turn, HEAT)


def test_what_lost_its_ground_gives_way_to_a_newcomer_that_its_equal_withstands() -> None:
    held = {ref("based"): 0.1, ref("free"): 0.1}
    agent = Agent(Corpus.of(record("based", requires=["p"]), record("free"), record("p", lines=2), record("new")))
    agent.settings = replace(SETTINGS, eviction=EvictionSettings(minimum_stay_turns=0))
    agent.focus("goal", held)
    agent.touch("based", "free")
    agent.corpus.put(replace(agent.corpus.records[ref("p")], standing=Standing.REMOVED))
    agent.focus("goal b", held)
    agent.focus("goal c", {**held, ref("new"): 0.3}, budget=560)
    heats = {name: heat_at(agent.entry(name), agent.state.turn, HEAT) for name in ("based", "free")}
    assert heats["based"] == 0.0 < heats["free"]
    assert agent.entry("free").fidelity is Fidelity.FULL
    assert agent.entry("based").fidelity is not Fidelity.FULL


def test_a_line_promises_no_closure_and_stays_while_warm() -> None:
    agent = Agent(Corpus.of(record("a", requires=["m"]), record("m", lines=3), *(record(i) for i in range(3))))
    agent.settings = replace(
        SETTINGS,
        packing=PackingSettings(outline_share=0.0, gist_share=0.0),
        eviction=EvictionSettings(minimum_stay_turns=0),
    )
    agent.focus("goal", {ref("a"): 0.3})
    agent.touch("a")
    for turn in range(3):
        agent.focus(f"goal {turn}", {ref(i): 0.99 for i in range(3)}, budget=760)
        assert (agent.tier("a"), agent.entry("a").grounded) == (Tier.FRONTIER_ONLY, 1.0)
