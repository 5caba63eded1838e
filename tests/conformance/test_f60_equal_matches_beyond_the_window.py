"""F60: 80 equal matches, top_k 20, huge budget / focus / ignored.count=60, captured<1, not sufficient."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, record
from workingset.settings import Calibration, SufficiencySettings, WorkingSetSettings
from workingset.sufficiency import State

CALIBRATED = replace(
    SETTINGS, sufficiency=SufficiencySettings(calibration=Calibration("test", 100, "2025-01-01", 0.05, 0.1))
)


@pytest.mark.parametrize("settings", [SETTINGS, CALIBRATED], ids=["uncalibrated", "calibrated"])
@pytest.mark.parametrize("relevance", [0.05, 0.2, 0.5, 1.0])
def test_f60_equal_matches_beyond_the_window_are_counted(relevance: float, settings: WorkingSetSettings) -> None:
    corpus = Corpus.of(*(record(i, relevance, lines=3) for i in range(80)))
    agent = Agent(corpus, budget=1_000_000, top_k=20, settings=settings)
    outcome = agent.focus("equal matches")
    assert outcome.ignored.count == 60
    assert outcome.ignored.reasons == (("window", 60),)
    assert sum(entry.has_text for entry in outcome.state.entries) == 20 + 1
    assert outcome.sufficiency.captured == pytest.approx(0.25, abs=1e-9)
    assert outcome.sufficiency.captured < 1
    assert outcome.sufficiency.truncated
    assert outcome.sufficiency.state is not State.SUFFICIENT
