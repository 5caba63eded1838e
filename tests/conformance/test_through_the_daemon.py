"""F60, F61, F65, F70, F72, F73, F74 once more, through store, indexes, lanes and use cases."""

from __future__ import annotations

from pathlib import Path

import pytest
import quicktok

from hotsetd.calls import FocusCall, PinCall, RefsCall, TouchCall, UseCall
from hotsetd.corpus import RemoveCall
from retrieval.ingest.typed_records import EdgeInput
from tests.daemon_room import NAMESPACE, Room, note, opened
from workingset.entry import PinOwner
from workingset.heat import heat_at
from workingset.sufficiency import State
from workingset.tier import Tier
from workingset.transitions.touch import Action
from workingset.vocabulary import Ref, SupportClosure

count = quicktok.get_encoding("o200k_base").count


def test_f60_80_equal_matches_leave_60_ignored(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"r{i:02}", "refund the order twice", title="refund") for i in range(80)])

        outcome = room.focus("refund order", top_k=20, budget_tokens=500_000).outcome

        assert outcome.ignored.count == 60
        assert outcome.sufficiency.captured < 1
        assert outcome.sufficiency.state is not State.SUFFICIENT
        assert sum(entry.has_text for entry in outcome.state.entries) == 21  # with the goal


def test_f61_40_matches_in_30_tokens(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"r{i:02}", f"refund the order number {i} twice", title="refund") for i in range(40)])

        outcome = room.focus("refund", budget_tokens=30).outcome

        assert outcome.ignored.count > 0
        assert outcome.sufficiency.state is not State.SUFFICIENT
        assert count(outcome.block.text) <= 30
        assert outcome.block.text


def test_f65_same_names_are_not_collapsed(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        same = {f"pkg{i}/refunds.py": f"def settle(order):\n    return order.total * {i}\n" for i in range(10)}
        other = {f"other{i}.py": f"def settle_more_{i}(order):\n    return settle(order) - {i}\n" for i in range(10)}
        room.documents({**same, **other})

        answer = room.focus("settle", top_k=7, budget_tokens=100_000)

        outcome = answer.outcome
        kept = [e for e in outcome.state.entries if e.has_text and e.kind != "goal"]
        assert len(kept) == 7
        assert answer.coverage.ranked >= 10
        best = outcome.ignored.best
        assert {entry.title for entry in kept} | {o.title for o in best} >= {"settle"}
        assert outcome.ignored.count == answer.coverage.ranked - 7


@pytest.mark.parametrize("cap", [32])
def test_f70_33_pins_are_all_present(tmp_path: Path, cap: int) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"p{i:02}", f"house rule {i}") for i in range(cap + 1)])
        for i in range(cap + 1):
            call = PinCall(
                agent="dev",
                ref=f"{NAMESPACE}:p{i:02}",
                text="",
                reason="law",
                expires_turns=0,
                owner=PinOwner.HOST,
            )
            answer, _ = room.parts.hosting.pin(room.parts.caller, call)
            assert answer.over_budget is None

        outcome = room.focus("something about rules", budget_tokens=4_000, top_k=cap).outcome

        for i in range(cap + 1):
            assert f"house rule {i}\n" in outcome.block.text


def test_f72_what_returns_has_its_old_ref_and_nothing_was_lost(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        topics = ["refund", "invoice", "stock"]
        room.records([note(f"{t}-{i}", f"{t} number {i} " * 20) for t in topics for i in range(8)])
        records = room.parts.corpus.describe(room.parts.caller, NAMESPACE).counts.records
        first = _refs(room, "refund number")
        for goal in ("invoice number", "stock number", "invoice number"):
            _refs(room, goal)
        assert not first & {e.ref for e in room.state().entries if e.has_text and e.tier is Tier.RESIDENT}

        assert _refs(room, "refund number") == first
        assert room.parts.corpus.describe(room.parts.caller, NAMESPACE).counts.records == records


def _refs(room: Room, goal: str) -> set[Ref]:
    outcome = room.focus(goal, budget_tokens=500).outcome
    return {e.ref for e in outcome.state.entries if e.has_text and e.kind != "goal" and goal.split()[0] in e.title}


def test_f73_heat_halves_whatever_is_looked_at(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("used", "refund the order"), note("other", "invoice of the month")])
        room.focus("refund order month", budget_tokens=4_000)
        use = UseCall(f"{NAMESPACE}:used", "", "", 0, 0, Action.READ)
        room.parts.turns.touch(room.parts.caller, TouchCall(agent="dev", uses=(use,)))
        wire_heat = _heat(room)
        half_life = int(room.parts.settings.working_set.heat.half_life_turns)

        for turn in range(half_life):
            room.focus("invoice month", budget_tokens=4_000)
            for _ in range(turn % 3):
                room.parts.turns.check(room.parts.caller, FocusCall(agent="dev", goal="refund"), room.deadline)
                room.parts.turns.status(room.parts.caller, "dev")

        assert _heat(room) == pytest.approx(wire_heat / 2, abs=1e-6)


def _heat(room: Room) -> float:
    state = room.state()
    entry = state.entry(Ref(f"{NAMESPACE}:used"))
    assert entry is not None
    return heat_at(entry, state.turn, room.parts.settings.working_set.heat)


def test_f74_deltas_turn_the_old_block_into_the_new(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        topics = ["refund", "invoice", "stock"]
        room.records([note(f"{t}-{i}", f"{t} number {i} " * 10) for t in topics for i in range(8)])
        held: dict[Ref, str] = {}
        for goal in (
            "refund number",
            "refund number",
            "invoice number",
            "stock number 3",
            "refund stock",
            "refund stock",
        ):
            outcome = room.focus(goal, budget_tokens=600).outcome
            for change in outcome.delta:
                if change.text:
                    held[change.ref] = change.text
                else:
                    del held[change.ref]
            assert held == {segment.ref: segment.text for segment in outcome.block.segments}
        assert outcome.delta == ()


def test_f71_what_needs_it_leaves_first_and_a_lost_premise_is_said(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records(
            [note("refund", "issue_refund pays an order back"), note("rule", "At most once.")],
            [EdgeInput("rule", "premise_of", "refund")],
        )
        first = room.focus("issue_refund")
        assert first.coverage.support is SupportClosure.CLOSED
        rule, refund = Ref(f"{NAMESPACE}:rule"), Ref(f"{NAMESPACE}:refund")

        answer, _ = room.parts.hosting.evict(
            room.parts.caller, RefsCall(agent="dev", refs=(rule,), reason="not this rule")
        )
        assert [move.ref for move in answer.moves] == [refund, rule]
        assert answer.moves[-1].detail == "not this rule"

        room.parts.corpus.remove(room.parts.caller, RemoveCall(namespace=NAMESPACE, refs=(rule,)))
        room.catch_up()
        again = room.focus("issue_refund")
        assert again.coverage.support is SupportClosure.PARTIAL
        assert again.outcome.sufficiency.open_obligations


def test_f69_pins_beyond_the_budget_are_named_and_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund the order")])
        room.focus("refund order", budget_tokens=2_000)
        words = "a rule of the house " * 40
        call = PinCall(agent="dev", ref="", text=words, reason="law", expires_turns=0, owner=PinOwner.HOST)
        room.parts.hosting.pin(room.parts.caller, call)

        over = room.focus("refund order", budget_tokens=80).outcome

        assert over.over_budget is not None
        assert over.over_budget.needed > 80
        assert sum(offender.tokens for offender in over.over_budget.offenders) >= over.over_budget.needed - 10
        assert over.block.text == ""
        assert words.strip() in room.focus("refund order", budget_tokens=2_000).outcome.block.text
