"""F65: 10 same-named symbols in different files + 10 others / focus / captured equals the real kept mass within 1e-9;
same-named symbols not collapsed silently."""

from __future__ import annotations

import pytest

from tests.core_scenes import Agent, Corpus, record, ref


@pytest.mark.parametrize("budget", [60, 200, 500, 1_000, 2_000, 4_000, 20_000])
@pytest.mark.parametrize("top_k", [7, 20])
def test_f65_same_named_symbols_are_kept_or_counted_one_by_one(budget: int, top_k: int) -> None:
    same = [
        record(f"same{i}", 0.7 - i / 97, title="validate", path=f"module_{i}/checks.py", lines=5 + 3 * i)
        for i in range(10)
    ]
    others = [record(f"other{i}", 0.69 - i / 83, lines=12) for i in range(10)]
    agent = Agent(Corpus.of(*same, *others), budget=budget, top_k=top_k)
    outcome = agent.focus("where is validate called")
    shown = {entry.ref for entry in outcome.state.entries if entry.has_text}
    mass = sum(candidate.relevance for candidate in (*same, *others))
    kept = sum(candidate.relevance for candidate in (*same, *others) if candidate.ref in shown)
    assert outcome.sufficiency.captured == pytest.approx(kept / mass, abs=1e-9)
    in_text = {candidate.ref for candidate in (*same, *others) if _has_text_in(outcome.block.text, candidate.ref)}
    assert in_text == shown - {outcome.state.goal.ref if outcome.state.goal else ref("none")}
    assert outcome.ignored.count == 20 - len(in_text)
    if budget == 20_000 and top_k == 20:
        assert outcome.sufficiency.captured == pytest.approx(1.0, abs=1e-9)
        assert all(candidate.renderings.full in outcome.block.text for candidate in same)
        assert outcome.ignored.count == 0


def _has_text_in(block: str, name: str) -> bool:
    """A record has text where its header is followed by a body, or its line goes on after a colon."""
    for line in block.splitlines():
        if line.startswith(f"## {name} "):
            return True
        if line.startswith(f"- {name} "):
            return ": " in line
    return False
