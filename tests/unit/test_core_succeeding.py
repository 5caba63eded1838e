"""A set made of another agent's: all it knows goes along, and nothing counts as received by the new context."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from tests.core_scenes import Agent, Corpus, note_ref, record, ref
from workingset.delivery import Change
from workingset.errors import NothingToUndo
from workingset.tier import Tier
from workingset.transitions.succeeding import successor_of
from workingset.vocabulary import AgentId, Epoch
from workingset.working_set import Ancestor, WorkingSet

RULE = "never log card numbers"
SUB = AgentId("sub")


def parent() -> Agent:
    agent = Agent(Corpus.of(*(record(i, 0.9 - i / 20, lines=6) for i in range(8)), record("rule"), record("m")))
    agent.pin("rule")
    agent.pin(text=RULE)
    agent.focus("goal", request="do it all")
    agent.touch(0, 1)
    agent.evict(7)
    return agent


def child_of(agent: Agent) -> Agent:
    state = successor_of(agent.state, SUB, 1)
    assert state.check() == []
    return Agent(agent.corpus, agent.budget, agent.top_k, agent.settings, state)


def test_entries_pins_ghosts_and_clocks_go_along() -> None:
    agent = parent()
    child = child_of(agent).state
    for name in ("entries", "pins", "ghosts", "turn", "references", "faults", "budget", "memory", "baseline"):
        assert getattr(child, name) == getattr(agent.state, name), name


def test_entries_are_shared_and_not_copied() -> None:
    agent = parent()
    assert child_of(agent).state.entries is agent.state.entries


def test_nothing_was_delivered_to_the_new_context() -> None:
    child = child_of(parent())
    assert (child.state.delivered, child.state.epoch) == ((), 0)
    outcome = child.focus("goal")
    assert {d.change for d in outcome.delta} == {Change.NEW}
    assert {d.ref for d in outcome.delta} == {segment.ref for segment in outcome.block.segments}


def test_the_new_agent_descends_from_the_old_one_and_all_before_it() -> None:
    agent = parent()
    child = successor_of(agent.state, SUB, 1)
    grandchild = successor_of(child, AgentId("sub sub"), 1)
    assert child.lineage == (agent.state.agent,)
    assert grandchild.lineage == (SUB, agent.state.agent)


def test_handing_back_names_each_ancestor_once() -> None:
    agent = parent()
    back = successor_of(successor_of(agent.state, SUB, 1), agent.state.agent, 1)
    again = successor_of(back, SUB, 1)
    assert again.lineage == (agent.state.agent, SUB)


def test_a_pin_of_an_epoch_lasts_for_the_first_epoch_of_the_new_agent() -> None:
    agent = parent()
    agent.reset()
    agent.pin(3, epoch=True)
    child = child_of(agent)
    child.focus("goal")
    assert child.tier(3) is Tier.PINNED
    child.reset()
    child.focus("goal")
    assert child.tier(3) is not Tier.PINNED


def test_pins_without_an_epoch_are_as_they_were() -> None:
    agent = parent()
    child = child_of(agent)
    child.reset()
    child.focus("another goal", {})
    assert child.state.pin(note_ref(RULE)) == agent.state.pin(note_ref(RULE))
    assert child.state.pin(ref("rule")) == agent.state.pin(ref("rule"))


def test_the_open_request_goes_along_and_is_closed_for_each_apart() -> None:
    agent = parent()
    child = child_of(agent)
    child.close()
    assert child.state.request is None
    assert agent.state.request is not None


def test_both_go_their_own_way() -> None:
    agent = parent()
    child = child_of(agent)
    before = agent.state
    child.touch("m")
    child.unpin("rule")
    child.focus("something else", {})
    assert agent.state == before
    assert agent.focus("goal").block.text != child.focus("goal").block.text


def test_equal_calls_lead_both_to_equal_blocks() -> None:
    agent = parent()
    child = child_of(agent)
    for goal in ("goal", "goal b"):
        assert agent.focus(goal).block == child.focus(goal).block


def test_the_undo_of_the_old_agent_is_not_the_new_ones() -> None:
    agent = Agent(Corpus.of(record("a", lines=5), record("b", lines=5)))
    agent.focus("refund issued twice", {ref("a"): 0.9})
    agent.focus("nightly export slow", {ref("b"): 0.9})
    assert agent.state.undo is not None
    with pytest.raises(NothingToUndo):
        child_of(agent).undo()


def test_moves_that_the_old_agent_has_not_told_yet_stay_with_it() -> None:
    agent = parent()
    assert agent.state.between
    assert child_of(agent).state.between == ()


def test_a_history_of_its_own_begins_with_it() -> None:
    child = successor_of(parent().state, SUB, 1)
    assert (child.history_count, child.history_last, child.last_receipt, child.reset_reason) == (0, None, "", "")


def test_a_successor_of_a_new_set_is_a_new_set_with_a_lineage() -> None:
    old = WorkingSet(AgentId("dev"), epoch=Epoch(4))
    made = successor_of(old, SUB, 1)
    fresh = WorkingSet(SUB, ancestors=(Ancestor(old.agent, 1),))
    assert [f.name for f in fields(made) if getattr(made, f.name) != getattr(fresh, f.name)] == []


def test_moves_that_the_old_agent_was_not_told_of_by_name_are_not_the_new_ones() -> None:
    state = replace(parent().state, between_dropped=3)

    assert successor_of(state, SUB, 1).between_dropped == 0
