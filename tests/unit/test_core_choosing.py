"""Who stays as it is, who must make room for newcomers, and who may not be asked to yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, count, record, ref
from workingset.receipt import Node
from workingset.remainder import PAGE_IN_OFF
from workingset.settings import EvictionSettings, PackingSettings
from workingset.tier import Cause, Tier
from workingset.vocabulary import Fidelity, Ref, Turn

NO_GUARD = replace(SETTINGS, eviction=EvictionSettings(minimum_stay_turns=0))


def weights(names: range, relevance: float = 0.5, prefix: str = "") -> dict[Ref, float]:
    return {ref(f"{prefix}{name}"): relevance for name in names}


def shop(budget: int = 1_500, lines: int = 10) -> Agent:
    old = (record(f"old{i}", lines=lines) for i in range(12))
    new = (record(f"new{i}", lines=lines) for i in range(12))
    return Agent(Corpus.of(*old, *new), budget=budget)


def texts(agent: Agent) -> dict[Ref, str]:
    block = agent.focus("look", page_in=False).block
    return {segment.ref: segment.text for segment in block.segments if segment.fidelity is Fidelity.FULL}


def whole(agent: Agent, prefix: str) -> set[Ref]:
    at_full = {entry.ref for entry in agent.state.entries if entry.has_text and entry.fidelity is Fidelity.FULL}
    return {name for name in at_full if name.startswith(f"shop:{prefix}")}


def test_residents_that_are_not_first_to_go_keep_their_bytes() -> None:
    agent = shop()
    before = agent.focus("goal", weights(range(8), prefix="old"))
    agent.touch(*(f"old{i}" for i in range(4)))
    after = agent.focus("goal b", weights(range(8), 0.6, "new"))
    old = {segment.ref: segment.text for segment in before.block.segments}
    kept = [s for s in after.block.segments if s.ref in {ref(f"old{i}") for i in range(4)}]
    assert len(kept) >= 3
    assert all(segment.text == old[segment.ref] for segment in kept)
    assert not [entry for entry in after.delta if entry.ref in {segment.ref for segment in kept}]


def test_what_stays_stands_before_what_came_in() -> None:
    agent = shop()
    agent.focus("goal", weights(range(6), prefix="old"))
    agent.touch(*(f"old{i}" for i in range(6)))
    block = agent.focus("goal b", weights(range(6), 0.6, "new")).block
    order = [s.ref[5:8] for s in block.segments if s.fidelity is Fidelity.FULL and s.ref.startswith("shop:")]
    assert order == sorted(order, reverse=True)
    assert set(order) == {"old", "new"}


def test_what_an_earlier_goal_brought_in_and_nobody_used_gives_way_first() -> None:
    agent = shop()
    agent.focus("goal", weights(range(9), prefix="old"))
    agent.touch("old0", "old1")
    agent.focus("goal b", weights(range(9), 0.6, "new"))
    assert whole(agent, "old") == {ref("old0"), ref("old1")}


def test_newcomers_ask_for_no_more_than_a_share_of_the_room() -> None:
    agent = shop(budget=1_500)
    names = [f"old{i}" for i in range(9)]
    agent.focus("goal", weights(range(9), prefix="old"))
    agent.touch(*names)
    agent.focus("goal b", weights(range(12), 0.99, "new"))
    kept = sum(entry.tokens for entry in agent.state.entries if entry.ref in whole(agent, "old"))
    assert kept >= (1 - SETTINGS.packing.newcomers_share) * 1_500 - 2 * 130


def test_where_there_is_room_for_all_nobody_leaves() -> None:
    agent = shop(budget=4_000)
    agent.focus("goal", weights(range(6), prefix="old"))
    agent.focus("goal b", weights(range(6), 0.9, "new"))
    assert whole(agent, "old") == set(weights(range(6), prefix="old"))


@pytest.mark.parametrize(("relevance", "enters"), [(0.5, False), (0.6, False), (0.65, True), (0.9, True)])
def test_a_newcomer_must_be_better_by_the_margin(relevance: float, enters: bool) -> None:
    agent = Agent(Corpus.of(record("held"), record("other")), settings=NO_GUARD)
    budget = count(agent.corpus.records[ref("held")].renderings.full) * 3 // 2
    agent.focus("goal", {ref("held"): 0.5}, budget=budget)
    agent.focus("goal b", {ref("held"): 0.5, ref("other"): relevance}, budget=budget)
    assert (agent.entry("other").fidelity is Fidelity.FULL) is enters


@pytest.mark.parametrize("stay", [0, 1, 3])
def test_no_newcomer_displaces_what_was_used_before_its_minimum_stay_is_over(stay: int) -> None:
    agent = Agent(Corpus.of(record("held"), record("other")))
    agent.settings = replace(SETTINGS, eviction=EvictionSettings(minimum_stay_turns=stay))
    budget = count(agent.corpus.records[ref("held")].renderings.full) * 3 // 2
    agent.focus("goal", {ref("held"): 0.3}, budget=budget)
    agent.touch("held")
    displaced = 0
    for turn in range(1, 6):
        agent.focus(f"goal {turn}", {ref("other"): 0.99}, budget=budget)
        if agent.tier("held") is not Tier.RESIDENT or agent.entry("held").fidelity is not Fidelity.FULL:
            displaced = turn
            break
    assert displaced == stay + 1


def test_what_came_back_long_after_it_was_evicted_is_not_protected() -> None:
    agent = Agent(Corpus.of(record("held"), record("other"), record("between")))
    agent.focus("goal", {ref("held"): 0.3})
    agent.evict("held")
    agent.touch("between", "between", "between", "held")
    assert agent.entry("held").protected_until == 0
    agent.evict("held")
    agent.touch("held")
    assert agent.entry("held").protected_until == agent.state.turn + SETTINGS.eviction.refault_protection_turns


def test_what_came_back_by_a_fault_is_protected_for_some_turns() -> None:
    agent = Agent(Corpus.of(record("held"), record("other")), settings=NO_GUARD)
    budget = count(agent.corpus.records[ref("held")].renderings.full) * 3 // 2
    agent.focus("goal", {ref("held"): 0.3}, budget=budget)
    agent.evict("held")
    agent.touch("held")
    turns = SETTINGS.eviction.refault_protection_turns
    for turn in range(turns):
        agent.focus(f"goal {turn}", {ref("other"): 0.99}, budget=budget)
        assert agent.entry("held").fidelity is Fidelity.FULL
    agent.focus("goal at last", {ref("other"): 0.99}, budget=budget)
    assert agent.entry("other").fidelity is Fidelity.FULL


def test_pressure_alone_does_not_spare_what_is_protected() -> None:
    agent = Agent(Corpus.of(record("held"), record("other")))
    agent.focus("goal", {ref("held"): 0.9})
    agent.evict("held")
    agent.touch("held")
    outcome = agent.focus("goal b", {}, budget=60)
    assert outcome.block.tokens <= 60
    assert not whole(agent, "held")


def test_fidelity_falls_to_a_line_where_there_is_room_for_one() -> None:
    agent = shop(budget=700)
    agent.settings = replace(NO_GUARD, packing=PackingSettings(outline_share=0.0, gist_share=0.0))
    agent.focus("goal", weights(range(4), prefix="old"))
    outcome = agent.focus("goal b", weights(range(5), 0.9, "new"))
    fallen = [m for m in outcome.moves if m.origin is Tier.RESIDENT]
    assert fallen
    assert {m.target for m in fallen} == {Tier.FRONTIER_ONLY}


def test_a_line_stays_while_it_is_warm_and_leaves_when_it_is_cold() -> None:
    agent = shop(budget=700)
    agent.settings = replace(NO_GUARD, packing=PackingSettings(outline_share=0.0, gist_share=0.0))
    agent.focus("goal", weights(range(4), prefix="old"))
    agent.touch("old0")
    agent.focus("goal b", weights(range(5), 0.99, "new"))
    lines = {entry.ref for entry in agent.state.entries if entry.tier is Tier.FRONTIER_ONLY}
    line = next(name for name in sorted(lines) if name.startswith("shop:old"))
    agent.focus("goal c", weights(range(5), 0.98, "new"))
    assert agent.tier(line.partition(":")[2]) is Tier.FRONTIER_ONLY
    agent.state = replace(agent.state, turn=Turn(agent.state.turn + 60))
    outcome = agent.focus("goal d", weights(range(5), 0.97, "new"))
    assert [m.cause for m in outcome.moves if m.ref == line] == [Cause.COOLED]


def test_without_page_in_nothing_that_is_ranked_gets_a_text() -> None:
    agent = shop()
    outcome = agent.focus("goal", weights(range(8), 0.9, "new"), page_in=False)
    assert not [entry for entry in agent.state.entries if entry.has_text and entry.tier is not Tier.PINNED]
    assert dict(outcome.ignored.reasons) == {PAGE_IN_OFF: 8}
    assert {omission.why for omission in outcome.ignored.best} == {PAGE_IN_OFF}


def test_without_page_in_results_get_lines_and_what_is_there_stays() -> None:
    agent = shop()
    agent.focus("goal", weights(range(4), prefix="old"))
    outcome = agent.focus("goal b", {**weights(range(4), prefix="old"), **weights(range(4), 0.9, "new")}, page_in=False)
    assert whole(agent, "old") == set(weights(range(4), prefix="old"))
    assert {agent.tier(f"new{i}") for i in range(4)} == {Tier.FRONTIER_ONLY}
    assert outcome.ignored.count == 4


def test_without_page_in_a_use_still_brings_its_text() -> None:
    agent = shop()
    agent.focus("goal", weights(range(4), 0.9, "new"), page_in=False)
    agent.touch("new0")
    assert agent.entry("new0").fidelity is Fidelity.FULL
    assert len(texts(agent)) == 2  # with the goal


def test_page_in_again_is_another_situation() -> None:
    agent = shop()
    agent.focus("goal", weights(range(4), 0.9, "new"), page_in=False)
    agent.focus("goal", weights(range(4), 0.9, "new"))
    assert whole(agent, "new") == set(weights(range(4), prefix="new"))


def test_moves_between_turns_are_in_the_receipt_of_the_next_one_and_of_no_other() -> None:
    agent = shop()
    agent.focus("goal", weights(range(4), prefix="old"))
    touched = agent.touch("new0").moves
    evicted = agent.evict("old0").moves
    pinned = agent.pin("new1").moves
    outcome = agent.focus("goal b", weights(range(4), prefix="old"))
    assert _between(outcome.receipt) == [(m.ref, m.reason) for m in (*touched, *evicted, *pinned)]
    assert _between(agent.focus("goal c", weights(range(4), prefix="old")).receipt) == []


def test_moves_before_an_answer_that_was_over_budget_are_in_its_receipt() -> None:
    agent = shop()
    agent.focus("goal", weights(range(4), prefix="old"))
    moves = agent.touch("new0").moves
    outcome = agent.focus("word " * 3_000)
    assert outcome.over_budget is not None
    assert _between(outcome.receipt) == [(m.ref, m.reason) for m in moves]


def _between(receipt: Node) -> list[tuple[str, str]]:
    (node,) = [part for part in receipt.parts if part.what == "moves between turns"]
    assert node.value == len(node.parts)
    return [(part.what, part.because) for part in node.parts]
