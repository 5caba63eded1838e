"""Rules of the engine's model test in which hosts pin, take out, begin anew, hand on and forget."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from hotsetd.answers import CloseAnswer, ForgetAnswer, MovesAnswer, PinAnswer, ResetAnswer, SuccessorAnswer
from hotsetd.calls import AgentCall, PinCall, RefsCall, ResetCall, SuccessorCall
from hotsetd.errors import UnknownAgent
from hotsetd.notes import note_namespace
from retrieval.errors import BadField, UnknownRef
from tests.model import engine_checks as checks
from tests.model.engine_agents import Agent, Held
from tests.model.engine_asks import NOTES, Asked, Terms, heirs, names, places, plainly, terms
from tests.model.engine_stage import AGENT_PIN_TURNS, AGENT_PINS, DEFAULT_BUDGET
from tests.model.engine_touching import Touching
from workingset.entry import PinOwner
from workingset.errors import NoRequest, NothingToUndo, NotInSet, PinnedEntry, PinRefused, SetExists
from workingset.tier import Cause, Tier
from workingset.vocabulary import AgentId, Fidelity, Ref
from workingset.working_set import WorkingSet


class Hosting(Touching):
    """What a host does to its agents' sets."""

    @rule(name=names, place=places, asked_for=terms, named=st.booleans())
    def pin_a_record(self, name: str, place: int, asked_for: Terms, named: bool) -> None:
        pool = self.refs_of(name)
        ref = pool[place % len(pool)]
        call = self._pin_call(name, asked_for, ref=ref)
        record, held = self.record(ref), self.state(name).pin(ref)
        if record is None or (record.removed and held is None):
            self.refused(UnknownRef, "pin", call)
        elif self._may_not_pin(name, ref, asked_for):
            self.refused(PinRefused, "pin", call)
        else:
            self._pin(name, ref, call, named)

    @rule(name=names, text=st.sampled_from(NOTES), asked_for=terms, named=st.booleans())
    def pin_words(self, name: str, text: str, asked_for: Terms, named: bool) -> None:
        call = self._pin_call(name, asked_for, text=text)
        known = [ref for ref, kept in self.kept.get(name, {}).items() if kept == text and ":turn-" not in ref]
        if (
            asked_for.follows
            or (known and self._may_not_pin(name, known[0], asked_for))
            or (not known and self._may_not_pin(name, Ref(""), asked_for))
        ):
            self.refused(PinRefused, "pin", call)
        else:
            answer = self._pin(name, known[0] if known else None, call, named)
            if answer.over_budget is None:
                self.keep(name, {answer.pin.ref: text})

    @rule(name=names, place=places, named=st.booleans())
    def unpin(self, name: str, place: int, named: bool) -> None:
        state = self.state(name)
        mine = [pin.ref for pin in state.pins if pin.owner in (PinOwner.HOST, PinOwner.AGENT)]
        pool = [*mine * 9, *(pin.ref for pin in state.pins), *(e.ref for e in state.entries), Ref("shop:nowhere")]
        ref = pool[place % len(pool)]
        call = RefsCall(agent=name, refs=(ref,))
        if name not in self.agents:
            self.refused(UnknownAgent, "unpin", call)
        elif state.pin(ref) is None:
            self.refused(NotInSet, "unpin", call)
        elif ref not in self.agents[name].pins:
            self.refused(PinRefused, "unpin", call)
        else:
            answer: MovesAnswer = self.send("unpin", call, named=named)
            held = self.agents[name].pins.pop(ref)
            self.took(self.agents[name], state, answer.moves, self.state(name))
            tier = checks.tiers_of(self.state(name)).get(ref)
            needed = [entry for entry in state.entries if entry.needs(ref)]
            assert tier is (None if held.text else Tier.MANDATORY if needed else Tier.RESIDENT)

    @rule(name=names, several=st.lists(places, min_size=1, max_size=3), named=st.booleans())
    def evict(self, name: str, several: list[int], named: bool) -> None:
        before = self.state(name)
        loose = [entry.ref for entry in before.entries if not _a_pin_needs(before, (entry.ref,))]
        pool = [*loose * 5, *(entry.ref for entry in before.entries), Ref("shop:nowhere")]
        refs = tuple(dict.fromkeys(pool[place % len(pool)] for place in several))
        call = RefsCall(agent=name, refs=refs, reason="not\nthis one")
        if name not in self.agents:
            self.refused(UnknownAgent, "evict", call)
        elif pool[-1] in refs or _a_pin_needs(before, refs):
            self.refused(NotInSet if not _a_pin_needs(before, refs) else (NotInSet, PinnedEntry), "evict", call)
        else:
            answer: MovesAnswer = self.send("evict", call, named=named)
            after = self.state(name)
            self.took(self.agents[name], before, answer.moves, after)
            assert not set(refs) & set(checks.tiers_of(after))
            assert {move.cause for move in answer.moves} <= {Cause.ASKED, Cause.NEED_EVICTED, Cause.DEPENDENTS_LEFT}
            gone = {move.ref for move in answer.moves if move.target is Tier.EVICTED}
            assert gone == set(refs) | _who_needs(before, refs)

    @rule(name=names, then=st.one_of(st.none(), plainly), named=st.booleans())
    def reset_context(self, name: str, then: Asked | None, named: bool) -> None:
        call = ResetCall(agent=name, reason="compacted")
        if name not in self.agents:
            self.refused(UnknownAgent, "reset_context", call)
            return
        before = self.state(name)
        answer: ResetAnswer = self.send("reset_context", call, named=named)
        self.agents[name].reset()
        assert answer.epoch == self.agents[name].epoch
        assert self.state(name).entries == before.entries
        if then is not None:
            self._focus(name, then, named=False)

    @precondition(lambda self: any(agent.undo is not None for agent in self.agents.values()))
    @rule(name=names, named=st.booleans())
    def undo_refocus(self, name: str, named: bool) -> None:
        call, agent = AgentCall(agent=name), self.agents.get(name)
        if agent is None:
            self.refused(UnknownAgent, "undo_refocus", call)
        elif agent.undo is None:
            self.refused(NothingToUndo, "undo_refocus", call)
        else:
            before = self.state(name)
            answer: MovesAnswer = self.send("undo_refocus", call, named=named)
            self.took(agent, before, answer.moves, self.state(name))
            _is_undone(agent.undo, before, answer, self.state(name))
            agent.undo = None

    @precondition(lambda self: any(agent.request is not None for agent in self.agents.values()))
    @rule(name=names, named=st.booleans())
    def close_request(self, name: str, named: bool) -> None:
        call, agent = AgentCall(agent=name), self.agents.get(name)
        if agent is None:
            self.refused(UnknownAgent, "close_request", call)
        elif agent.request is None:
            self.refused(NoRequest, "close_request", call)
        else:
            before = self.state(name)
            answer: CloseAnswer = self.send("close_request", call, named=named)
            assert answer.user_request == agent.request
            agent.request = None
            self.took(agent, before, answer.moves, self.state(name))

    @rule(name=names, other=heirs, keeps=st.booleans(), named=st.booleans())
    def hand_on(self, name: str, other: str, keeps: bool, named: bool) -> None:
        what, call = "fork" if keeps else "handoff", SuccessorCall(agent=name, other=other)
        if name == other:
            self.refused(BadField, what, call)
        elif name not in self.agents:
            self.refused(UnknownAgent, what, call)
        elif other in self.agents:
            self.refused(SetExists, what, call)
        else:
            before = self.state(name)
            answer: SuccessorAnswer = self.send(what, call, named=named, moves=() if keeps else (other,))
            self.agents[other] = self.agents[name].successor(other, self.filling(name))
            self.moved.add(other)
            given = self.state(other)
            assert (answer.turn, answer.entries) == (given.turn, len(given.entries))
            assert (given.entries, given.ghosts) == (before.entries, before.ghosts)
            if keeps:
                self.moved.discard(name)
            else:
                del self.agents[name]

    @precondition(lambda self: sum(map(len, self.kept.values())) > 3)
    @rule(name=names)
    def forget(self, name: str) -> None:
        answer: ForgetAnswer = self.room.parts.succession.forget(self.room.parts.caller, name)
        assert answer.verified, answer.deleted
        counts = {deleted.what: deleted.count for deleted in answer.deleted}
        assert counts["records"] == len(self.kept.get(name, {}))
        self.agents.pop(name, None)
        self.kept.pop(name, None)
        self.forgotten.add(note_namespace(AgentId(name)))
        self.sent = [sent for sent in self.sent if sent.agent != name]

    def _pin(self, name: str, ref: Ref | None, call: PinCall, named: bool) -> PinAnswer:
        agent, before = self.agents.get(name) or Agent(name), self.state(name)
        answer: PinAnswer = self.send("pin", call, named=named)
        assert ref in (None, answer.pin.ref)
        if answer.over_budget is not None:
            ceiling = agent.budget or DEFAULT_BUDGET
            assert answer.over_budget.needed > ceiling
            assert (answer.moves, self.state(name)) == ((), before)
            return answer
        self.agents[name] = agent
        after = self.state(name)
        agent.pins[answer.pin.ref] = self._held(agent, call)
        self.took(agent, before, answer.moves, after)
        entry = after.entry(answer.pin.ref)
        assert entry is not None
        assert (entry.tier, entry.fidelity) == (Tier.PINNED, Fidelity.FULL)
        checks.within_budget(after)
        return answer

    def _held(self, agent: Agent, call: PinCall) -> Held:
        turns = call.expires_turns or (AGENT_PIN_TURNS if call.owner is PinOwner.AGENT else 0)
        return Held(
            owner=call.owner,
            text=call.text,
            last_turn=agent.turn + turns if turns else 0,
            epoch=agent.epoch if call.expires_with_epoch else None,
            until_seconds=self.now + call.expires_seconds if call.expires_seconds else 0,
            follows=call.follow_successor,
        )

    def _may_not_pin(self, name: str, ref: Ref, asked_for: Terms) -> bool:
        pins = self.agents[name].pins if name in self.agents else {}
        if asked_for.owner is PinOwner.HOST:
            return False
        others = [r for r, pin in pins.items() if pin.owner is PinOwner.AGENT and r != ref]
        return len(others) >= AGENT_PINS or (ref in pins and pins[ref].owner is PinOwner.HOST)

    def _pin_call(self, name: str, asked_for: Terms, ref: str = "", text: str = "") -> PinCall:
        return PinCall(
            agent=name,
            ref=ref,
            text=text,
            reason="law",
            expires_turns=asked_for.turns,
            owner=asked_for.owner,
            expires_with_epoch=asked_for.with_epoch,
            expires_seconds=asked_for.seconds,
            follow_successor=asked_for.follows,
        )


def _is_undone(wanted: dict[Ref, Tier], before: WorkingSet, undone: MovesAnswer, after: WorkingSet) -> None:
    """What was there is there again, as far as there is room; what came with the refocus left, unless it was used."""
    checks.within_budget(after)
    now, then = checks.tiers_of(before), checks.tiers_of(after)
    pressed = {move.ref for move in undone.moves if move.cause is Cause.PRESSURE}
    returns = {ref for ref, tier in wanted.items() if tier is not Tier.PINNED or ref in now}
    assert returns - set(then) <= pressed
    assert {ref for ref, tier in now.items() if tier is Tier.PINNED} <= set(then)
    for entry in before.entries:
        if entry.ref in then and entry.ref not in wanted and not checks.is_own(entry.ref):
            claimed = entry.uses or entry.reason == Cause.KEPT.value
            assert claimed or then[entry.ref] in (Tier.PINNED, Tier.MANDATORY), entry.ref


def _who_needs(state: WorkingSet, refs: tuple[Ref, ...]) -> set[Ref]:
    found = set(refs)
    while more := {e.ref for e in state.entries if e.ref not in found and any(e.needs(ref) for ref in found)}:
        found |= more
    return found - set(refs)


def _a_pin_needs(state: WorkingSet, refs: tuple[Ref, ...]) -> bool:
    tiers = checks.tiers_of(state)
    return any(tiers.get(ref) is Tier.PINNED for ref in {*refs, *_who_needs(state, refs)})
