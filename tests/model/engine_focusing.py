"""Rules of the engine's model test in which agents ask: Focus and Check, and what must be true of every answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from hotsetd.answers import CheckAnswer, FocusAnswer
from hotsetd.calls import FocusCall
from hotsetd.notes import note_namespace
from tests.model import engine_checks as checks
from tests.model.engine_agents import Agent
from tests.model.engine_asks import SECRET, Asked, asked, names, plainly
from tests.model.engine_stage import DEFAULT_BUDGET, GHOSTS, MOVES, Stage, count
from tests.model.engine_world import CODE, SHOP
from workingset.drift import Verdict
from workingset.tier import Cause, Tier
from workingset.transitions.focus import FocusOutcome
from workingset.vocabulary import AgentId, Fidelity, Ref, Standing, SupportClosure
from workingset.working_set import WorkingSet


class Focusing(Stage):
    """An agent asks what deserves a place."""

    @rule(name=names, wanted=asked, named=st.booleans(), twice=st.sampled_from((False, False, True)))
    def focus(self, name: str, wanted: Asked, named: bool, twice: bool) -> None:
        """Asking again moves nothing, but for what time ends, a refocus that had to rest, and other seeds to search."""
        warm = _used(self.state(name))
        first = self._focus(name, wanted, named).outcome
        if twice and first.over_budget is None:
            rests = not self.agents[name].expired(self.now) and _used(first.state) == warm
            again = self._focus(name, replace(wanted, budget=0, received="right"), named).outcome
            if rests and again.drift.verdict is not Verdict.REFOCUS:
                assert (again.moves, [change.ref for change in again.delta]) == ((), [])
                assert again.block == first.block

    @rule(name=names, wanted=plainly, then=st.one_of(st.none(), plainly))
    def go_on(self, name: str, wanted: Asked, then: Asked | None) -> None:
        """What most turns are like: a goal, the last budget, everything received."""
        self._focus(name, wanted, named=False)
        if then is not None:
            self._focus(name, then, named=False)

    @rule(name=names, wanted=asked, current=st.booleans())
    def check(self, name: str, wanted: Asked, current: bool) -> None:
        """Looking moves nothing, whoever looks; that is seen after the step."""
        if current and self.state(name).goal is None:
            return
        call = replace(self._call(Agent(name), wanted), goal="" if current else wanted.goal)
        checked = self.room.parts.turns.check(self.room.parts.caller, call, self.room.deadline)
        assert checked.state == self.state(name)

    def _focus(self, name: str, wanted: Asked, named: bool) -> FocusAnswer:
        agent = self.agents.get(name) or Agent(name)
        before, call = self.state(name), self._call(agent, wanted)
        budget = wanted.budget or agent.budget or DEFAULT_BUDGET
        checked = self.room.parts.turns.check(self.room.parts.caller, call, self.room.deadline)
        answer: FocusAnswer = self.send("focus", call, named=named)
        _same(checked, answer)
        outcome, due, between = answer.outcome, agent.expired(self.now), agent.between
        self.agents[name] = agent
        agent.turn, agent.between, agent.undo = agent.turn + 1, [], None
        checks.block_is_true(answer, budget, count)
        checks.add_up(before, outcome.moves, outcome.state)
        checks.receipt_is_true(outcome.receipt, between[-MOVES:], len(between), outcome.moves, budget)
        if not wanted.page_in:
            assert not [move for move in outcome.moves if move.cause is Cause.RESULT]
        agent.request = wanted.request or agent.request
        agent.moved(outcome.moves, GHOSTS)
        if outcome.over_budget is not None:
            checks.over_budget_is_true([ref for ref in agent.pins if ref not in due], answer, budget)
            assert self._fits(call, outcome.over_budget.needed)
            return answer
        agent.budget, agent.goal = budget, wanted.goal
        agent.scope = outcome.state.namespaces
        assert set(agent.scope) == self._scope(agent, wanted)
        self._pins(agent, due, before, answer)
        if outcome.drift.verdict is Verdict.REFOCUS and before.turn:
            agent.undo = {ref: tier for ref, tier in checks.tiers_of(before).items() if not checks.is_own(ref)}
        lost = call.received_turn and not before.delivered_turn <= call.received_turn <= before.turn
        assert outcome.from_nothing is bool(lost or not agent.host)
        _delivered(agent, outcome)
        self._says_what_is_stored(agent, answer)
        self._nothing_stale_stays(agent, outcome.state)
        self._closed_is_closed(agent, outcome.state)
        return answer

    def _fits(self, call: FocusCall, budget: int) -> bool:
        """True where the same call would have an answer within a budget."""
        turns, caller = self.room.parts.turns, self.room.parts.caller
        checked = turns.check(caller, replace(call, budget_tokens=budget), self.room.deadline)
        return checked.over_budget is None

    def _call(self, agent: Agent, wanted: Asked) -> FocusCall:
        turns = {"absent": 0, "right": agent.turn, "earlier": agent.earlier_turn, "wrong": agent.turn + 7}
        return FocusCall(
            agent=agent.name,
            goal=wanted.goal,
            budget_tokens=wanted.budget,
            namespaces=wanted.scope,
            top_k=wanted.top_k,
            received_turn=turns[wanted.received],
            user_request=wanted.request,
            page_in=wanted.page_in,
        )

    def _scope(self, agent: Agent, wanted: Asked) -> set[str]:
        own = {note_namespace(AgentId(name)) for name in self.readable(agent)}
        return {*(wanted.scope or (SHOP, CODE)), *own}

    def _pins(self, agent: Agent, due: set[Ref], before: WorkingSet, answer: FocusAnswer) -> None:
        """Expired pins are gone, those that follow have moved on, and what is not current is reported."""
        outcome = answer.outcome
        for ref in due:
            del agent.pins[ref]
        wrong: set[Ref] = set()
        for ref, pin in [(e.ref, agent.pins[e.ref]) for e in before.entries if e.ref in agent.pins]:
            if pin.text:
                continue
            standing = self.standing(ref, agent.scope)
            if standing is not Standing.CURRENT:
                wrong.add(ref)
            to = self.world.successor(ref, set(agent.scope), self.now) if standing is Standing.SUPERSEDED else None
            if to is not None and pin.follows:
                del agent.pins[ref]
                agent.pins.setdefault(to, pin)
        assert {report.ref for report in outcome.pin_reports} == wrong
        for report in outcome.pin_reports:
            assert (report.replaced_by is None) is (report.ref in agent.pins)
            assert report.standing is self.standing(report.ref, agent.scope)

    def _says_what_is_stored(self, agent: Agent, answer: FocusAnswer) -> None:
        pieces = {piece.ref: piece for piece in answer.outcome.block.segments}
        assert SECRET not in answer.outcome.block.text
        for ref, piece in pieces.items():
            pin = agent.pins.get(ref)
            if checks.is_own(ref):
                assert piece.text.split("\n", 1)[1] in (f"{agent.goal}\n", f"{agent.request}\n")
            elif pin is not None and pin.text:
                assert f"~\n{pin.text}" in piece.text
            elif (record := self.record(ref)) is not None:
                checks.verbatim(piece, record)
        for ref in agent.pins:
            assert (pieces[ref].tier, pieces[ref].fidelity) == (Tier.PINNED, Fidelity.FULL)
        if agent.request is not None:
            assert agent.request in answer.outcome.block.text
        checks.sized(answer.outcome.state, self.record, count)

    def _nothing_stale_stays(self, agent: Agent, state: WorkingSet) -> None:
        """Pins apart, all that is in the set is current; and what is said of pins is true."""
        for entry in state.entries:
            pin = agent.pins.get(entry.ref)
            if not checks.is_own(entry.ref) and not (pin is not None and pin.text):
                standing = self.standing(entry.ref, agent.scope)
                assert entry.standing is standing, entry.ref
                assert pin is not None or standing is Standing.CURRENT, entry.ref

    def _closed_is_closed(self, agent: Agent, state: WorkingSet) -> None:
        """A result is shown as closed only beside all that it needs, whole and current."""
        entries = {entry.ref: entry for entry in state.entries}
        for entry in state.entries:
            if entry.ref not in self.world.items or not entry.has_text or entry.closure is not SupportClosure.CLOSED:
                continue
            needs, complete = self.world.closure(entry.ref, set(agent.scope), self.now)
            assert complete, entry.ref
            for need in needs:
                assert self.standing(need, agent.scope) is Standing.CURRENT, (entry.ref, need)
                there = entries.get(need)
                assert there is not None, (entry.ref, need)
                assert there.tier in (Tier.PINNED, Tier.MANDATORY), (entry.ref, need)
                assert there.fidelity is Fidelity.FULL, (entry.ref, need)


def _delivered(agent: Agent, outcome: FocusOutcome) -> None:
    """The host that follows the delta holds the block; what was there before kept its place in it."""
    agent.receive(outcome.delta, agent.turn, anew=outcome.from_nothing)
    assert agent.host == {piece.ref: piece.text for piece in outcome.block.segments}
    shown = checks.shown_in(outcome.block)
    checks.only_appended(agent.shown, shown, agent.since_shown)
    assert outcome.prefix_stable == checks.stable_share(agent.shown.pieces, shown.pieces)
    agent.shown, agent.since_shown = shown, set()


def _same(checked: CheckAnswer, answer: FocusAnswer) -> None:
    """Equal inputs give equal answers: a Check of the same goal saw just what the Focus after it came to."""
    outcome = answer.outcome
    first: dict[str, Any] = {
        "state": checked.evaluated,
        "ignored": checked.ignored,
        "sufficiency": checked.sufficiency,
        "drift": checked.drift,
        "over_budget": checked.over_budget,
        "nothing": checked.nothing,
        "pin_reports": checked.pin_reports,
        "coverage": checked.coverage,
    }
    again = {
        "state": outcome.state,
        "ignored": outcome.ignored,
        "sufficiency": outcome.sufficiency,
        "drift": outcome.drift,
        "over_budget": outcome.over_budget,
        "nothing": outcome.nothing,
        "pin_reports": outcome.pin_reports,
        "coverage": answer.coverage,
    }
    checks.same_answers(first, again)


def _used(state: WorkingSet) -> set[Ref]:
    """The entries that a search starts from, beside its own best hits."""
    return {entry.ref for entry in state.entries if entry.uses and entry.tier is not Tier.FRONTIER_ONLY}
