"""F73: heat: item unused for h half-lives / status / heat = h0*2^-h within 1e-6, and independent of how many Check and
Status calls were made in between. The core's part: Status reads `heat_at`, Check is a Focus that is thrown away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, record, ref
from workingset.heat import heat_at
from workingset.vocabulary import Turn


@pytest.mark.parametrize("half_lives", [1, 2, 3, 5])
@pytest.mark.parametrize("looks", [0, 1, 40])
def test_f73_heat_is_that_of_its_last_use_halved_each_half_life(half_lives: int, looks: int) -> None:
    heat = replace(SETTINGS.heat, half_life_turns=3.0, cold_heat=0.0)
    agent = Agent(Corpus.of(record("used", lines=3), record("x", 0.4)), settings=replace(SETTINGS, heat=heat))
    agent.focus("goal", {})
    agent.touch("used", "used")
    start = agent.state.entry(ref("used"))
    assert start is not None
    h0, turn = heat_at(start, agent.state.turn, heat), agent.state.turn
    assert h0 == 2 * heat.read_heat
    for _ in range(int(half_lives * heat.half_life_turns)):
        for _ in range(looks):
            kept = agent.state
            agent.focus("a check, thrown away", {ref("used"): 0.9, ref("x"): 0.4})
            agent.state = kept
            assert kept.entry(ref("used")) is not None
            heat_at(start, Turn(kept.turn + 1), heat)
        agent.focus("goal", {})
    held = agent.state.entry(ref("used"))
    assert held is not None
    assert agent.state.turn - turn == half_lives * 3
    assert heat_at(held, agent.state.turn, heat) == pytest.approx(h0 * 2.0**-half_lives, abs=1e-6)
