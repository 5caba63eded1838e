"""Evict: what the host takes out goes with all that needs it, dependents first; a pin stays."""

from __future__ import annotations

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, record, ref
from workingset.errors import NotInSet, PinnedEntry
from workingset.tier import Cause, Tier
from workingset.transitions.leaving import evict
from workingset.vocabulary import Ref


def gone(agent: Agent, *names: str) -> list[Ref]:
    outcome = agent.evict(*names)
    return [move.ref for move in outcome.moves if move.target is Tier.EVICTED]


def test_what_needs_the_entry_leaves_before_it() -> None:
    agent = Agent(
        Corpus.of(record("a", 0.9, requires=["b"]), record("b", requires=["c"]), record("c"), record("x", 0.8))
    )
    agent.focus("goal")
    outcome = agent.evict("c")
    assert [(m.ref, m.cause) for m in outcome.moves] == [
        (ref("a"), Cause.NEED_EVICTED),
        (ref("b"), Cause.NEED_EVICTED),
        (ref("c"), Cause.ASKED),
    ]
    assert outcome.moves[0].reason == "what it needs was evicted: shop:c"
    assert agent.state.entry(ref("x")) is not None


def test_order_follows_needs_and_not_names_or_steps() -> None:
    corpus = Corpus.of(
        record("b", 0.9, requires=["a", "c"]), record("c", 0.8, requires=["a"]), record("a"), record("d", 0.7)
    )
    agent = Agent(corpus)
    agent.focus("goal")
    assert gone(agent, "a") == [ref("b"), ref("c"), ref("a")]


def test_a_cycle_leaves_whole_and_the_one_asked_for_last() -> None:
    agent = Agent(Corpus.of(record("a", 0.9, requires=["b"]), record("b", 0.8, requires=["a"])))
    agent.focus("goal")
    assert gone(agent, "a") == [ref("b"), ref("a")]


def test_what_only_the_evicted_needed_becomes_resident() -> None:
    agent = Agent(
        Corpus.of(record("a", 0.9, requires=["m"]), record("b", 0.8, requires=["m", "n"]), record("m"), record("n"))
    )
    agent.focus("goal")
    outcome = agent.evict("b")
    assert [(m.ref, m.target, m.cause) for m in outcome.moves] == [
        (ref("b"), Tier.EVICTED, Cause.ASKED),
        (ref("n"), Tier.RESIDENT, Cause.DEPENDENTS_LEFT),
    ]
    held = agent.state.entry(ref("m"))
    assert held is not None
    assert held.required_by == (ref("a"),)


def test_several_are_taken_out_at_once_or_none() -> None:
    agent = Agent(Corpus.of(record("a", 0.9), record("b", 0.8), record("rule")))
    agent.pin("rule")
    agent.focus("goal")
    before = agent.state
    with pytest.raises(PinnedEntry, match="is pinned"):
        agent.evict("a", "rule")
    with pytest.raises(NotInSet, match="not in the working set"):
        agent.evict("a", "nowhere")
    assert agent.state == before
    assert gone(agent, "a", "b", "a") == [ref("a"), ref("b")]


def test_what_a_pin_needs_is_as_safe_as_the_pin() -> None:
    agent = Agent(Corpus.of(record("rule", requires=["m"]), record("m", requires=["n"]), record("n")))
    agent.pin("rule")
    for name in ("m", "n"):
        with pytest.raises(PinnedEntry) as refused:
            agent.evict(name)
        assert refused.value.ref == ref("rule")


def test_the_goal_cannot_be_evicted() -> None:
    agent = Agent(Corpus.of(record("a", 0.9)))
    agent.focus("goal")
    assert agent.state.goal is not None
    with pytest.raises(PinnedEntry):
        evict(agent.state, [agent.state.goal.ref], SETTINGS)


def test_a_ghost_remembers_when_why_and_how_warm_and_gives_way_on_return() -> None:
    agent = Agent(Corpus.of(record("a", 0.8)))
    agent.focus("goal")
    agent.touch("a")
    agent.evict("a")
    (ghost,) = agent.state.ghosts
    assert (ghost.ref, ghost.evicted_turn, ghost.evicted_at, ghost.reason) == (ref("a"), 1, 1, "the host asked")
    assert ghost.heat == pytest.approx(1.0 + 0.5 * 0.8)
    assert ghost.title == "function_a"
    agent.focus("goal")
    assert agent.state.ghosts == ()


def test_a_line_of_the_frontier_can_be_evicted() -> None:
    agent = Agent(Corpus.of(record("a", 0.9), record("b", 0.8)), top_k=1)
    agent.focus("goal")
    assert gone(agent, "b") == [ref("b")]
