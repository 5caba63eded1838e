"""F72: item evicted then its goal returns / focus / re-enters with the same stable ref; durable record count unchanged
over the whole run. The core's part: it names what leaves and what returns, and keeps no text of its own to lose."""

from __future__ import annotations

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.tier import Cause, Tier


def test_f72_what_was_evicted_re_enters_under_its_ref_when_its_goal_returns() -> None:
    first = [record(f"a{i}", lines=25) for i in range(6)]
    second = [record(f"b{i}", lines=25) for i in range(6)]
    corpus = Corpus.of(*first, *second)
    agent = Agent(corpus, budget=1_500)
    refunds = {candidate.ref: 0.9 - i / 20 for i, candidate in enumerate(first)}
    exports = {candidate.ref: 0.9 - i / 20 for i, candidate in enumerate(second)}
    records = dict(corpus.records)
    known: set[str] = set()
    for round_number in range(4):
        outcome = agent.focus("refund issued twice on timeout", refunds)
        returned = [move for move in outcome.moves if move.ref == ref("a0") and move.target is Tier.RESIDENT]
        assert [move.cause for move in returned] == [Cause.RESULT]
        held = agent.state.entry(ref("a0"))
        assert held is not None
        assert held.digest == records[ref("a0")].digest
        assert records[ref("a0")].renderings.full in outcome.block.text
        for step in range(6):
            agent.focus(f"nightly export of invoices slow, step {step}", exports)
        if round_number == 0:
            assert agent.state.entry(ref("a0")) is None
        elif agent.state.entry(ref("a0")) is not None:
            agent.evict("a0")
        assert ref("a0") in {ghost.ref for ghost in agent.state.ghosts}
        known |= {entry.ref for entry in agent.state.entries} | {ghost.ref for ghost in agent.state.ghosts}
        assert corpus.records == records, round_number
    assert {name for name in known if name.startswith("shop:")} <= set(records)
