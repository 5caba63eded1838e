"""Use cases Fork, Handoff and Forget: a set for another agent, the set itself to another agent, and no trace of one."""

from __future__ import annotations

from collections.abc import Iterable

from hotsetd import limits
from hotsetd.agents import Agents, Held
from hotsetd.answers import Deleted, ForgetAnswer, SuccessorAnswer
from hotsetd.calls import Caller, SuccessorCall
from hotsetd.changing import Change, Changes, require
from hotsetd.codec import Codec
from hotsetd.config import LimitSettings
from hotsetd.notes import note_namespace
from retrieval.errors import BadField
from retrieval.index.follower import IndexFollower
from retrieval.store.interface import Forgotten, Purged, Snapshot, Store, Traces, WriteTransaction
from retrieval.store.purging import finish_purges
from workingset.errors import SetExists
from workingset.transitions.succeeding import successor_of
from workingset.vocabulary import AgentId
from workingset.working_set import WorkingSet


class Succession:
    """What becomes of a set beyond its agent. Safe from any thread; the caller serialises the calls of each agent."""

    def __init__(
        self, store: Store, agents: Agents, changes: Changes, follower: IndexFollower, settings: LimitSettings
    ) -> None:
        self._store = store
        self._agents = agents
        self._changes = changes
        self._follower = follower
        self._settings = settings

    def fork(self, caller: Caller, call: SuccessorCall) -> tuple[SuccessorAnswer, bool]:
        """Give a new agent a set of its own, equal to this one; raises SetExists where it has one."""
        return self._give(caller, call, "fork", "child", keeps=True)

    def handoff(self, caller: Caller, call: SuccessorCall) -> tuple[SuccessorAnswer, bool]:
        """Give the set to a new agent and leave this one without; raises SetExists where it has one."""
        return self._give(caller, call, "handoff", "to", keeps=False)

    def forget(self, caller: Caller, agent_name: str) -> ForgetAnswer:
        """Delete the agent's set, receipts, stored answers and its own namespace, then look for what is left.

        An agent that nothing is known of answers with zeros: it is as forgotten as it can be.
        """
        agent = limits.agent_id(agent_name, self._settings)
        namespace = note_namespace(agent)

        def job(txn: WriteTransaction) -> tuple[Forgotten, Purged]:
            return txn.forget_agent(agent), txn.purge_namespace(namespace)

        forgotten, purged = self._store.write(caller.tenant, job)
        self._agents.drop(caller.tenant, agent)
        purged = finish_purges(self._store, caller.tenant, purged)
        self._follower.drop_purged()
        with self._store.snapshot(caller.tenant) as txn:
            left = [txn.traces_of_agent(agent), txn.traces_of_namespace(namespace)]
        left.append(self._follower.traces_of_namespace(caller.tenant, namespace))
        return ForgetAnswer(agent=agent, deleted=_deleted(forgotten, purged, left))

    def _give(
        self, caller: Caller, call: SuccessorCall, name: str, field: str, *, keeps: bool
    ) -> tuple[SuccessorAnswer, bool]:
        agent = limits.agent_id(call.agent, self._settings)
        other = limits.agent_id(call.other, self._settings)
        if other == agent:
            raise BadField(field, f"is {other!r} itself: name another agent")

        def decide(txn: Snapshot, state: WorkingSet) -> tuple[SuccessorAnswer, Change]:
            require(state)
            held = self._without_set(txn, other, field)
            given = successor_of(state, other, txn.incarnation(note_namespace(agent)))
            answer = SuccessorAnswer(agent=agent, other=other, turn=given.turn, entries=len(given.entries))
            return answer, Change(state if keeps else None, given=(held[0], given))

        return self._changes.apply(caller, agent, name, call, _SUCCESSOR, decide)

    def _without_set(self, txn: Snapshot, agent: AgentId, field: str) -> Held:
        held = self._agents.load(txn, agent)
        if held[1] != WorkingSet(agent):
            raise SetExists(agent, field)
        return held


def _deleted(forgotten: Forgotten, purged: Purged, left: Iterable[Traces]) -> tuple[Deleted, ...]:
    counts = {
        "sets": forgotten.sets,
        "receipts": forgotten.receipts,
        "answers": forgotten.answers,
        "retained": forgotten.retained,
        "records": purged.records,
        "versions": purged.versions,
        "edges": purged.edges + purged.past_edges,
        "names": purged.names,
        "changes": purged.changes,
        "vectors": purged.vectors,
        "marks": purged.marks,
    }
    deleted = [Deleted(what=what, count=count, left=0) for what, count in counts.items()]
    found = [Deleted(what=place, count=0, left=rows) for traces in left for place, rows in traces.found]
    return (*deleted, *found)


_SUCCESSOR: Codec[SuccessorAnswer] = Codec(SuccessorAnswer, "a stored answer", 1)
