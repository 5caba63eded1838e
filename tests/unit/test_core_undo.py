"""Refocus and its undo: the new goal chooses anew; for one turn what went can be had back as it was."""

from __future__ import annotations

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, record, ref
from workingset.delivery import Change
from workingset.drift import Verdict
from workingset.entry import Entry
from workingset.errors import NothingToUndo
from workingset.heat import heat_at
from workingset.tier import Cause, Tier
from workingset.transitions.focus import FocusOutcome
from workingset.vocabulary import Digest, Fidelity, Ref, Tokens

OLD = {ref(f"old{i}"): 0.9 - i / 50 for i in range(8)}
NEW = {ref(f"new{i}"): 0.9 - i / 50 for i in range(8)}


def shop() -> Agent:
    """An agent that has worked on one subject for a while."""
    records = [record(name, lines=10, requires=["m"] if name == "old0" else []) for name in names("old")]
    agent = Agent(Corpus.of(*records, *(record(name, lines=10) for name in names("new")), record("m", lines=3)))
    agent.budget = 900
    agent.focus("refund issued twice", OLD)
    agent.focus("refund issued twice on timeout", OLD)
    agent.touch("old0", "old1", "old1", "old5")
    return agent


def names(prefix: str) -> list[str]:
    return [f"{prefix}{i}" for i in range(8)]


def refocused() -> tuple[Agent, FocusOutcome]:
    agent = shop()
    outcome = agent.focus("nightly export slow", NEW)
    assert outcome.drift.verdict is Verdict.REFOCUS
    return agent, outcome


def places(agent: Agent) -> dict[Ref, tuple[Tier, Fidelity, float]]:
    """Tier, fidelity and stored heat of every record's entry."""
    own = {pin.ref for pin in agent.state.pins}
    return {e.ref: (e.tier, e.fidelity, e.heat) for e in agent.state.entries if e.ref not in own}


def kept_text(agent: Agent, prefix: str) -> set[Ref]:
    return {e.ref for e in agent.state.entries if e.has_text and e.ref.startswith(f"shop:{prefix}")}


def test_a_refocus_chooses_anew_for_the_new_goal() -> None:
    agent, _ = refocused()
    assert kept_text(agent, "new") >= {ref(f"new{i}") for i in range(4)}


def test_a_refocus_cools_what_stays_and_counts_its_uses_as_of_an_earlier_stay() -> None:
    agent = shop()
    agent.budget = 8_000
    before = agent.entry("old1")
    agent.focus("nightly export slow", NEW)
    after = agent.entry("old1")
    turn = agent.state.turn
    expected = heat_at(before, turn, SETTINGS.heat) * SETTINGS.heat.refocus_share
    assert heat_at(after, turn, SETTINGS.heat) == pytest.approx(expected)
    assert (after.uses, after.uses_before) == (0, before.uses + before.uses_before)


def test_what_left_by_a_refocus_says_so() -> None:
    agent, outcome = refocused()
    gone = [m for m in outcome.moves if m.origin is Tier.RESIDENT and m.ref in OLD]
    assert gone
    assert {m.cause for m in gone} == {Cause.REFOCUS}
    ghosts = {ghost.ref: ghost.reason for ghost in agent.state.ghosts}
    assert all(ghosts[m.ref] == Cause.REFOCUS.value for m in gone if m.target is Tier.EVICTED)


def test_pins_outlast_a_refocus() -> None:
    agent = shop()
    agent.pin("m")
    agent.focus("nightly export slow", NEW)
    assert agent.tier("m") is Tier.PINNED


def test_only_a_refocus_offers_undo() -> None:
    agent = shop()
    assert agent.state.undo is None
    agent.focus("nightly export slow", NEW)
    assert agent.state.undo is not None


def test_undo_brings_back_tiers_fidelity_and_heat() -> None:
    agent = shop()
    before = places(agent)
    agent.focus("nightly export slow", NEW)
    agent.undo()
    after = places(agent)
    assert set(after) <= set(before)
    assert after == {name: before[name] for name in after}
    texts = {name for name, (tier, _, _) in before.items() if tier is not Tier.FRONTIER_ONLY}
    assert texts <= set(after)


def test_undo_takes_out_what_the_refocus_brought_in() -> None:
    agent, _ = refocused()
    moves = agent.undo().moves
    assert kept_text(agent, "new") == set()
    assert {m.cause for m in moves if m.ref in NEW} == {Cause.UNDONE}


def test_undo_takes_out_a_line_though_something_in_use_lacks_its_text() -> None:
    agent = shop()
    agent.corpus.put(record("late", lines=3, requires=["need"]), record("need", lines=200))
    agent.focus("nightly export slow", {**NEW, ref("need"): 0.2}, budget=1_500)
    agent.touch("late")
    assert agent.tier("need") is Tier.FRONTIER_ONLY
    agent.undo()
    assert (agent.tier("late"), agent.tier("need")) == (Tier.RESIDENT, Tier.EVICTED)


def test_undo_keeps_to_the_budget_of_the_last_turn() -> None:
    agent = shop()
    agent.focus("nightly export slow", NEW, budget=500)
    agent.undo()
    assert sum(entry.tokens for entry in agent.state.entries) <= 500


def test_undo_is_offered_once() -> None:
    agent, _ = refocused()
    agent.undo()
    with pytest.raises(NothingToUndo, match="until the next focus"):
        agent.undo()


def test_undo_is_offered_until_the_next_focus() -> None:
    agent, _ = refocused()
    agent.focus("nightly export slow", NEW)
    with pytest.raises(NothingToUndo):
        agent.undo()


def test_undo_is_offered_although_something_was_used_since() -> None:
    agent, _ = refocused()
    agent.touch("new0")
    agent.undo()
    assert kept_text(agent, "old") >= {ref("old0"), ref("old1")}


def test_undo_before_any_refocus_is_refused() -> None:
    with pytest.raises(NothingToUndo):
        shop().undo()


def test_an_answer_over_budget_ends_the_offer() -> None:
    agent, _ = refocused()
    assert agent.focus("word " * 3_000).over_budget is not None
    with pytest.raises(NothingToUndo):
        agent.undo()


def test_the_new_goal_stays_and_does_not_refocus_again() -> None:
    agent, _ = refocused()
    agent.undo()
    assert agent.state.goal is not None
    assert agent.state.goal.text == "nightly export slow"
    for _ in range(3):
        assert agent.focus("nightly export slow", NEW).drift.verdict is not Verdict.REFOCUS


def test_after_undo_what_was_in_use_is_still_there_in_the_next_turn() -> None:
    agent, _ = refocused()
    agent.undo()
    agent.focus("nightly export slow", {**OLD, **NEW})
    assert kept_text(agent, "old") >= {ref("old0"), ref("old1")}


def test_the_moves_of_undo_are_accounted_for_in_the_next_receipt() -> None:
    agent, _ = refocused()
    moves = agent.undo().moves
    receipt = agent.focus("nightly export slow", OLD).receipt
    (between,) = [part for part in receipt.parts if part.what == "moves between turns"]
    assert [part.what for part in between.parts] == [m.ref for m in moves]


def test_what_the_host_received_in_between_is_told_as_removed() -> None:
    agent, outcome = refocused()
    received = {segment.ref for segment in outcome.block.segments} & set(NEW)
    agent.undo()
    delta = agent.focus("nightly export slow", OLD).delta
    assert {d.ref for d in delta if d.change is Change.REMOVED} >= received


def test_undo_restores_what_was_mandatory_with_what_needs_it() -> None:
    agent = shop()
    assert agent.tier("m") is Tier.MANDATORY
    agent.focus("nightly export slow", NEW)
    assert agent.tier("m") is not Tier.MANDATORY
    agent.undo()
    assert (agent.tier("old0"), agent.tier("m")) == (Tier.RESIDENT, Tier.MANDATORY)


def test_what_was_pinned_in_between_stays_pinned() -> None:
    agent, _ = refocused()
    agent.pin("old7")
    agent.pin("new0")
    agent.undo()
    assert (agent.tier("old7"), agent.tier("new0")) == (Tier.PINNED, Tier.PINNED)


def test_what_was_read_anew_in_between_is_not_set_back_to_an_old_text() -> None:
    agent, _ = refocused()
    agent.corpus.put(record("old1", text="def refund(): ...\n" * 4, generation=2))
    agent.touch("old1")
    agent.undo()
    held = agent.entry("old1")
    assert held.digest == agent.corpus.records[ref("old1")].digest
    assert sum(entry.tokens for entry in agent.state.entries) <= agent.state.budget


def test_a_set_without_undo_has_no_situation_to_hold_on_to() -> None:
    agent, _ = refocused()
    agent.undo()
    assert agent.state.situation == Digest("")


def test_a_restored_entry_keeps_the_size_of_its_segment() -> None:
    agent = shop()
    before: dict[Ref, Tokens] = {e.ref: e.tokens for e in agent.state.entries}
    agent.focus("nightly export slow", NEW)
    agent.undo()
    restored: list[Entry] = [e for e in agent.state.entries if e.ref in OLD]
    assert restored
    assert all(entry.tokens == before[entry.ref] for entry in restored)
