"""Touch: what was used, which of it was a fault, and its page-in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, count, record, ref
from workingset.candidate import Candidate
from workingset.entry import Entry
from workingset.settings import EvictionSettings, PackingSettings
from workingset.tier import Cause, Tier
from workingset.transitions.touch import Action, TouchOutcome, Use, touch
from workingset.vocabulary import Fidelity, Lines, Ref, SupportClosure
from workingset.working_set import FaultCounts


def shop(budget: int = 4_000) -> Agent:
    return Agent(Corpus.of(*(record(i, 0.9 - i / 20, lines=10) for i in range(8)), record("m", lines=3)), budget=budget)


def entry(agent: Agent, name: str | int) -> Entry:
    held = agent.state.entry(ref(name))
    assert held is not None
    return held


def use(agent: Agent, pages: Sequence[Candidate], lines: Lines | None = None) -> TouchOutcome:
    outcome = touch(agent.state, [Use(tuple(pages), Action.READ, lines)], agent.settings, count)
    assert outcome.state.check() == []
    agent.state = outcome.state
    return outcome


def test_reading_what_the_block_holds_in_full_is_a_hit() -> None:
    agent = shop()
    agent.focus("goal")
    outcome = agent.touch(0)
    assert [(t.fault, t.paged_in) for t in outcome.touched] == [(False, ())]
    assert outcome.moves == ()
    assert agent.state.faults == FaultCounts(references=1, hits=1)
    assert entry(agent, 0).uses == 1


@pytest.mark.parametrize("held", ["absent", "frontier", "outline", "changed"])
def test_reading_what_is_not_there_in_full_is_a_fault_and_pages_it_in(held: str) -> None:
    agent = shop()
    agent.focus("goal", top_k=1 if held == "frontier" else 20, budget=400 if held == "outline" else 4_000)
    name = "0"
    if held == "absent":
        agent.evict(0)
    elif held == "changed":
        agent.corpus.put(record(0, 0.9, lines=11, generation=2))
    else:
        fidelity = {"frontier": Fidelity.REFERENCE, "outline": Fidelity.OUTLINE}[held]
        name = next(e.ref.partition(":")[2] for e in agent.state.entries if e.fidelity is fidelity)
    outcome = agent.touch(name)
    assert [(t.fault, t.paged_in) for t in outcome.touched] == [(True, (ref(name),))]
    paged = entry(agent, name)
    assert (paged.tier, paged.fidelity) == (Tier.RESIDENT, Fidelity.FULL)
    assert paged.digest == agent.corpus.records[ref(name)].digest
    causes = [m.cause for m in outcome.moves if m.cause is not Cause.PRESSURE]
    assert causes == ([Cause.FAULT] if held in ("absent", "frontier") else [])
    assert sum(e.tokens for e in agent.state.entries) <= agent.state.budget
    assert not agent.touch(name).touched[0].fault
    assert agent.state.faults.faults == 1


def test_a_fault_on_an_evicted_entry_is_a_refault_and_protects_it() -> None:
    agent = shop()
    agent.focus("goal")
    agent.evict(0)
    agent.touch(0, "m")
    assert agent.state.faults == FaultCounts(references=2, hits=0, faults=2, refaults=1)
    assert entry(agent, 0).protected_until == agent.state.turn + SETTINGS.eviction.refault_protection_turns
    assert entry(agent, "m").protected_until == 0


def pages() -> list[Candidate]:
    """Three pages that tile lines 1 to 100 of one file."""
    spans = {"head": Lines(1, 10), "body": Lines(11, 90), "tail": Lines(91, 100)}
    return [replace(record(name, path="a.py"), lines=lines) for name, lines in spans.items()]


@pytest.mark.parametrize(
    ("held", "lines", "hit", "paged"),
    [
        (("head", "body"), None, True, ("tail",)),
        (("head", "body"), Lines(1, 90), True, ()),
        (("head", "body"), Lines(80, 100), False, ("tail",)),
        (("head", "body"), Lines(11, 91), True, ("tail",)),
        (("body",), Lines(1, 100), False, ("head", "tail")),
        (("body",), Lines(50, 60), True, ()),
        ((), Lines(50, 60), False, ("body",)),
        (("head", "body", "tail"), Lines(1, 9_999), True, ()),
    ],
)
def test_a_use_is_a_hit_when_nine_tenths_of_its_lines_were_shown(
    held: tuple[str, ...], lines: Lines | None, hit: bool, paged: tuple[str, ...]
) -> None:
    made = {c.ref: c for c in pages()}
    agent = Agent(Corpus(made), budget=4_000)
    agent.focus("goal", {ref(name): 0.9 for name in held})
    for name in {"head", "body", "tail"} - set(held):
        if agent.state.entry(ref(name)):
            agent.evict(name)
    used = [c for c in made.values() if lines is None or (c.lines and c.lines.overlap(lines))]
    (touched,) = use(agent, used, lines).touched
    assert touched.fault is not hit
    assert touched.paged_in == tuple(ref(name) for name in paged)


def test_a_line_that_lies_in_two_pages_counts_once() -> None:
    outer = replace(record("class", path="a.py"), lines=Lines(1, 100))
    inner = replace(record("method", path="a.py"), lines=Lines(10, 40))
    agent = Agent(Corpus.of(outer, inner))
    agent.focus("goal", {ref("method"): 0.9})
    assert not use(agent, [outer, inner], Lines(10, 40)).touched[0].fault
    assert use(agent, [outer, inner], Lines(10, 60)).touched[0].fault


def test_pages_without_lines_count_one_each() -> None:
    made = [replace(record(i), lines=None) for i in range(10)]
    agent = Agent(Corpus.of(*made))
    agent.focus("goal", {c.ref: 0.9 for c in made[:9]})
    assert not use(agent, made).touched[0].fault
    assert use(agent, [*made[:1], record("other")]).touched[0].fault


def test_a_use_warms_by_its_action_and_remembers_the_group() -> None:
    agent = shop()
    agent.focus("goal", {})
    two = [agent.corpus.records[ref(i)] for i in (0, 1)]
    agent.state = touch(agent.state, [Use(tuple(two), Action.EDIT)], SETTINGS, count).state
    first, second = entry(agent, 0), entry(agent, 1)
    assert first.heat == second.heat == SETTINGS.heat.edit_heat
    assert first.group_tokens == second.group_tokens == first.tokens + second.tokens
    assert first.last_use_was_edit
    assert (first.uses, first.touched_at) == (1, 1)
    agent.touch(0)
    assert not entry(agent, 0).last_use_was_edit
    assert (entry(agent, 0).uses, entry(agent, 0).touched_at) == (2, 2)
    assert agent.state.references == 2


def test_a_pinned_or_mandatory_entry_keeps_its_tier() -> None:
    agent = Agent(Corpus.of(record("a", 0.9, requires=["m"]), record("m"), record("rule")))
    agent.pin("rule")
    agent.focus("goal")
    agent.corpus.put(record("m", lines=5), record("rule", lines=6))
    outcome = agent.touch("m", "rule")
    assert [t.fault for t in outcome.touched] == [True, True]
    assert entry(agent, "m").tier is Tier.MANDATORY
    assert entry(agent, "rule").tier is Tier.PINNED
    assert outcome.moves == ()


def test_what_is_paged_in_without_its_needs_says_so_until_the_next_focus() -> None:
    agent = Agent(Corpus.of(record("a", requires=["m"]), record("m")))
    agent.focus("goal")
    agent.touch("a")
    assert entry(agent, "a").closure is SupportClosure.PARTIAL
    agent.focus("goal again")
    assert entry(agent, "a").closure is SupportClosure.CLOSED
    assert entry(agent, "m").tier is Tier.MANDATORY


def test_touching_without_a_focus_is_bounded_and_spares_what_was_just_used() -> None:
    agent = shop()
    agent.settings = replace(
        SETTINGS, packing=PackingSettings(entries_limit=3), eviction=EvictionSettings(policy="lru")
    )
    agent.pin("m")
    gone: list[Ref] = []
    for name in range(6):
        outcome = agent.touch(name)
        gone += [move.ref for move in outcome.moves if move.cause is Cause.PRESSURE]
        assert entry(agent, name).tier is Tier.RESIDENT
        assert len(agent.state.entries) <= 3
    assert len(set(gone)) == len(gone) == 4
    assert ref(5) not in gone
    assert agent.state.entry(ref("m")) is not None


def test_one_use_wider_than_the_set_keeps_to_the_limit() -> None:
    agent = shop()
    agent.settings = replace(SETTINGS, packing=PackingSettings(entries_limit=3))
    use(agent, [agent.corpus.records[ref(i)] for i in range(8)])
    assert len(agent.state.entries) == 3


def test_what_was_just_read_keeps_its_place_against_results_no_better_than_a_read() -> None:
    agent = shop(budget=600)
    goal = {ref(i): 0.45 for i in range(6)}
    agent.focus("goal", goal)
    agent.touch(7)
    agent.focus("goal", goal)
    assert entry(agent, 7).fidelity is Fidelity.FULL
