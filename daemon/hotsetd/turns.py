"""Use cases on one agent's working set: read at a cut, decide purely, save under the claim, then answer.

A call that changes something is saved with its answer, and a Focus with its receipt, in one transaction or not at all,
and is answered only then. The caller serialises the calls of one agent (`hotsetd.queues`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xxhash import xxh3_128_hexdigest

from hotsetd import limits
from hotsetd.agents import Agents, Held
from hotsetd.answers import (
    CheckAnswer,
    Coverage,
    FocusAnswer,
    StatusAnswer,
    TouchAnswer,
)
from hotsetd.calls import Caller, FocusCall, TouchCall
from hotsetd.changing import Change, Changes, require
from hotsetd.clock import Clock
from hotsetd.codec import WORKING_SETS, Codec
from hotsetd.config import Settings
from hotsetd.host_hints import HostHints
from hotsetd.retaining import Retaining
from hotsetd.scopes import scope_of
from hotsetd.source_reports import Unsettled, sources_outcome
from hotsetd.standing import successors
from hotsetd.touching import Touching
from retrieval.deadline import Deadline
from retrieval.hints import Hints
from retrieval.obligations.profile import AttentionProfile
from retrieval.obligations.profiles import profiles
from retrieval.project import Query, Retrieval
from retrieval.store.interface import Snapshot, Store
from workingset.candidate import LaneOutcome, Projection
from workingset.heat import heat_at
from workingset.receipt import receipt_digest
from workingset.rendering import CountTokens
from workingset.tier import Tier
from workingset.transitions.focus import FocusOrder, FocusOutcome, focus
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

Settle = Callable[[TenantId, tuple[Namespace, ...], tuple[Namespace, Generation] | None, Deadline], Sequence[Unsettled]]
"""Waits for sources and indexes that are nearly up to date, and returns the sources that are not; see
`hotsetd.freshness`."""


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What was found before the cut: hints, and what is to be said of sources of which something may be missing."""

    hints: tuple[Hints, ...]
    sources: tuple[LaneOutcome, ...]


class Turns:
    """The use cases of the Attention service. Safe from any thread."""

    def __init__(
        self,
        store: Store,
        retrieval: Retrieval,
        agents: Agents,
        changes: Changes,
        count: CountTokens,
        clock: Clock,
        settings: Settings,
        settle: Settle,
        host: HostHints,
        retaining: Retaining,
    ) -> None:
        self._store = store
        self._retrieval = retrieval
        self._agents = agents
        self._changes = changes
        self._count = count
        self._clock = clock
        self._settings = settings
        self._settle = settle
        self._host = host
        self._retaining = retaining
        self._profiles = profiles(settings.profiles)
        self._touching = Touching(retrieval, count, clock, settings)

    def focus(self, caller: Caller, call: FocusCall, deadline: Deadline) -> tuple[FocusAnswer, bool]:
        """One turn; returns the answer and whether it was stored for an earlier call with the same request id."""
        agent, goal = self._agent(call.agent), limits.goal_text(call.goal, self._settings.limits)
        profile = limits.profile(call.profile, self._profiles)
        at_least = limits.at_least(call.namespaces, call.at_least_generation)
        sent = self._checked(call)
        if (stored := self._changes.answered(caller, agent, "focus", call, _FOCUS)) is not None:
            return stored, True
        gathered = self._gathered(caller, call, sent, at_least, deadline)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[FocusAnswer, Change]:
            order = self._order(txn, call, state)
            started = self._clock.monotonic()
            projection = self._project(txn, goal, order.namespaces, state, gathered, profile, deadline)
            projected = self._clock.monotonic()
            outcome = focus(state, projection, order, self._settings.working_set, self._count)
            decided = self._clock.monotonic()
            timings = (
                *projection.timings_ms,
                ("retrieval", (projected - started) * 1e3),
                ("decide", (decided - projected) * 1e3),
            )
            digest = receipt_digest(outcome.receipt)
            answer = FocusAnswer(
                outcome=outcome,
                coverage=_coverage(projection, outcome),
                receipt_digest=digest,
                timings_ms=timings,
            )
            deadline.check()
            inputs = self._retaining.encode(order, projection, digest) if self._settings.replay.kept_turns else None
            return answer, Change(outcome.state, outcome.receipt, inputs)

        return self._changes.apply(caller, agent, "focus", call, _FOCUS, decide)

    def check(self, caller: Caller, call: FocusCall, deadline: Deadline) -> CheckAnswer:
        """The same evaluation without moving anything. An empty goal takes the current one."""
        agent, profile = self._agent(call.agent), limits.profile(call.profile, self._profiles)
        gathered = self._gathered(caller, call, self._checked(call), None, deadline)
        with self._store.snapshot(caller.tenant) as txn:
            _, state = self._agents.load(txn, agent)
            goal = call.goal or (state.goal.text if state.goal else "")
            goal = limits.goal_text(goal, self._settings.limits)
            order = self._order(txn, call, state)
            projection = self._project(txn, goal, order.namespaces, state, gathered, profile, deadline)
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
        """Report uses, and what the agent did; every ref must exist, a path that matches no record is unmatched."""
        agent = self._agent(call.agent)
        self._touching.check(call)

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[TouchAnswer, Change]:
            require(state)
            return self._touching.decide(txn, state, call)

        return self._changes.apply(caller, agent, "touch", call, _TOUCH, decide)

    def _checked(self, call: FocusCall) -> Hints:
        """Check what does not hang on the store before anything is waited for; returns the hints of the host."""
        limits.namespaces(call.namespaces, self._settings.limits)
        limits.budget(call.budget_tokens, Tokens(0), self._settings.limits)
        limits.top_k(call.top_k, self._settings.working_set.packing)
        limits.user_request(call.user_request, self._settings.limits)
        return limits.hints(call.hints, self._settings.limits, self._settings.repository)

    def _gathered(
        self,
        caller: Caller,
        call: FocusCall,
        sent: Hints,
        at_least: tuple[Namespace, Generation] | None,
        deadline: Deadline,
    ) -> _Gathered:
        """Look at work trees while followed files are taken in and indexed: all bounded in time."""
        wanted = limits.namespaces(call.namespaces, self._settings.limits)
        asked = self._host.begin(caller.tenant, wanted)
        unsettled = self._settle(caller.tenant, wanted, at_least, deadline)
        return _Gathered(self._host.hints(asked, sent), sources_outcome(unsettled))

    def _order(self, txn: Snapshot, call: FocusCall, state: WorkingSet) -> FocusOrder:
        wanted = limits.namespaces(call.namespaces, self._settings.limits)
        return FocusOrder(
            budget=limits.budget(call.budget_tokens, state.budget, self._settings.limits),
            top_k=limits.top_k(call.top_k, self._settings.working_set.packing),
            namespaces=scope_of(txn, wanted, state),
            received=Turn(call.received_turn) if call.received_turn else None,
            user_request=limits.user_request(call.user_request, self._settings.limits),
            page_in=call.page_in,
            now_seconds=self._clock.now_seconds(),
        )

    def _project(
        self,
        txn: Snapshot,
        goal: str,
        scope: tuple[Namespace, ...],
        state: WorkingSet,
        gathered: _Gathered,
        profile: AttentionProfile,
        deadline: Deadline,
    ) -> Projection:
        own_words = {p.ref for p in state.pins if p.has_words}
        known = tuple(entry.ref for entry in state.entries if entry.ref not in own_words)
        known += successors(txn, [pin.ref for pin in state.pins if pin.follow_successor])
        warm = sorted(
            (entry for entry in state.entries if entry.uses and entry.tier is not Tier.FRONTIER_ONLY),
            key=lambda entry: (-heat_at(entry, state.turn, self._settings.working_set.heat), entry.ref),
        )
        heated = tuple(entry.ref for entry in warm)
        query = Query(goal, scope, known, heated, self._clock.now_seconds(), gathered.hints, profile)
        projection = self._retrieval.project(txn, query, deadline)
        return replace(projection, lanes=(*projection.lanes, *gathered.sources))

    def _agent(self, value: str) -> AgentId:
        return limits.agent_id(value, self._settings.limits)

    def _known(self, txn: Snapshot, agent: AgentId) -> Held:
        held = self._agents.load(txn, agent)
        require(held[1])
        return held


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
        profile=projection.profile,
        obligations=projection.obligations,
        opposition=projection.opposition,
        robustness=projection.robustness,
        disagreement=projection.disagreement,
        opposed=tuple((c.ref, c.opposed_by) for c in projection.ranked if c.opposed_by),
        architecture=projection.architecture,
    )


def _weakest(closures: set[SupportClosure]) -> SupportClosure:
    """The least that can be said of all of them; of nothing, nothing was asked."""
    for state in (SupportClosure.RESOURCE_LIMITED, SupportClosure.PARTIAL, SupportClosure.NOT_REQUESTED):
        if state in closures:
            return state
    return SupportClosure.CLOSED if closures else SupportClosure.NOT_REQUESTED


_EARLIER = frozenset({1})
_FOCUS: Codec[FocusAnswer] = Codec(FocusAnswer, "a stored Focus answer", 3, frozenset({1, 2}))
_TOUCH: Codec[TouchAnswer] = Codec(TouchAnswer, "a stored Touch answer", 2, _EARLIER)
