"""Pins: obligations that only their owner, or their expiry, ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, note_ref, record, ref
from workingset.entry import PinOwner
from workingset.errors import NotInSet, PinRefused
from workingset.settings import PinSettings
from workingset.tier import Cause, Tier
from workingset.transitions.pins import PinOrder, pin, unpin
from workingset.vocabulary import Fidelity, Ref, Standing, SupportClosure, Tokens

RULE = "never log card numbers"
PINS = SETTINGS.pins


def shop() -> Agent:
    return Agent(Corpus.of(*(record(i, 0.9 - i / 20, lines=4) for i in range(12)), record("rule"), record("m")))


def tier(agent: Agent, wanted: Ref) -> Tier | None:
    held = agent.state.entry(wanted)
    return held.tier if held else None


def test_a_pinned_record_enters_whole_and_stays_whatever_the_goal() -> None:
    agent = shop()
    outcome = agent.pin("rule")
    assert [(m.origin, m.target, m.cause) for m in outcome.moves] == [(Tier.EVICTED, Tier.PINNED, Cause.PINNED)]
    assert outcome.tokens > 0
    for goal in ("refunds", "exports", "something else"):
        block = agent.focus(goal, {}).block
        assert agent.corpus.records[ref("rule")].renderings.full in block.text
        assert block.segments[0].ref == ref("rule")


def test_words_of_the_host_are_pinned_verbatim_and_leave_when_unpinned() -> None:
    agent = shop()
    agent.pin(text=RULE)
    assert f"~~~\n{RULE}\n~~~\n" in agent.focus("refunds").block.text
    moves = agent.unpin(text=RULE).moves
    assert [(m.origin, m.target, m.cause) for m in moves] == [(Tier.PINNED, Tier.EVICTED, Cause.UNPINNED)]
    assert RULE not in agent.focus("refunds").block.text


def test_a_goal_equal_to_a_pinned_text_is_a_second_entry_and_either_can_leave() -> None:
    agent = shop()
    agent.pin(text=RULE)
    outcome = agent.focus(RULE)
    assert outcome.block.text.count(f"\n{RULE}\n") == 2
    agent.focus("another goal")
    assert agent.state.pin(note_ref(RULE)) is not None
    agent.focus(RULE)
    agent.unpin(text=RULE)
    assert agent.state.goal is not None
    assert agent.state.goal.text == RULE


def test_unpinning_falls_back_to_what_closure_demands() -> None:
    agent = Agent(Corpus.of(record("result", 0.9, requires=["m"]), record("m")))
    agent.focus("goal")
    agent.pin("m")
    assert tier(agent, ref("m")) is Tier.PINNED
    moves = agent.unpin("m").moves
    assert [(m.origin, m.target) for m in moves] == [(Tier.PINNED, Tier.MANDATORY)]
    agent.pin("result")
    assert [(m.origin, m.target) for m in agent.unpin("result").moves] == [(Tier.PINNED, Tier.RESIDENT)]


def test_what_a_pin_needs_is_mandatory_and_goes_when_it_goes() -> None:
    agent = Agent(Corpus.of(record("rule", requires=["m", "n"]), record("m"), record("n"), record("x", 0.4)))
    outcome = agent.pin("rule")
    assert {m.ref: m.target for m in outcome.moves} == {
        ref("rule"): Tier.PINNED,
        ref("m"): Tier.MANDATORY,
        ref("n"): Tier.MANDATORY,
    }
    held = agent.state.entry(ref("m"))
    assert held is not None
    assert held.required_by == (ref("rule"),)
    agent.focus("goal")
    assert {m.ref for m in agent.unpin("rule").moves} == {ref("rule")}
    moves = agent.focus("goal").moves
    assert [(m.ref, m.cause) for m in moves if m.target is Tier.EVICTED] == [
        (ref("rule"), Cause.COOLED),
        (ref("m"), Cause.DEPENDENTS_LEFT),
        (ref("n"), Cause.DEPENDENTS_LEFT),
    ]


@pytest.mark.parametrize("from_frontier", [True, False])
def test_a_line_of_the_frontier_or_a_gist_becomes_whole_when_pinned(from_frontier: bool) -> None:
    agent = shop()
    agent.focus("goal", top_k=2 if from_frontier else 20, budget=200)
    name = next(
        e.ref
        for e in agent.state.entries
        if (e.tier is Tier.FRONTIER_ONLY) is from_frontier and e.fidelity is not Fidelity.FULL
    )
    outcome = agent.pin(name.partition(":")[2])
    assert outcome.moves[0].target is Tier.PINNED
    held = agent.state.entry(name)
    assert held is not None
    assert held.fidelity is Fidelity.FULL
    assert agent.corpus.records[name].renderings.full in agent.focus("goal", budget=400).block.text


def test_a_pin_that_can_never_fit_is_answered_and_not_taken() -> None:
    agent = shop()
    agent.focus("goal")
    agent.pin(text=RULE)
    before = agent.state
    outcome = agent.pin("rule", budget=40)
    assert outcome.over_budget is not None
    assert agent.state == before
    assert outcome.moves == ()
    offenders = {o.ref: o.tokens for o in outcome.over_budget.offenders}
    assert offenders.keys() == {ref("rule"), note_ref(RULE), before.goal.ref if before.goal else None}
    assert offenders[ref("rule")] == outcome.tokens
    assert outcome.over_budget.needed > 40
    assert list(offenders.values()) == sorted(offenders.values(), reverse=True)


def test_pinning_again_renews_reason_owner_and_expiry_without_a_move() -> None:
    agent = shop()
    agent.pin("rule", owner=PinOwner.AGENT)
    outcome = agent.pin("rule", reason="policy")
    assert outcome.moves == ()
    held = agent.state.pin(ref("rule"))
    assert held is not None
    assert (held.owner, held.reason, held.expires_turn) == (PinOwner.HOST, "policy", 0)
    assert len(agent.state.pins) == 1


@pytest.mark.parametrize("text", [False, True])
def test_a_pin_holds_through_its_last_turn_and_ends_in_the_next(text: bool) -> None:
    agent = shop()
    agent.focus("goal", {})
    if text:
        agent.pin(text=RULE, expires=2)
    else:
        agent.pin("rule", expires=2)
    wanted = note_ref(RULE) if text else ref("rule")
    for _ in range(2):
        agent.focus("goal", {})
        assert tier(agent, wanted) is Tier.PINNED
    outcome = agent.focus("goal", {})
    assert agent.state.pin(wanted) is None
    assert outcome.moves[0].cause is Cause.EXPIRED
    assert outcome.moves[0].ref == wanted


def test_an_agent_has_so_many_pins_of_its_own_and_they_expire() -> None:
    agent = shop()
    for name in range(PINS.agent_pins_limit):
        agent.pin(name, owner=PinOwner.AGENT)
    held = agent.state.pin(ref(0))
    assert held is not None
    assert held.expires_turn == agent.state.turn + PINS.agent_pin_turns
    with pytest.raises(PinRefused, match="unpin one first"):
        agent.pin(11, owner=PinOwner.AGENT)
    agent.pin(0, owner=PinOwner.AGENT, expires=PINS.agent_pin_turns_limit)
    agent.pin(11)
    with pytest.raises(PinRefused, match="turns at most"):
        agent.pin(0, owner=PinOwner.AGENT, expires=PINS.agent_pin_turns_limit + 1)


def test_an_agent_cannot_change_a_pin_of_the_host_or_the_goal() -> None:
    agent = shop()
    agent.focus("goal")
    agent.pin("rule")
    with pytest.raises(PinRefused, match="host has pinned"):
        agent.pin("rule", owner=PinOwner.AGENT)
    assert agent.state.goal is not None
    goal = PinOrder(agent.state.goal.ref, PinOwner.HOST, "mine")
    for order in (goal, PinOrder(ref("rule"), PinOwner.GOAL, "mine")):
        with pytest.raises(PinRefused, match="by Focus alone"):
            pin(agent.state, order, (), Tokens(4_000), SETTINGS, len)


@pytest.mark.parametrize(
    ("order", "field"),
    [
        (PinOrder(ref("nowhere"), PinOwner.HOST, "r"), "ref"),
        (PinOrder(ref("rule"), PinOwner.HOST, "r", -1), "expires_turns"),
        (PinOrder(ref("note"), PinOwner.HOST, "r", 0, "é" * PINS.text_bytes_limit), "text"),
    ],
)
def test_what_cannot_be_pinned_is_refused_by_field(order: PinOrder, field: str) -> None:
    agent = shop()
    with pytest.raises(PinRefused) as refused:
        pin(agent.state, order, [agent.corpus.records[ref("rule")]], Tokens(4_000), SETTINGS, len)
    assert refused.value.field == field


def test_unpinning_what_is_not_pinned_or_the_goal_is_refused() -> None:
    agent = shop()
    agent.focus("goal")
    with pytest.raises(NotInSet):
        agent.unpin("rule")
    assert agent.state.goal is not None
    with pytest.raises(PinRefused, match="replaced by the next Focus"):
        unpin(agent.state, agent.state.goal.ref, SETTINGS)


@pytest.mark.parametrize(
    ("standing", "word"),
    [(Standing.REMOVED, "gone"), (Standing.OUT_OF_SCOPE, "namespaces"), (Standing.SUPERSEDED, "successor")],
)
def test_a_pin_whose_record_is_not_current_is_reported_each_turn_and_kept(standing: Standing, word: str) -> None:
    agent = shop()
    agent.pin("rule")
    agent.focus("goal")
    successor = ref("next") if standing is Standing.SUPERSEDED else None
    known = agent.corpus.records[ref("rule")]
    agent.corpus.put(replace(known, standing=standing, successor=successor))
    for turn in range(3):
        outcome = agent.focus("goal")
        (report,) = outcome.pin_reports
        assert (report.ref, report.standing, report.successor) == (ref("rule"), standing, successor)
        assert word in report.what_to_do
        assert known.renderings.full in outcome.block.text
        assert f"[{standing.value}" in outcome.block.text
        assert len(outcome.drift.stale) == (1 if turn == 0 else 0)
    agent.unpin("rule")
    agent.focus("goal")
    assert tier(agent, ref("rule")) is None


def test_a_pin_whose_record_cannot_be_read_at_all_is_kept_without_text() -> None:
    agent = shop()
    agent.pin("rule")
    agent.focus("goal")
    known = agent.corpus.records.pop(ref("rule"))
    outcome = agent.focus("goal")
    assert [report.standing for report in outcome.pin_reports] == [Standing.REMOVED]
    assert "## shop:rule [removed]\n~~~\n~~~\n" in outcome.block.text
    agent.pin(text=RULE)
    agent.corpus.put(known)
    back = agent.focus("goal")
    assert known.renderings.full in back.block.text
    assert back.pin_reports == ()


def test_a_pin_whose_need_is_gone_stays_with_a_partial_closure() -> None:
    agent = Agent(Corpus.of(record("rule", requires=["m"]), record("m")))
    agent.pin("rule")
    agent.focus("goal")
    agent.corpus.put(replace(record("m"), standing=Standing.REMOVED))
    outcome = agent.focus("goal")
    held = agent.state.entry(ref("rule"))
    assert held is not None
    assert held.closure is SupportClosure.PARTIAL
    assert tier(agent, ref("m")) is None
    assert outcome.sufficiency.open_obligations == ("support_closure of shop:rule is partial",)


def test_limits_come_from_settings() -> None:
    agent = shop()
    agent.settings = replace(SETTINGS, pins=PinSettings(agent_pins_limit=1, agent_pin_turns=3))
    agent.pin(0, owner=PinOwner.AGENT)
    with pytest.raises(PinRefused, match="may hold 1 pins"):
        agent.pin(1, owner=PinOwner.AGENT)
