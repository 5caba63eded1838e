"""What keeps warm: uses, counted up to a limit a turn; kinds that cool slowly; decay by the wall clock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, record, ref
from workingset.eviction.pages import page_of
from workingset.heat import heat_at, idled, used
from workingset.settings import HeatSettings
from workingset.tier import Tier
from workingset.transitions.records import entry_of
from workingset.transitions.touch import Action
from workingset.vocabulary import Fidelity, Heat, Turn

HEAT = SETTINGS.heat
DAY = 86_400
SLOW = ("ruled_out", "identifier")


def shop(**kinds: str) -> Agent:
    """An agent over one record a kind, by name."""
    return Agent(Corpus.of(*(record(name, 0.9, lines=4, kind=kind) for name, kind in kinds.items())))


def test_uses_within_a_turn_count_up_to_a_limit() -> None:
    agent = shop(a="function")
    agent.focus("goal")
    agent.touch(*["a"] * 10)
    held = agent.entry("a")
    assert held.uses == HEAT.uses_limit_per_turn
    assert held.turn_uses == 10


def test_a_loop_of_reads_warms_no_more_than_the_limit_of_them() -> None:
    loop, few = shop(a="function"), shop(a="function")
    for agent in (loop, few):
        agent.focus("goal")
    loop.touch(*["a"] * 40)
    few.touch(*["a"] * HEAT.uses_limit_per_turn)
    assert loop.entry("a").heat == few.entry("a").heat


def test_uses_beyond_the_limit_are_hits_and_faults_all_the_same() -> None:
    agent = shop(a="function")
    agent.focus("goal")
    agent.touch(*["a"] * 10)
    assert (agent.state.references, agent.state.faults.hits) == (10, 10)


def test_uses_beyond_the_limit_keep_it_the_last_thing_used() -> None:
    agent = shop(a="function", b="function")
    agent.focus("goal")
    agent.touch(*["a"] * 5, "b", "a")
    assert agent.entry("a").touched_at == agent.state.references == 7


def test_the_limit_is_of_one_turn() -> None:
    agent = shop(a="function")
    for turn in range(3):
        agent.focus(f"goal {turn}")
        agent.touch(*["a"] * 10)
    assert agent.entry("a").uses == 3 * HEAT.uses_limit_per_turn


def test_an_edit_beyond_the_limit_is_still_the_last_use() -> None:
    agent = shop(a="function")
    agent.focus("goal")
    agent.touch(*["a"] * 5)
    agent.touch("a", action=Action.EDIT)
    assert agent.entry("a").last_use_was_edit


def test_the_count_of_a_turn_starts_anew_in_the_next() -> None:
    made = entry_of(record("a"), Tier.RESIDENT, Fidelity.FULL, Turn(1), 0)
    for _ in range(9):
        made = used(made, Turn(1), 1.0, HEAT)
    assert used(made, Turn(2), 1.0, HEAT).turn_uses == 1


@pytest.mark.parametrize("kind", SLOW)
def test_a_slow_kind_halves_in_its_own_half_life(kind: str) -> None:
    made = replace(entry_of(record("a", kind=kind), Tier.RESIDENT, Fidelity.FULL, Turn(0), 0), heat=Heat(4.0))
    assert heat_at(made, Turn(int(HEAT.slow_half_life_turns)), HEAT) == pytest.approx(2.0)
    other = replace(made, kind="function")
    assert heat_at(other, Turn(int(HEAT.slow_half_life_turns)), HEAT) == pytest.approx(0.25)


@pytest.mark.parametrize("kind", SLOW)
def test_a_slow_kind_looks_younger_to_eviction_in_the_proportion_of_the_half_lives(kind: str) -> None:
    made = entry_of(record("a", kind=kind), Tier.RESIDENT, Fidelity.FULL, Turn(0), 0)
    other = replace(made, kind="function")
    ages = [page_of(entry, 240, Turn(0), HEAT, SETTINGS.eviction).age_references for entry in (made, other)]
    assert ages == [int(240 * HEAT.half_life_turns / HEAT.slow_half_life_turns), 240]


@pytest.mark.parametrize("kind", SLOW)
def test_what_is_known_not_to_work_outlasts_what_was_used_at_the_same_time(kind: str) -> None:
    names = {"dead_end": kind, "plain": "function", **{f"x{i}": "function" for i in range(12)}}
    agent = shop(**names)
    agent.budget = 500
    agent.focus("goal", {})
    agent.touch("dead_end", "plain")
    agent.touch(*(f"x{i}" for i in range(12)))
    kept = {entry.ref for entry in agent.state.entries if entry.has_text}
    assert ref("dead_end") in kept
    assert ref("plain") not in kept


def test_which_kinds_are_slow_is_a_setting() -> None:
    made = replace(entry_of(record("a", kind="decision"), Tier.RESIDENT, Fidelity.FULL, Turn(0), 0), heat=Heat(1.0))
    slow = replace(HEAT, slow_kinds=("decision",), slow_half_life_turns=60.0)
    assert heat_at(made, Turn(60), slow) == pytest.approx(0.5)


def test_an_idle_week_cools_nothing() -> None:
    agents = [shop(a="function") for _ in range(2)]
    for agent, away in zip(agents, (0, 7 * DAY), strict=True):
        agent.focus("goal", now=1_000)
        agent.touch("a")
        agent.focus("another", {}, now=1_000 + away)
    assert agents[0].entry("a").heat == agents[1].entry("a").heat > 0


def test_a_configured_wall_clock_halves_heat_each_half_life() -> None:
    agent = shop(a="function")
    agent.settings = replace(SETTINGS, heat=HeatSettings(wall_half_life_seconds=DAY))
    agent.focus("goal", {}, now=1_000)
    agent.touch("a")
    agent.focus("goal", {}, now=1_000 + 2 * DAY)
    held = agent.entry("a")
    assert held.heat == pytest.approx(HEAT.read_heat / 4)
    assert heat_at(held, agent.state.turn, agent.settings.heat) == pytest.approx(
        HEAT.read_heat / 4 * 2.0 ** (-1 / HEAT.half_life_turns)
    )


def test_decay_by_the_wall_clock_in_steps_equals_decay_at_once() -> None:
    settings = HeatSettings(wall_half_life_seconds=float(DAY))
    made = replace(entry_of(record("a"), Tier.RESIDENT, Fidelity.FULL, Turn(0), 0), heat=Heat(3.0))
    stepped = made
    for _ in range(10):
        stepped = idled(stepped, DAY // 4, settings)
    assert stepped.heat == pytest.approx(idled(made, 10 * DAY // 4, settings).heat)


def test_a_clock_that_goes_back_warms_nothing() -> None:
    agent = shop(a="function")
    agent.settings = replace(SETTINGS, heat=HeatSettings(wall_half_life_seconds=DAY))
    agent.focus("goal", {}, now=10_000)
    agent.touch("a")
    agent.focus("goal", {}, now=5)
    assert agent.entry("a").heat == HEAT.read_heat


def test_the_first_turn_of_all_has_no_time_before_it() -> None:
    agent = shop(a="function")
    agent.settings = replace(SETTINGS, heat=HeatSettings(wall_half_life_seconds=DAY))
    agent.touch("a")
    agent.focus("goal", {}, now=1_800_000_000)
    assert agent.entry("a").heat == HEAT.read_heat
