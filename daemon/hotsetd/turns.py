"""Use cases on one agent's working set: read at a cut, decide purely, save under the claim, then answer.

A call that changes something is saved with its answer, and a Focus with its receipt, in one transaction or not at all,
and is answered only then. The caller serialises the calls of one agent (`hotsetd.queues`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xxhash import xxh3_128_hexdigest

from hotsetd import limits
from hotsetd.agents import Agents, Held
from hotsetd.answers import (
    CheckAnswer,
    Coverage,
    FocusAnswer,
    MovesAnswer,
    PinAnswer,
    ResetAnswer,
    StatusAnswer,
    TouchAnswer,
)
from hotsetd.calls import Caller, FocusCall, PinCall, RefsCall, Repeatable, ResetCall, TouchCall
from hotsetd.clock import Clock
from hotsetd.codec import RECEIPTS, WORKING_SETS, Codec
from hotsetd.config import Settings
from hotsetd.errors import UnknownAgent
from hotsetd.notes import note_namespace, note_record
from hotsetd.pages import UseReader
from hotsetd.repeats import answer_again, fingerprint, kept
from retrieval.deadline import Deadline
from retrieval.errors import BadField, ClaimLost, UnknownNamespace, UnknownRef
from retrieval.project import Query, Retrieval
from retrieval.record import Record
from retrieval.store.interface import Claim, Snapshot, Store, WriteTransaction
from workingset.candidate import Projection
from workingset.entry import PinOwner
from workingset.heat import heat_at
from workingset.receipt import Node, receipt_digest
from workingset.rendering import CountTokens
from workingset.tier import Tier
from workingset.transitions.focus import FocusOrder, FocusOutcome, focus
from workingset.transitions.leaving import evict, reset_context
from workingset.transitions.pins import PinOrder, pin, unpin
from workingset.transitions.touch import touch
from workingset.vocabulary import (
    AgentId,
    Digest,
    Generation,
    Namespace,
    SupportClosure,
    TenantId,
    Tokens,
    Turn,
)
from workingset.working_set import WorkingSet

T = TypeVar("T")
Settle = Callable[[TenantId, tuple[Namespace, ...], tuple[Namespace, Generation] | None, Deadline], None]
"""Waits for indexes that are nearly up to date; see `hotsetd.freshness`."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one call wants committed together with the next state."""

    state: WorkingSet
    receipt: Node | None = None
    records: tuple[Record, ...] = ()


class Turns:
    """The use cases of the Attention service. Safe from any thread."""

    def __init__(
        self,
        store: Store,
        retrieval: Retrieval,
        agents: Agents,
        count: CountTokens,
        clock: Clock,
        settings: Settings,
        settle: Settle,
    ) -> None:
        self._store = store
        self._retrieval = retrieval
        self._agents = agents
        self._count = count
        self._clock = clock
        self._settings = settings
        self._settle = settle

    def focus(self, caller: Caller, call: FocusCall, deadline: Deadline) -> tuple[FocusAnswer, bool]:
        """One turn; returns the answer and whether it was stored for an earlier call with the same request id."""
        agent, goal = self._agent(call.agent), limits.goal_text(call.goal, self._settings.limits)
        wanted = limits.namespaces(call.namespaces, self._settings.limits)
        self._settle(caller.tenant, wanted, limits.at_least(call.namespaces, call.at_least_generation), deadline)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[FocusAnswer, Change]:
            order = self._order(txn, call, state)
            started = self._clock.monotonic()
            projection = self._project(txn, goal, order.namespaces, state, deadline)
            projected = self._clock.monotonic()
            outcome = focus(state, projection, order, self._settings.working_set, self._count)
            decided = self._clock.monotonic()
            timings = (
                *projection.timings_ms,
                ("retrieval", (projected - started) * 1e3),
                ("decide", (decided - projected) * 1e3),
            )
            answer = FocusAnswer(
                outcome=outcome,
                coverage=_coverage(projection, outcome),
                receipt_digest=receipt_digest(outcome.receipt),
                timings_ms=timings,
            )
            deadline.check()
            return answer, Change(outcome.state, outcome.receipt)

        return self._change(caller, agent, "focus", call, _FOCUS, decide)

    def check(self, caller: Caller, call: FocusCall, deadline: Deadline) -> CheckAnswer:
        """The same evaluation without moving anything. An empty goal takes the current one."""
        agent = self._agent(call.agent)
        wanted = limits.namespaces(call.namespaces, self._settings.limits)
        self._settle(caller.tenant, wanted, None, deadline)
        with self._store.snapshot(caller.tenant) as txn:
            _, state = self._agents.load(txn, agent)
            goal = call.goal or (state.goal.text if state.goal else "")
            goal = limits.goal_text(goal, self._settings.limits)
            order = self._order(txn, call, state)
            projection = self._project(txn, goal, order.namespaces, state, deadline)
            outcome = focus(state, projection, order, self._settings.working_set, self._count)
        return CheckAnswer(
            state=state,
            evaluated=outcome.state,
            sufficiency=outcome.sufficiency,
            ignored=outcome.ignored,
            drift=outcome.drift,
            over_budget=outcome.over_budget,
            nothing=outcome.nothing,
            pin_reports=outcome.pin_reports,
            coverage=_coverage(projection, outcome),
        )

    def status(self, caller: Caller, agent_name: str) -> StatusAnswer:
        """The set as it stands."""
        agent = self._agent(agent_name)
        with self._store.snapshot(caller.tenant) as txn:
            state = self._known(txn, agent)[1]
            cut = txn.cut(namespace for namespace, _ in state.cut.generations)
        return StatusAnswer(state=state, state_digest=state_digest(state), cut=cut)

    def touch(self, caller: Caller, call: TouchCall) -> tuple[TouchAnswer, bool]:
        """Report uses; every ref must exist, a path that matches no record is reported as unmatched."""
        agent = self._agent(call.agent)
        if not call.uses:
            raise BadField("uses", "is empty: report at least one use")
        if len(call.uses) > self._settings.limits.uses:
            raise BadField("uses", f"{len(call.uses)} are more than {self._settings.limits.uses}: send several calls")

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[TouchAnswer, Change]:
            self._require(state)
            reader = UseReader(txn, self._retrieval, self._scope(txn, state.namespaces), self._clock.now_seconds())
            uses, unmatched = reader.read(call.uses)
            outcome = touch(state, [use for _, use in uses], self._settings.working_set, self._count)
            places = [place for place, _ in uses]
            answer = TouchAnswer(
                state=outcome.state,
                touched=tuple(zip(places, outcome.touched, strict=True)),
                unmatched=unmatched,
                moves=outcome.moves,
            )
            return answer, Change(outcome.state)

        return self._change(caller, agent, "touch", call, _TOUCH, decide)

    def pin(self, caller: Caller, call: PinCall) -> tuple[PinAnswer, bool]:
        """Pin a record by ref, or words; words become a record of the agent's own namespace as well."""
        agent = self._agent(call.agent)
        if bool(call.ref) == bool(call.text):
            raise BadField("ref", "give either a ref or a text to pin")
        reason = limits.reason(call.reason, self._settings.limits)
        note = self._note(agent, call)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[PinAnswer, Change]:
            ref = note.ref if note else limits.ref("ref", call.ref)
            held = [p.ref for p in state.pins if not p.text]
            wanted = held if note else [*held, ref]
            read = self._retrieval.read(txn, tuple(wanted), self._clock.now_seconds())
            if ref in read.missing:
                raise UnknownRef(ref)
            order = PinOrder(ref, call.owner, reason, call.expires_turns, call.text)
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

        return self._change(caller, agent, "pin", call, _PIN, decide)

    def unpin(self, caller: Caller, call: RefsCall) -> tuple[MovesAnswer, bool]:
        """End a pin."""
        agent = self._agent(call.agent)
        ref = limits.refs("ref", call.refs, self._settings.limits)[0]

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[MovesAnswer, Change]:
            del txn
            self._require(state)
            outcome = unpin(state, ref, self._settings.working_set)
            return MovesAnswer(moves=outcome.moves), Change(outcome.state)

        return self._change(caller, agent, "unpin", call, _MOVES, decide)

    def evict(self, caller: Caller, call: RefsCall) -> tuple[MovesAnswer, bool]:
        """Take entries out, dependents before what they need."""
        agent = self._agent(call.agent)
        refs = limits.refs("refs", call.refs, self._settings.limits)
        reason = limits.reason(call.reason, self._settings.limits)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[MovesAnswer, Change]:
            del txn
            self._require(state)
            outcome = evict(state, refs, self._settings.working_set, reason)
            return MovesAnswer(moves=outcome.moves), Change(outcome.state)

        return self._change(caller, agent, "evict", call, _MOVES, decide)

    def reset_context(self, caller: Caller, call: ResetCall) -> tuple[ResetAnswer, bool]:
        """Begin a new epoch."""
        agent = self._agent(call.agent)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[ResetAnswer, Change]:
            del txn
            self._require(state)
            after = reset_context(state)
            return ResetAnswer(epoch=after.epoch), Change(after)

        return self._change(caller, agent, "reset", call, _RESET, decide)

    def _change(
        self,
        caller: Caller,
        agent: AgentId,
        name: str,
        call: Repeatable,
        codec: Codec[T],
        decide: Callable[[Snapshot, WorkingSet], tuple[T, Change]],
    ) -> tuple[T, bool]:
        request = limits.request_id("request_id", call.request_id, self._settings.limits)
        key, mark = (f"{name}:{request}", fingerprint(call)) if request else ("", b"")
        for last_try in (False, True):
            with self._store.snapshot(caller.tenant) as txn:
                if key and (stored := txn.answered(agent, key)) is not None:
                    return codec.decode(answer_again(stored, mark)), True
                held = self._agents.load(txn, agent)
                answer, change = decide(txn, held[1])
            try:
                again = (key, kept(mark, codec.encode(answer))) if key else None
                self._commit(caller, agent, held, change, again)
            except ClaimLost:
                self._agents.drop(caller.tenant, agent)
                if last_try:
                    raise
                continue
            return answer, False
        raise AssertionError("the second try returns or raises")

    def _commit(
        self, caller: Caller, agent: AgentId, held: Held, change: Change, answer: tuple[str, bytes] | None
    ) -> None:
        encoded = WORKING_SETS.encode(change.state)
        receipt = RECEIPTS.encode(change.receipt) if change.receipt else None

        def job(txn: WriteTransaction) -> Claim:
            for record in change.records:
                txn.put_record(record)
            claim = txn.save_working_set(held[0], change.state.epoch, change.state.turn, encoded)
            if receipt is not None:
                txn.put_receipt(agent, change.state.turn, receipt)
            if answer is not None:
                txn.put_answer(agent, answer[0], answer[1], self._settings.limits.answers_kept)
            return claim

        claim = self._store.write(caller.tenant, job)
        self._agents.keep(caller.tenant, claim, change.state)

    def _order(self, txn: Snapshot, call: FocusCall, state: WorkingSet) -> FocusOrder:
        limits.profile(call.profile)
        wanted = limits.namespaces(call.namespaces, self._settings.limits)
        return FocusOrder(
            budget=limits.budget(call.budget_tokens, state.budget, self._settings.limits),
            top_k=limits.top_k(call.top_k, self._settings.working_set.packing),
            namespaces=self._scope(txn, wanted),
            received=Turn(call.received_turn) if call.received_turn else None,
        )

    def _scope(self, txn: Snapshot, wanted: Sequence[Namespace]) -> tuple[Namespace, ...]:
        there = txn.namespaces()
        for namespace in wanted:
            if namespace not in there:
                raise UnknownNamespace(namespace)
        return tuple(wanted) or tuple(name for name in there if not name.startswith(limits.AGENT_PREFIX))

    def _project(
        self, txn: Snapshot, goal: str, scope: tuple[Namespace, ...], state: WorkingSet, deadline: Deadline
    ) -> Projection:
        own_words = {p.ref for p in state.pins if p.text}
        known = tuple(entry.ref for entry in state.entries if entry.ref not in own_words)
        warm = sorted(
            (entry for entry in state.entries if entry.uses and entry.tier is not Tier.FRONTIER_ONLY),
            key=lambda entry: (-heat_at(entry, state.turn, self._settings.working_set.heat), entry.ref),
        )
        query = Query(goal, scope, known, tuple(entry.ref for entry in warm), self._clock.now_seconds())
        return self._retrieval.project(txn, query, deadline)

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

    def _known(self, txn: Snapshot, agent: AgentId) -> Held:
        held = self._agents.load(txn, agent)
        self._require(held[1])
        return held

    def _require(self, state: WorkingSet) -> None:
        if state == WorkingSet(state.agent):
            raise UnknownAgent(state.agent)


def state_digest(state: WorkingSet) -> Digest:
    """Return the digest of a set's encoded bytes: equal digests, equal sets."""
    return Digest(xxh3_128_hexdigest(WORKING_SETS.encode(state)))


def _coverage(projection: Projection, outcome: FocusOutcome) -> Coverage:
    own_words = {p.ref for p in outcome.state.pins if p.has_words}
    closures = {e.closure for e in outcome.state.entries if e.has_text and e.ref not in own_words}
    return Coverage(
        cut=projection.cut,
        lanes=projection.lanes,
        rejected=projection.rejected,
        entities=projection.entities,
        ranked=len(projection.ranked),
        origins=len({candidate.origin or candidate.ref for candidate in projection.ranked}),
        support=_weakest(closures),
        model_calls=projection.model_calls,
        embedding_calls=projection.embedding_calls,
    )


def _weakest(closures: set[SupportClosure]) -> SupportClosure:
    """The least that can be said of all of them; of nothing, nothing was asked."""
    for state in (SupportClosure.RESOURCE_LIMITED, SupportClosure.PARTIAL, SupportClosure.NOT_REQUESTED):
        if state in closures:
            return state
    return SupportClosure.CLOSED if closures else SupportClosure.NOT_REQUESTED


_FOCUS: Codec[FocusAnswer] = Codec(FocusAnswer, "a stored Focus answer", 1)
_TOUCH: Codec[TouchAnswer] = Codec(TouchAnswer, "a stored Touch answer", 1)
_PIN: Codec[PinAnswer] = Codec(PinAnswer, "a stored Pin answer", 1)
_MOVES: Codec[MovesAnswer] = Codec(MovesAnswer, "a stored answer", 1)
_RESET: Codec[ResetAnswer] = Codec(ResetAnswer, "a stored ResetContext answer", 1)
