"""Keep: what was just said has a place among all else; the newest is safe, what is long enters shortened."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, record, ref
from workingset.candidate import Candidate
from workingset.tier import Cause, Tier
from workingset.vocabulary import Fidelity, Ref


def said(name: str, lines: int = 1) -> Candidate:
    """A turn of so many lines, some ten tokens each."""
    return record(name, lines=lines, kind="turn", path="", title=f"turn {name}")


def shop(budget: int = 2_000) -> Agent:
    agent = Agent(Corpus.of(*(record(i, lines=10) for i in range(16))), budget=budget)
    agent.focus("goal", {ref(i): 0.6 for i in range(12)})
    return agent


def with_text(agent: Agent) -> set[Ref]:
    return {entry.ref for entry in agent.state.entries if entry.has_text}


def test_what_was_said_enters_as_a_resident_and_says_why() -> None:
    agent = shop()
    outcome = agent.keep(said("hello"))
    (move,) = [m for m in outcome.moves if m.ref == ref("hello")]
    assert (move.origin, move.target, move.cause) == (Tier.EVICTED, Tier.RESIDENT, Cause.KEPT)


@pytest.mark.parametrize(
    ("lines", "fidelity"), [(1, Fidelity.FULL), (4, Fidelity.FULL), (20, Fidelity.OUTLINE), (60, Fidelity.OUTLINE)]
)
def test_what_is_long_enters_as_an_outline(lines: int, fidelity: Fidelity) -> None:
    agent = shop()
    agent.keep(said("long", lines))
    assert agent.entry("long").fidelity is fidelity


def test_what_has_a_long_outline_enters_as_one_line() -> None:
    agent = shop()
    agent.keep(record("long", text="word " * 2_000, kind="turn"))
    assert agent.entry("long").fidelity is Fidelity.GIST


def test_how_long_is_long_goes_with_the_budget() -> None:
    agent = shop(budget=16_000)
    agent.keep(said("long", 40))
    assert agent.entry("long").fidelity is Fidelity.FULL


def test_a_full_set_makes_room_for_what_was_said_at_once() -> None:
    agent = shop(budget=1_000)
    agent.keep(*(said(f"t{i}", 2) for i in range(6)))
    assert with_text(agent) >= {ref(f"t{i}") for i in range(6)}
    assert sum(entry.tokens for entry in agent.state.entries) <= 1_000


def test_the_newest_stays_whatever_the_next_goal_finds() -> None:
    agent = shop(budget=700)
    agent.keep(said("new", 2), turns=3)
    for turn in range(3):
        agent.focus(f"goal {turn}", {ref(i): 0.95 for i in range(12)})
        assert ref("new") in with_text(agent), turn


def test_the_newest_stays_over_a_refocus() -> None:
    agent = shop(budget=700)
    agent.touch(0, 1)
    agent.keep(said("new", 2), turns=3)
    agent.focus("another subject altogether", {ref(i): 0.95 for i in range(12, 16)})
    assert ref("new") in with_text(agent)


def test_what_is_older_has_to_compete() -> None:
    agent = shop(budget=700)
    agent.keep(said("old", 2), turns=1)
    for turn in range(30):
        agent.focus(f"goal {turn}", {ref((turn + i) % 16): 0.95 for i in range(12)})
    assert ref("old") not in with_text(agent)


def test_older_history_and_other_residents_go_before_the_newest_does() -> None:
    agent = shop(budget=600)
    agent.keep(*(said(f"old{i}", 2) for i in range(4)), turns=0)
    agent.focus("goal b", {ref(i): 0.6 for i in range(12)})
    agent.keep(said("new", 2), turns=3)
    agent.touch(*range(12, 16))
    assert ref("new") in with_text(agent)
    assert agent.tier(15) is Tier.RESIDENT


def test_history_that_fills_the_budget_is_let_go_by_age_and_never_above_it() -> None:
    agent = shop(budget=300)
    for number in range(30):
        agent.keep(said(f"t{number:02}", 2), turns=3)
        assert sum(entry.tokens for entry in agent.state.entries) <= 300
    assert ref("t29") in with_text(agent)
    assert ref("t00") not in with_text(agent)


def test_what_left_is_a_ghost_and_comes_back_by_its_ref() -> None:
    agent = shop(budget=300)
    for number in range(30):
        agent.keep(said(f"t{number:02}", 3), turns=0)
    ghosts = {ghost.ref for ghost in agent.state.ghosts}
    left = next(name for name in (f"t{number:02}" for number in range(30)) if ref(name) in ghosts)
    agent.touch(left)
    assert agent.entry(left).fidelity is Fidelity.FULL


def test_keeping_before_any_focus_is_bound_by_nothing() -> None:
    agent = Agent(Corpus())
    agent.keep(said("hello", 3))
    assert agent.entry("hello").fidelity is Fidelity.GIST


def test_keeping_what_is_there_already_moves_nothing() -> None:
    agent = shop()
    agent.keep(said("hello"))
    assert agent.keep(said("hello")).moves == ()


def test_pins_and_their_needs_stay_beside_a_long_history() -> None:
    agent = Agent(Corpus.of(record("rule", requires=["m"], lines=5), record("m", lines=3)), budget=400)
    agent.pin("rule")
    agent.focus("goal", {})
    agent.keep(*(said(f"t{i}", 2) for i in range(20)))
    assert (agent.tier("rule"), agent.tier("m")) == (Tier.PINNED, Tier.MANDATORY)


def test_the_share_that_counts_as_long_is_a_setting() -> None:
    agent = shop()
    agent.settings = replace(SETTINGS, packing=replace(SETTINGS.packing, kept_share=0.5))
    agent.keep(said("long", 40))
    assert agent.entry("long").fidelity is Fidelity.FULL
