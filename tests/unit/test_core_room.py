"""Touch keeps a set within its budget at once: lines go first, then residents by the policy; what is held stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, count, record, ref
from workingset.entry import GOAL_NAMESPACE
from workingset.settings import EvictionSettings
from workingset.tier import Cause, Tier
from workingset.transitions.touch import Action, Touched, Use, touch
from workingset.vocabulary import Fidelity, Ref

RULE = "never log card numbers"
LRU = replace(SETTINGS, eviction=EvictionSettings(policy="lru"))


def shop(budget: int = 1_000) -> Agent:
    """Twelve records of some 125 tokens, of which a budget of 1,000 holds seven, and one goal that found nothing."""
    corpus = Corpus.of(*(record(i, lines=10) for i in range(12)), record("m", lines=3))
    agent = Agent(corpus, budget=budget, settings=LRU)
    agent.focus("goal", {})
    return agent


def size(agent: Agent) -> int:
    return sum(entry.tokens for entry in agent.state.entries)


def residents(agent: Agent) -> list[Ref]:
    return [entry.ref for entry in agent.state.entries if entry.tier is Tier.RESIDENT]


def test_a_touched_set_is_never_above_its_budget() -> None:
    agent = shop()
    for name in range(12):
        agent.touch(name)
        assert size(agent) <= agent.state.budget


def test_what_was_just_used_has_its_place_and_the_oldest_gave_way() -> None:
    agent = shop()
    agent.touch(*range(12))
    kept = residents(agent)
    assert kept == [ref(i) for i in range(12 - len(kept), 12)]
    assert 5 <= len(kept) <= 8


def test_where_there_is_room_nothing_leaves() -> None:
    agent = shop()
    assert [m.cause for m in agent.touch(0, 1, 2).moves] == [Cause.FAULT] * 3


def test_a_set_that_no_focus_gave_a_budget_is_bound_by_the_number_of_entries_alone() -> None:
    agent = Agent(Corpus.of(*(record(i, lines=60) for i in range(12))))
    agent.touch(*range(12))
    assert len(agent.state.entries) == 12


def with_lines(budget: int = 800) -> tuple[Agent, list[Ref]]:
    """Four results with their text and four lines; and how the lines stand in the block."""
    corpus = Corpus.of(*(record(i, lines=10) for i in range(12)), record("s", lines=2), record("big", lines=24))
    agent = Agent(corpus, budget=budget, top_k=4)
    agent.focus("goal", {ref(i): 0.9 - i / 100 for i in range(8)})
    lines = [entry.ref for entry in agent.state.entries if entry.tier is Tier.FRONTIER_ONLY]
    assert len(lines) == 4
    return agent, lines


def test_lines_give_way_where_that_spares_a_resident() -> None:
    agent, lines = with_lines(budget=650)
    there = residents(agent)
    moves = [move for move in agent.touch("s").moves if move.cause is Cause.PRESSURE]
    assert [move.ref for move in moves] == lines[: len(moves)]
    assert moves
    assert residents(agent) == [*there, ref("s")]


def test_lines_stay_where_a_resident_has_to_go_all_the_same() -> None:
    agent, lines = with_lines()
    agent.touch(9, 10, 11)
    assert [name for name in lines if agent.state.entry(name) is None] == []
    assert size(agent) <= agent.state.budget


def test_the_line_longest_in_the_block_goes_first_and_no_more_than_it_takes() -> None:
    agent = Agent(Corpus.of(*(record(i, lines=10) for i in range(9)), record("x", lines=4)), budget=1_000, top_k=6)
    agent.focus("goal", {ref(i): 0.9 - i / 100 for i in range(9)})
    before = [entry.ref for entry in agent.state.entries if entry.tier is Tier.FRONTIER_ONLY]
    moves = [m for m in agent.touch("x").moves if m.origin is Tier.FRONTIER_ONLY]
    assert [m.ref for m in moves] == before[: len(moves)]
    assert size(agent) <= 1_000


def test_of_what_went_the_last_keeps_a_line_where_there_is_room_for_one() -> None:
    agent = shop(budget=930)
    agent.touch(*range(8))
    lines = [entry for entry in agent.state.entries if entry.tier is Tier.FRONTIER_ONLY]
    assert lines
    assert all(entry.fidelity is Fidelity.REFERENCE for entry in lines)
    assert size(agent) <= 930


def test_no_lines_are_kept_where_the_settings_allow_none() -> None:
    agent = shop(budget=930)
    agent.settings = replace(LRU, packing=replace(LRU.packing, frontier_lines=0))
    agent.touch(*range(8))
    assert not [entry for entry in agent.state.entries if entry.tier is Tier.FRONTIER_ONLY]


def test_pins_the_goal_and_what_a_pin_needs_stay_whatever_is_touched() -> None:
    agent = Agent(
        Corpus.of(record("rule", requires=["m"], lines=10), record("m", lines=5), *(record(i) for i in range(9))),
        budget=700,
    )
    agent.pin("rule")
    agent.pin(text=RULE)
    agent.focus("goal", {})
    agent.touch(*range(9))
    assert (agent.tier("rule"), agent.tier("m")) == (Tier.PINNED, Tier.MANDATORY)
    assert {entry.namespace for entry in agent.state.entries} >= {GOAL_NAMESPACE}
    assert size(agent) <= 700


def test_what_a_resident_needs_goes_only_once_that_resident_went() -> None:
    agent = Agent(
        Corpus.of(record("a", 0.9, requires=["m"], lines=8), record("m", lines=8), *(record(i) for i in range(6))),
        budget=600,
        settings=LRU,
    )
    agent.focus("goal")
    assert agent.tier("m") is Tier.MANDATORY
    moves = agent.touch(0, 1, 2).moves
    gone = [move.ref for move in moves if move.target in (Tier.EVICTED, Tier.FRONTIER_ONLY)]
    assert gone.index(ref("a")) < gone.index(ref("m"))


def test_a_page_that_is_larger_than_the_budget_cannot_stay() -> None:
    agent = shop()
    agent.corpus.put(record("huge", lines=400))
    outcome = agent.touch(0, "huge")
    assert (outcome.touched[-1].paged_in, outcome.touched[-1].no_place) == ((), (ref("huge"),))
    assert agent.tier("huge") is not Tier.RESIDENT
    assert size(agent) <= agent.state.budget


def results(budget: int = 1_000) -> Agent:
    """Eight results of some 125 tokens that fill a budget of 1,000, under the default policy."""
    corpus = Corpus.of(*(record(i, lines=10) for i in range(12)), record("s", lines=5), record("large", lines=60))
    agent = Agent(corpus, budget=budget)
    agent.focus("goal", {ref(i): 0.9 - i / 100 for i in range(8)})
    assert size(agent) > budget - 130
    return agent


def test_what_was_just_used_comes_before_what_nobody_used() -> None:
    agent = results()
    for at, name in enumerate((9, 10, 11)):
        (touched,) = agent.touch(name).touched
        assert (touched.fault, touched.paged_in) == (True, (ref(name),))
        assert not agent.touch(name).touched[0].fault
        assert all(agent.entry(used).fidelity is Fidelity.FULL for used in (9, 10, 11)[: at + 1])
        assert size(agent) <= agent.state.budget


def together(agent: Agent, *names: str | int) -> Touched:
    """One use of several records."""
    use = Use(tuple(agent.corpus.read([ref(name)])[-1] for name in names), Action.READ)
    outcome = touch(agent.state, [use], agent.settings, count)
    assert outcome.state.check() == []
    agent.state = outcome.state
    return outcome.touched[0]


def test_a_used_record_that_is_too_large_shows_its_outline_and_the_small_one_has_its_place() -> None:
    agent = results()
    touched = together(agent, "large", "s")
    assert (touched.paged_in, touched.no_place) == ((ref("s"),), (ref("large"),))
    assert agent.entry("s").fidelity is Fidelity.FULL
    assert agent.entry("large").fidelity is Fidelity.OUTLINE
    assert [agent.tier(i) for i in range(6)] == [Tier.RESIDENT] * 6


def test_what_was_used_takes_no_more_than_a_share_from_what_nobody_used() -> None:
    agent = results()
    together(agent, *range(8, 12), "s", "large")
    unused = [entry for entry in agent.state.entries if entry.tier is Tier.RESIDENT and not entry.uses]
    share = SETTINGS.packing.newcomers_share
    assert sum(entry.tokens for entry in unused) >= (1 - share) * agent.state.budget - 130


def test_among_what_was_used_the_policy_decides() -> None:
    agent = shop()
    agent.settings = SETTINGS
    agent.touch(*range(7))
    touched = together(agent, *range(7, 12))
    assert set(touched.no_place) <= {ref(i) for i in range(7, 12)}
    assert all(agent.entry(name.partition(":")[2]).fidelity is Fidelity.FULL for name in touched.paged_in)
    assert size(agent) <= agent.state.budget


@pytest.mark.parametrize("policy", ["hit_density", "lru", "arc", "wtinylfu"])
def test_a_use_as_wide_as_the_budget_keeps_within_it(policy: str) -> None:
    agent = shop()
    agent.settings = replace(SETTINGS, eviction=EvictionSettings(policy=policy))
    agent.touch(*range(12), *range(12))
    assert size(agent) <= agent.state.budget
    assert residents(agent)


def test_what_went_is_a_ghost_and_its_return_is_a_refault() -> None:
    agent = shop()
    agent.touch(*range(12))
    assert ref(0) in {ghost.ref for ghost in agent.state.ghosts}
    agent.touch(0)
    assert agent.state.faults.refaults == 1
    assert agent.entry(0).protected_until == agent.state.turn + SETTINGS.eviction.refault_protection_turns


def test_an_outline_that_is_read_rises_to_full_and_others_make_the_room() -> None:
    agent = Agent(Corpus.of(*(record(i, lines=20) for i in range(8))), budget=700)
    agent.focus("goal", {ref(i): 0.9 for i in range(8)})
    name = next(e.ref.partition(":")[2] for e in agent.state.entries if e.fidelity is Fidelity.OUTLINE)
    agent.touch(name)
    assert agent.entry(name).fidelity is Fidelity.FULL
    assert size(agent) <= 700


def test_a_batch_frees_more_than_is_short() -> None:
    free = []
    for share in (0.0, 0.3):
        agent = shop()
        agent.settings = replace(LRU, eviction=replace(LRU.eviction, batch_share=share))
        agent.touch(*range(8))
        free.append(agent.state.budget - size(agent))
    assert free[1] >= free[0] + 0.15 * 1_000


def test_the_next_focus_shows_what_touch_left_and_no_more() -> None:
    agent = shop()
    agent.touch(*range(12))
    kept = residents(agent)
    agent.focus("goal", {})
    assert residents(agent) == kept
