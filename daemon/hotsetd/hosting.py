"""Use cases of the host's authority and what ends it: Pin, Unpin, Evict, ResetContext, UndoRefocus, CloseRequest."""

from __future__ import annotations

from hotsetd import limits
from hotsetd.answers import CloseAnswer, MovesAnswer, PinAnswer, ResetAnswer
from hotsetd.calls import AgentCall, Caller, PinCall, RefsCall, ResetCall
from hotsetd.changing import Change, Changes, require
from hotsetd.clock import Clock
from hotsetd.codec import Codec
from hotsetd.config import Settings
from hotsetd.notes import note_namespace, note_record
from retrieval.errors import BadField, UnknownRef
from retrieval.project import Retrieval
from retrieval.record import Record
from retrieval.store.interface import Snapshot
from workingset.entry import PinOwner
from workingset.rendering import CountTokens
from workingset.transitions.leaving import evict, reset_context
from workingset.transitions.own_words import close_request
from workingset.transitions.pins import PinOrder, pin, unpin
from workingset.transitions.undoing import undo_refocus
from workingset.vocabulary import AgentId, Ref, Standing, Tokens
from workingset.working_set import WorkingSet


class Hosting:
    """What a host asks of a set beside its turns. Safe from any thread."""

    def __init__(
        self, retrieval: Retrieval, changes: Changes, count: CountTokens, clock: Clock, settings: Settings
    ) -> None:
        self._retrieval = retrieval
        self._changes = changes
        self._count = count
        self._clock = clock
        self._settings = settings

    def pin(self, caller: Caller, call: PinCall) -> tuple[PinAnswer, bool]:
        """Pin a record by ref, or words; words become a record of the agent's own namespace as well."""
        agent = self._agent(call.agent)
        if bool(call.ref) == bool(call.text):
            raise BadField("ref", "give either a ref or a text to pin")
        if call.expires_seconds < 0:
            raise BadField("expires_seconds", f"is {call.expires_seconds}: give seconds from now, or 0 for no end")
        reason = limits.reason(call.reason, self._settings.limits)
        note = self._note(agent, call)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[PinAnswer, Change]:
            ref = note.ref if note else limits.ref("ref", call.ref)
            held = [p.ref for p in state.pins if not p.text]
            wanted = held if note else [*held, ref]
            read = self._retrieval.read(txn, tuple(wanted), self._clock.now_seconds())
            removed = {known.ref for known in read.known if known.standing is Standing.REMOVED}
            if ref in read.missing or (ref in removed and state.pin(ref) is None):
                raise UnknownRef(ref)
            order = self._pin_order(call, ref, reason)
            ceiling = state.budget or Tokens(self._settings.limits.default_budget_tokens)
            records = (*read.support, *read.known)
            outcome = pin(state, order, records, ceiling, self._settings.working_set, self._count)
            entry = outcome.state.entry(ref)
            answer = PinAnswer(
                pin=outcome.pin,
                title=entry.title if entry else "",
                tokens=outcome.tokens,
                moves=outcome.moves,
                over_budget=outcome.over_budget,
            )
            return answer, Change(outcome.state, records=(note,) if note and not outcome.over_budget else ())

        return self._changes.apply(caller, agent, "pin", call, _PIN, decide)

    def unpin(self, caller: Caller, call: RefsCall) -> tuple[MovesAnswer, bool]:
        """End a pin."""
        agent = self._agent(call.agent)
        ref = limits.refs("ref", call.refs, self._settings.limits)[0]

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[MovesAnswer, Change]:
            del txn
            require(state)
            outcome = unpin(state, ref, self._settings.working_set)
            return MovesAnswer(moves=outcome.moves), Change(outcome.state)

        return self._changes.apply(caller, agent, "unpin", call, _MOVES, decide)

    def evict(self, caller: Caller, call: RefsCall) -> tuple[MovesAnswer, bool]:
        """Take entries out, dependents before what they need."""
        agent = self._agent(call.agent)
        refs = limits.refs("refs", call.refs, self._settings.limits)
        reason = limits.reason(call.reason, self._settings.limits)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[MovesAnswer, Change]:
            del txn
            require(state)
            outcome = evict(state, refs, self._settings.working_set, reason)
            return MovesAnswer(moves=outcome.moves), Change(outcome.state)

        return self._changes.apply(caller, agent, "evict", call, _MOVES, decide)

    def reset_context(self, caller: Caller, call: ResetCall) -> tuple[ResetAnswer, bool]:
        """Begin a new epoch."""
        agent = self._agent(call.agent)
        reason = limits.reason(call.reason, self._settings.limits)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[ResetAnswer, Change]:
            del txn
            require(state)
            after = reset_context(state, reason)
            return ResetAnswer(epoch=after.epoch), Change(after)

        return self._changes.apply(caller, agent, "reset", call, _RESET, decide)

    def undo_refocus(self, caller: Caller, call: AgentCall) -> tuple[MovesAnswer, bool]:
        """Take the last turn's refocus back."""
        agent = self._agent(call.agent)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[MovesAnswer, Change]:
            del txn
            require(state)
            outcome = undo_refocus(state, self._settings.working_set, self._count)
            return MovesAnswer(moves=outcome.moves), Change(outcome.state)

        return self._changes.apply(caller, agent, "undo", call, _MOVES, decide)

    def close_request(self, caller: Caller, call: AgentCall) -> tuple[CloseAnswer, bool]:
        """The user's request is done."""
        agent = self._agent(call.agent)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[CloseAnswer, Change]:
            del txn
            require(state)
            outcome = close_request(state, self._settings.working_set)
            return CloseAnswer(user_request=outcome.request, moves=outcome.moves), Change(outcome.state)

        return self._changes.apply(caller, agent, "close", call, _CLOSE, decide)

    def _pin_order(self, call: PinCall, ref: Ref, reason: str) -> PinOrder:
        return PinOrder(
            ref=ref,
            owner=call.owner,
            reason=reason,
            expires_turns=call.expires_turns,
            text=call.text,
            expires_with_epoch=call.expires_with_epoch,
            expires_at_seconds=self._clock.now_seconds() + call.expires_seconds if call.expires_seconds else 0,
            follow_successor=call.follow_successor,
        )

    def _note(self, agent: AgentId, call: PinCall) -> Record | None:
        if not call.text:
            return None
        words = limits.text("text", call.text)
        limit = self._settings.working_set.pins.text_bytes_limit
        if len(words.encode()) > limit:
            raise BadField("text", f"has more than {limit} bytes: ingest it as a record and pin its ref")
        return note_record(note_namespace(agent), words, call.owner is PinOwner.AGENT)

    def _agent(self, value: str) -> AgentId:
        return limits.agent_id(value, self._settings.limits)


_EARLIER = frozenset({1})
_PIN: Codec[PinAnswer] = Codec(PinAnswer, "a stored Pin answer", 2, _EARLIER)
_MOVES: Codec[MovesAnswer] = Codec(MovesAnswer, "a stored answer", 1)
_CLOSE: Codec[CloseAnswer] = Codec(CloseAnswer, "a stored answer", 1)
_RESET: Codec[ResetAnswer] = Codec(ResetAnswer, "a stored ResetContext answer", 1)
