"""Heat in closed form: when an entry was used counts, never how often anybody looked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.entry import Entry
from workingset.heat import cooled, heat_at, selected, warmed, worth_of_heat
from workingset.settings import HeatSettings
from workingset.tier import Tier
from workingset.transitions.records import entry_of
from workingset.transitions.touch import Action, heat_of
from workingset.vocabulary import Fidelity, Heat, Relevance, Turn

SETTINGS = HeatSettings()


def entry(heat: float = 0.0, turn: int = 0) -> Entry:
    made = entry_of(record("a"), Tier.RESIDENT, Fidelity.FULL, Turn(turn), 0)
    return replace(made, heat=Heat(heat), heat_turn=Turn(turn))


@pytest.mark.parametrize("half_lives", [0, 1, 2, 3.5, 10])
@pytest.mark.parametrize("start", [0.3, 1.0, 8.0])
def test_heat_halves_each_half_life(half_lives: float, start: float) -> None:
    settings = HeatSettings(half_life_turns=4.0)
    now = heat_at(entry(start, 3), Turn(int(3 + 4 * half_lives)), settings)
    assert now == pytest.approx(start * 2.0 ** (-int(4 * half_lives) / 4.0), abs=1e-6)


def test_decay_in_steps_equals_decay_at_once() -> None:
    once = heat_at(entry(2.0, 1), Turn(9), SETTINGS)
    stepped = entry(2.0, 1)
    for turn in range(2, 10):
        stepped = warmed(stepped, Turn(turn), 0.0, SETTINGS)
    assert stepped.heat == pytest.approx(once, abs=1e-6)


def test_an_event_adds_its_weight_to_what_is_left() -> None:
    warm = warmed(entry(1.0, 0), Turn(6), SETTINGS.read_heat, SETTINGS)
    assert warm.heat == pytest.approx(0.5 + SETTINGS.read_heat, abs=1e-6)
    assert warm.heat_turn == 6


def test_events_cannot_heat_above_the_limit_and_never_cool() -> None:
    hot = entry()
    for _ in range(100):
        hot = warmed(hot, Turn(1), SETTINGS.edit_heat, SETTINGS)
    assert hot.heat == SETTINGS.heat_limit
    above = entry(SETTINGS.heat_limit * 2, 1)
    assert warmed(above, Turn(1), 1.0, SETTINGS).heat == above.heat


def test_a_selection_warms_by_its_relevance() -> None:
    assert selected(entry(), Turn(1), Relevance(0.8), SETTINGS).heat == pytest.approx(SETTINGS.selection_heat * 0.8)
    assert selected(entry(), Turn(1), Relevance(0.0), SETTINGS).heat == 0.0


def test_an_edit_warms_more_than_a_read() -> None:
    assert heat_of(Action.EDIT, SETTINGS) > heat_of(Action.READ, SETTINGS) >= heat_of(Action.CITE, SETTINGS) > 0


def test_a_refocus_leaves_a_share() -> None:
    cold = cooled(entry(4.0, 1), Turn(7), SETTINGS)
    assert cold.heat == pytest.approx(2.0 * SETTINGS.refocus_share)
    assert cold.heat_turn == 7


def test_worth_of_heat_lies_on_the_scale_of_relevance() -> None:
    assert worth_of_heat(Heat(0.0)) == 0.0
    assert worth_of_heat(Heat(1.0)) == pytest.approx(0.5)
    assert 0.99 < worth_of_heat(Heat(SETTINGS.heat_limit)) < 1.0


def test_being_rendered_is_not_use() -> None:
    agent = Agent(Corpus.of(record("used"), record("other")))
    agent.touch("used", "other")
    before = {e.ref: e.heat for e in agent.state.entries}
    agent.focus("unrelated", {})
    for held in agent.state.entries:
        if held.ref in before:
            assert held.has_text
            assert heat_at(held, agent.state.turn, SETTINGS) < before[held.ref]


def test_heat_does_not_depend_on_how_often_anybody_looked() -> None:
    agents = [Agent(Corpus.of(record("a", 0.6))) for _ in range(2)]
    for agent in agents:
        agent.focus("goal")
    looker = agents[1]
    for _ in range(50):
        state = looker.state
        looker.focus("goal")
        looker.state = state  # a Check: evaluated, and thrown away
    heats = []
    for agent in agents:
        agent.focus("other", {})
        held = agent.state.entry(ref("a"))
        assert held is not None
        heats.append(heat_at(held, Turn(agent.state.turn + 5), SETTINGS))
    assert heats[0] == heats[1] > 0
