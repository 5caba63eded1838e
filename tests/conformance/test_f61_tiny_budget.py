"""F61: 40 matches, budget of 30 tokens / focus / dropped>0, not sufficient, budget really <= 30 by the exact
tokenizer."""

from __future__ import annotations

from dataclasses import replace

import pytest
import quicktok

from tests.core_scenes import SETTINGS, Agent, Corpus, record
from workingset.settings import Calibration, SufficiencySettings
from workingset.sufficiency import State

EXACT = quicktok.get_encoding("o200k_base")
CALIBRATED = replace(
    SETTINGS, sufficiency=SufficiencySettings(calibration=Calibration("test", 100, "2025-01-01", 0.05, 0.1))
)


@pytest.mark.parametrize("text", ["x = 1\n", "返金は一度だけ 🧾\n", '{"a": [1, 2, 3]}\n', None])
def test_f61_a_tiny_budget_is_kept_by_the_exact_tokenizer(text: str | None) -> None:
    corpus = Corpus.of(*(record(i, 0.6, text=text) for i in range(40)))
    agent = Agent(corpus, budget=30, settings=CALIBRATED)
    outcome = agent.focus("forty matches")
    assert outcome.over_budget is None
    shown = sum(entry.has_text for entry in outcome.state.entries) - 1
    assert outcome.ignored.count == 40 - shown > 0
    assert outcome.sufficiency.state is not State.SUFFICIENT
    assert outcome.sufficiency.truncated
    assert 0 < len(EXACT.encode_ordinary(outcome.block.text)) == outcome.block.tokens <= 30
