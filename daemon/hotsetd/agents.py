"""The cache of hot agents: working sets in memory over the store, each with the claim it stands at.

The store is the truth: a set is cached only once it was committed, and dropped where a claim was lost. Bounded; the
agent that was asked longest ago goes first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from hotsetd.codec import WORKING_SETS
from retrieval.store.interface import Claim, Snapshot
from workingset.vocabulary import AgentId, Epoch, TenantId, Turn
from workingset.working_set import WorkingSet

Held = tuple[Claim, WorkingSet]


class Agents:
    """Working sets by tenant and agent. Safe from any thread; one agent's transitions are serialised by the caller."""

    def __init__(self, hot_agents: int) -> None:
        self._hot_agents = hot_agents
        self._held: OrderedDict[tuple[TenantId, AgentId], Held] = OrderedDict()
        self._guard = threading.Lock()

    def load(self, txn: Snapshot, agent: AgentId) -> Held:
        """Return the agent's set and claim; an agent never seen has an empty set at revision 0."""
        with self._guard:
            held = self._held.get((txn.tenant, agent))
            if held is not None:
                self._held.move_to_end((txn.tenant, agent))
                return held
        stored = txn.working_set(agent)
        if stored is None:
            return Claim(agent, Epoch(0), Turn(0), 0), WorkingSet(agent)
        held = (stored.claim, WORKING_SETS.decode(stored.encoded))
        self.keep(txn.tenant, *held)
        return held

    def keep(self, tenant: TenantId, claim: Claim, state: WorkingSet) -> None:
        """Remember a committed set, unless a later one is remembered: readers may come late with an older one."""
        with self._guard:
            held = self._held.get((tenant, claim.agent))
            if held is not None and held[0].revision > claim.revision:
                return
            self._held[(tenant, claim.agent)] = (claim, state)
            self._held.move_to_end((tenant, claim.agent))
            while len(self._held) > self._hot_agents:
                self._held.popitem(last=False)

    def drop(self, tenant: TenantId, agent: AgentId) -> None:
        """Forget what is in memory; the store still has it."""
        with self._guard:
            self._held.pop((tenant, agent), None)

    def __len__(self) -> int:
        return len(self._held)
