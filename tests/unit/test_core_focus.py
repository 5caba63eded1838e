"""Focus as its users see it: what gets a place, what stays, what leaves, and what a repeated question costs."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, count, note_ref, record, ref
from workingset.candidate import Candidate
from workingset.delivery import Change
from workingset.entry import Entry
from workingset.tier import Cause, Tier
from workingset.vocabulary import Fidelity, Ref, Relevance, Standing, SupportClosure

RULE = "never log card numbers"


def entry(agent: Agent, name: str | int) -> Entry:
    held = agent.state.entry(ref(name))
    assert held is not None
    return held


def tiers(agent: Agent) -> dict[Ref, Tier]:
    return {held.ref: held.tier for held in agent.state.entries}


def mixed(prefix: str, number: int, seed: int) -> list[Candidate]:
    chance = random.Random(seed)
    return [record(f"{prefix}{i:02}", lines=chance.choice((3, 6, 10, 20, 30, 60))) for i in range(number)]


def falling(records: list[Candidate], best: float = 0.95, factor: float = 0.93) -> dict[Ref, float]:
    return {candidate.ref: best * factor**place for place, candidate in enumerate(records)}


@pytest.mark.parametrize("seed", range(6))
def test_the_best_results_are_there_in_full_and_the_budget_is_used(seed: int) -> None:
    records = mixed("r", 40, seed)
    agent = Agent(Corpus.of(*records), budget=4_000)
    outcome = agent.focus("goal", falling(records))
    at = {held.ref: held.fidelity for held in agent.state.entries}
    assert all(at[candidate.ref] is Fidelity.FULL for candidate in records[:5])
    assert sum(at.get(candidate.ref) is Fidelity.FULL for candidate in records[:20]) >= 8
    assert outcome.ledger.used >= 0.85 * 4_000
    assert outcome.ledger.frontier > 0


@pytest.mark.parametrize("seed", range(4))
def test_after_a_refocus_the_old_leave_within_a_few_turns_and_pins_stay(seed: int) -> None:
    old, new = mixed("old", 30, seed), mixed("new", 30, seed + 100)
    agent = Agent(Corpus.of(*old, *new), budget=4_000)
    agent.pin(text=RULE)
    for turn in range(4):
        agent.focus(f"refund issued twice step {turn}", falling(old))
        agent.touch(*(c.ref.partition(":")[2] for c in old[turn * 2 : turn * 2 + 2]))
    for turn in range(4):
        agent.focus(f"nightly export slow part {turn}", falling(new))
        assert agent.state.pin(note_ref(RULE)) is not None
    texts = [held for held in agent.state.entries if held.has_text]
    old_tokens = sum(held.tokens for held in texts if held.ref.startswith("shop:old"))
    assert old_tokens < SETTINGS.packing.cold_share * 4_000
    assert sum(held.ref.startswith("shop:new") for held in texts) >= 10
    assert RULE in agent.focus("nightly export slow", falling(new)).block.text


def test_a_question_asked_again_is_answered_with_an_empty_delta() -> None:
    records = mixed("r", 40, 1)
    agent = Agent(Corpus.of(*records), budget=3_000)
    first = agent.focus("goal", falling(records))
    for _ in range(10):
        again = agent.focus("goal", falling(records))
        assert (again.delta, again.moves, again.prefix_stable) == ((), (), 1.0)
        assert again.block == first.block


def test_a_follow_up_keeps_most_of_the_block_byte_for_byte() -> None:
    records = mixed("r", 40, 2)
    agent = Agent(Corpus.of(*records), budget=4_000)
    agent.focus("goal", falling(records))
    shares = []
    for turn in range(6):
        chance = random.Random(turn)
        weights = {r: max(0.02, w + chance.uniform(-0.03, 0.03)) for r, w in falling(records).items()}
        shares.append(agent.focus(f"goal step {turn}", weights).prefix_stable)
    assert sorted(shares)[len(shares) // 2] > 0.9


@pytest.mark.parametrize(
    "event", ["use", "pin", "unpin", "evict", "budget", "scope", "top_k", "record", "expiry", "settings", "reset"]
)
def test_what_changed_is_looked_at_again_and_the_ceiling_holds(event: str) -> None:
    records = mixed("r", 30, 3)
    corpus = Corpus.of(*records, record("rule", lines=30))
    agent = Agent(corpus, budget=1_500)
    agent.pin(text=RULE, expires=2 if event == "expiry" else 0)
    agent.focus("goal", falling(records))
    before = agent.focus("goal", falling(records))
    assert before.delta == ()
    budget, top_k, weights = 1_500, 20, falling(records)
    if event == "use":
        agent.touch("r25", "r26")
    elif event == "pin":
        agent.pin("rule")
    elif event == "unpin":
        agent.unpin(text=RULE)
    elif event == "evict":
        agent.evict("r00")
    elif event == "budget":
        budget = 700
    elif event == "scope":
        corpus.records = {r: replace(c, standing=Standing.OUT_OF_SCOPE) for r, c in corpus.records.items()}
    elif event == "top_k":
        top_k = 3
    elif event == "record":
        corpus.put(replace(record("r00", lines=40), generation=before.state.cut.generations[0][1]))
    elif event == "settings":
        agent.settings = replace(SETTINGS, packing=replace(SETTINGS.packing, frontier_lines=0))
    elif event == "reset":
        agent.reset()
    after = agent.focus("goal", weights, budget=budget, top_k=top_k)
    assert after.over_budget is None
    assert after.block.tokens <= budget
    assert (after.delta != ()) is (event != "top_k") or after.moves != ()
    again = agent.focus("goal", weights, budget=budget, top_k=top_k)
    assert again.delta == ()


def test_pinning_and_unpinning_in_between_cannot_leave_the_block_too_long() -> None:
    records = [record(i, lines=30) for i in range(8)]
    agent = Agent(Corpus.of(*records), budget=1_200)
    weights = falling(records)
    agent.focus("goal", weights)
    outline = next(held for held in agent.state.entries if held.fidelity is Fidelity.OUTLINE)
    name = outline.ref.partition(":")[2]
    agent.pin(name)
    agent.unpin(name)
    assert agent.focus("goal", weights).block.tokens <= 1_200


def test_a_record_that_moves_in_its_file_cannot_make_the_block_too_long() -> None:
    records = [record(i, lines=12) for i in range(20)]
    agent = Agent(Corpus.of(*records), budget=1_000)
    weights = falling(records)
    agent.focus("goal", weights)
    agent.corpus.put(*(replace(c, path=f"a/much/deeper/{'x/' * 20}place.py") for c in records))
    outcome = agent.focus("goal", weights)
    assert outcome.block.tokens == count(outcome.block.text) <= 1_000


def test_the_budget_may_shrink_to_just_above_the_pins_and_grow_again() -> None:
    records = mixed("r", 40, 4)
    agent = Agent(Corpus.of(*records), budget=8_000)
    agent.pin(text=RULE)
    weights = falling(records)
    agent.focus("goal", weights, budget=8_000)
    fixed = agent.focus("goal", {}, budget=8_000).ledger.pinned
    for budget in (8_000, 4_000, 2_000, 1_000, 500, 250, 120, 60, fixed + 1, fixed, 60, 8_000):
        outcome = agent.focus("goal", weights, budget=budget)
        assert outcome.over_budget is None
        assert outcome.block.tokens <= budget
        assert RULE in outcome.block.text
        assert outcome.ignored.count == sum(
            1 for r in weights if not any(held.ref == r and held.has_text for held in agent.state.entries)
        )
    assert agent.focus("goal", weights, budget=fixed - 1).over_budget is not None


def test_over_budget_keeps_the_state_and_spends_the_turn_alone() -> None:
    agent = Agent(Corpus.of(*(record(i, 0.5) for i in range(5))), budget=2_000)
    agent.pin(text=RULE)
    agent.focus("goal")
    before = agent.state
    agent.corpus.put(replace(record(0), standing=Standing.REMOVED))
    outcome = agent.focus("word " * 3_000)
    assert outcome.over_budget is not None
    assert outcome.over_budget.needed > 3_000
    assert outcome.over_budget.offenders[0].title == "goal"
    assert (outcome.block.text, outcome.delta, outcome.moves) == ("", (), ())
    assert replace(agent.state, turn=before.turn, last_receipt=before.last_receipt) == before
    assert agent.state.turn == before.turn + 1
    assert outcome.sufficiency.open_obligations == ("what cannot be left out exceeds the budget",)
    assert outcome.ignored.count == 4
    after = agent.focus("goal")
    assert {entry.ref: entry.change for entry in after.delta} == {ref(0): Change.REMOVED}


def test_nothing_found_is_said_and_the_goal_is_all_there_is() -> None:
    agent = Agent(Corpus())
    outcome = agent.focus("goal")
    assert outcome.block.text == "# Goal\ngoal\n"
    assert outcome.nothing is not None
    assert outcome.nothing.value == "not_indexed"
    assert (outcome.ignored.count, outcome.ignored.best) == (0, ())


def test_needed_records_enter_with_their_results_and_are_shared() -> None:
    corpus = Corpus.of(record("a", 0.9, requires=["m"]), record("b", 0.8, requires=["m"]), record("m"))
    agent = Agent(corpus)
    agent.focus("goal")
    held = entry(agent, "m")
    assert (held.tier, held.fidelity) == (Tier.MANDATORY, Fidelity.FULL)
    assert held.required_by == (ref("a"), ref("b"))
    assert held.order < entry(agent, "a").order


def test_a_result_that_another_one_needs_is_mandatory_and_charged_once() -> None:
    corpus = Corpus.of(record("a", 0.9, requires=["m"]), record("m", 0.8), record("x", 0.7))
    need = sum(count(c.renderings.full) for c in corpus.records.values())
    agent = Agent(corpus, budget=int(need * 1.25))
    outcome = agent.focus("goal")
    assert entry(agent, "m").tier is Tier.MANDATORY
    assert [held.fidelity for held in agent.state.entries if held.tier is not Tier.PINNED] == [Fidelity.FULL] * 3
    assert outcome.ignored.count == 0
    agent.evict("a")
    assert entry(agent, "m").tier is Tier.RESIDENT


def test_a_cycle_of_needs_enters_whole_or_not_at_all() -> None:
    corpus = Corpus.of(record("a", 0.9, requires=["b"]), record("b", requires=["c"]), record("c", requires=["a"]))
    agent = Agent(corpus)
    agent.focus("goal")
    assert set(tiers(agent).values()) == {Tier.MANDATORY, Tier.PINNED}
    assert all(held.closure is SupportClosure.CLOSED for held in agent.state.entries)
    size = sum(held.tokens for held in agent.state.entries)
    agent.focus("goal", budget=size - 1)
    assert not [held for held in agent.state.entries if held.has_text and held.tier is not Tier.PINNED]


def test_a_result_whose_needs_do_not_fit_stays_out_and_the_others_are_served() -> None:
    plain = [record(f"p{i}", 0.5, lines=5) for i in range(5)]
    corpus = Corpus.of(record("bomb", 0.97, lines=1, requires=["huge"]), record("huge", lines=500), *plain)
    agent = Agent(corpus, budget=1_000)
    outcome = agent.focus("goal")
    assert all(entry(agent, f"p{i}").fidelity is Fidelity.FULL for i in range(5))
    assert tiers(agent)[ref("bomb")] is Tier.FRONTIER_ONLY
    assert dict(outcome.ignored.reasons) == {"budget": 1}


def test_a_result_that_a_page_in_use_lacks_enters_whole_with_it_however_little_room_there_is() -> None:
    agent = Agent(Corpus.of(record("page", lines=3, requires=["premise"]), record("premise")), budget=400)
    agent.focus("goal", {})
    agent.touch("page")
    assert agent.entry("page").closure is SupportClosure.PARTIAL
    agent.focus("goal", {ref("premise"): 0.9, ref("page"): 0.3})
    assert (agent.tier("premise"), agent.entry("premise").fidelity) == (Tier.MANDATORY, Fidelity.FULL)
    assert agent.entry("page").closure is SupportClosure.CLOSED


def test_a_need_that_was_not_read_leaves_a_partial_closure() -> None:
    corpus = Corpus.of(record("a", 0.9, requires=["m", "nowhere"]), record("m"))
    corpus.closes = False
    agent = Agent(corpus)
    outcome = agent.focus("goal")
    assert entry(agent, "a").closure is SupportClosure.PARTIAL
    assert entry(agent, "m").tier is Tier.MANDATORY
    assert outcome.sufficiency.open_obligations == ("support_closure of shop:a is partial",)
    assert outcome.sufficiency.cause == "open_obligations"


def test_a_resource_limited_result_does_not_enter_and_is_counted() -> None:
    agent = Agent(Corpus.of(record("a", 0.9, closure=SupportClosure.RESOURCE_LIMITED), record("b", 0.8)))
    outcome = agent.focus("goal")
    assert tiers(agent)[ref("a")] is Tier.FRONTIER_ONLY
    assert dict(outcome.ignored.reasons) == {"closure": 1}


def test_a_result_ranked_too_low_to_be_closed_over_keeps_what_it_needs() -> None:
    corpus = Corpus.of(record("a", 0.9, requires=["m"]), record("m"), record("b", 0.8))
    agent = Agent(corpus)
    agent.focus("goal")
    made = corpus.projection("goal two", None, agent.known())
    low = tuple(
        replace(c, requires=(), closure=SupportClosure.NOT_REQUESTED, relevance=Relevance(0.4)) for c in made.ranked
    )
    agent.focus("goal two", projection=replace(made, ranked=low))
    assert entry(agent, "m").required_by == (ref("a"),)
    assert entry(agent, "a").closure is SupportClosure.CLOSED
    assert entry(agent, "a").relevance == 0.4


@pytest.mark.parametrize("standing", [Standing.REMOVED, Standing.OUT_OF_SCOPE, Standing.SUPERSEDED])
def test_what_is_not_current_leaves_in_every_tier(standing: Standing) -> None:
    corpus = Corpus.of(record("a", 0.9, requires=["m"]), record("m"), record("line", 0.3), record("b", 0.8))
    agent = Agent(corpus, top_k=2)
    agent.focus("goal")
    assert set(tiers(agent).values()) == set(Tier) - {Tier.EVICTED}
    for name in ("m", "line", "b"):
        corpus.put(replace(corpus.records[ref(name)], standing=standing))
    outcome = agent.focus("goal")
    causes = {move.ref: move.cause for move in outcome.moves if move.target is Tier.EVICTED}
    assert set(causes) == {ref("m"), ref("line"), ref("b")}
    assert {cause.name for cause in causes.values()} == {standing.name}
    assert entry(agent, "a").closure is SupportClosure.PARTIAL
    assert {stale.ref for stale in outcome.drift.stale} == set(causes)


def test_an_entry_that_was_not_read_leaves_as_removed() -> None:
    agent = Agent(Corpus.of(record("a", 0.9), record("b", 0.8)))
    agent.focus("goal")
    del agent.corpus.records[ref("a")]
    outcome = agent.focus("goal")
    assert [(move.ref, move.cause) for move in outcome.moves] == [(ref("a"), Cause.REMOVED)]


def test_a_newcomer_must_be_better_than_what_it_displaces() -> None:
    held, other = record("held", lines=20), record("other", lines=20)
    agent = Agent(Corpus.of(held, other))
    room = count(held.renderings.full) * 3 // 2
    agent.focus("goal", {ref("held"): 0.5}, budget=room)
    agent.focus("goal a", {ref("held"): 0.5, ref("other"): 0.55}, budget=room)
    assert entry(agent, "held").fidelity is Fidelity.FULL
    agent.focus("goal b", {ref("held"): 0.5, ref("other"): 0.9}, budget=room)
    assert entry(agent, "other").fidelity is Fidelity.FULL
    assert entry(agent, "held").fidelity is not Fidelity.FULL
