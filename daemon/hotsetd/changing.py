"""How a call changes an agent's set: read at one cut, decide purely, save under the claim, then answer.

A change is saved with its answer, and a Focus with its receipt, in one transaction or not at all, and is answered only
then. A call sent again under its id is answered again and not applied again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hotsetd import limits
from hotsetd.agents import Agents, Held
from hotsetd.calls import Caller, Repeatable
from hotsetd.codec import RECEIPTS, WORKING_SETS, Codec
from hotsetd.config import LimitSettings
from hotsetd.errors import UnknownAgent
from hotsetd.repeats import answer_again, fingerprint, kept
from hotsetd.retaining import Decided, row_of
from retrieval.errors import ClaimLost
from retrieval.record import Edge, Record
from retrieval.store.interface import Claim, Snapshot, Store, WriteTransaction
from workingset.receipt import Node
from workingset.vocabulary import AgentId, Ref, TenantId
from workingset.working_set import WorkingSet

T = TypeVar("T")

Hold = Callable[[TenantId, str, Sequence[Ref]], None]
"""Is told what a set holds now: `retrieval.index.follower.IndexFollower.hold`."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one call wants committed together with the next state; None takes the set away.

    `decided` is what the turn was decided from, by `hotsetd.retaining`. `given` is a set for another agent, and the
    claim that it has now; edges whose ends are gone are left out.
    """

    state: WorkingSet | None
    receipt: Node | None = None
    decided: Decided | None = None
    records: tuple[Record, ...] = ()
    edges: tuple[Edge, ...] = ()
    given: Held | None = None


class Changes:
    """Applies calls to the sets of agents. Safe from any thread; the caller serialises the calls of one agent."""

    def __init__(self, store: Store, agents: Agents, settings: LimitSettings, hold: Hold, kept_turns: int = 0) -> None:
        """`hold` is told of every set that was saved; of so many turns it is kept what they were decided from."""
        self._kept_turns = kept_turns
        self._hold = hold
        self._store = store
        self._agents = agents
        self._settings = settings

    def apply(
        self,
        caller: Caller,
        agent: AgentId,
        name: str,
        call: Repeatable,
        codec: Codec[T],
        decide: Callable[[Snapshot, WorkingSet], tuple[T, Change]],
    ) -> tuple[T, bool]:
        """Return the answer and whether it was stored for an earlier call with the same request id.

        Where the claim was lost to another writer the call is decided once more; raises ClaimLost after that.
        """
        key, mark = self._named(name, call)
        for last_try in (False, True):
            with self._store.snapshot(caller.tenant) as txn:
                if (stored := _stored(txn, agent, key, mark, codec)) is not None:
                    return stored, True
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

    def answered(self, caller: Caller, agent: AgentId, name: str, call: Repeatable, codec: Codec[T]) -> T | None:
        """The answer stored for an earlier call with the same request id, as `apply` would return it; None where there
        is none yet. Raises BadField where the id was another call's."""
        key, mark = self._named(name, call)
        if not key:
            return None
        with self._store.snapshot(caller.tenant) as txn:
            return _stored(txn, agent, key, mark, codec)

    def _named(self, name: str, call: Repeatable) -> tuple[str, bytes]:
        """What the call's answer is stored under, and the call's fingerprint; empty where it cannot be repeated."""
        request = limits.request_id("request_id", call.request_id, self._settings)
        return (f"{name}:{request}", fingerprint(call)) if request else ("", b"")

    def _commit(
        self, caller: Caller, agent: AgentId, held: Held, change: Change, answer: tuple[str, bytes] | None
    ) -> None:
        held_after = [(held[0], change.state)] if change.state else []
        sets = [*held_after, *([change.given] if change.given else [])]
        encoded = [(claim, state, WORKING_SETS.encode(state)) for claim, state in sets]
        receipt = RECEIPTS.encode(change.receipt) if change.receipt else None

        def job(txn: WriteTransaction) -> list[Claim]:
            before = txn.working_set(agent) if change.decided is not None else None
            for record in change.records:
                txn.put_record(record)
            for edge in change.edges:
                if _live(txn, edge):
                    txn.put_edge(edge)
            if change.state is None:
                txn.drop_working_set(held[0])
            claims = [txn.save_working_set(claim, state.epoch, state.turn, row) for claim, state, row in encoded]
            if receipt is not None:
                txn.put_receipt(agent, claims[0].turn, receipt)
            if change.decided is not None:
                row = row_of(before.encoded if before else b"", encoded[0][2], change.decided)
                txn.put_retained(agent, claims[0].turn, row, self._kept_turns)
            if answer is not None:
                txn.put_answer(agent, answer[0], answer[1], self._settings.answers_kept)
            return claims

        claims = self._store.write(caller.tenant, job)
        if change.state is None:
            self._agents.drop(caller.tenant, agent)
        for claim, (_, state) in zip(claims, sets, strict=True):
            self._agents.keep(caller.tenant, claim, state)
            self._hold(caller.tenant, state.agent, _latest(state))


def _stored(txn: Snapshot, agent: AgentId, key: str, mark: bytes, codec: Codec[T]) -> T | None:
    stored = txn.answered(agent, key) if key else None
    return None if stored is None else codec.decode(answer_again(stored, mark))


def require(state: WorkingSet) -> None:
    """Raise UnknownAgent where the agent has no set."""
    if state == WorkingSet(state.agent):
        raise UnknownAgent(state.agent)


def _latest(state: WorkingSet) -> list[Ref]:
    """What the set holds whole or in part, what was used or admitted last first."""
    entries = sorted((e for e in state.entries if e.has_text), key=lambda entry: (-entry.touched_at, entry.ref))
    return [entry.ref for entry in entries]


def _live(txn: WriteTransaction, edge: Edge) -> bool:
    ends = (txn.record(edge.source), txn.record(edge.target))
    return all(record is not None and not record.removed for record in ends)
