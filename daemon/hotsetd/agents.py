"""The cache of hot agents: working sets in memory over the store, each with the claim it stands at.

The store is the truth: what it says is read at every load, and only decoding is saved. A set is cached once it was
committed or read; the agent that was asked longest ago goes first where there are too many sets, or too large ones.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from hotsetd.codec import WORKING_SETS
from retrieval.store.interface import Claim, Snapshot
from workingset.vocabulary import AgentId, Epoch, TenantId, Turn
from workingset.working_set import WorkingSet

Held = tuple[Claim, WorkingSet]

_SET_BYTES = 4_096
_ENTRY_BYTES = 1_024
_SMALL_PART_BYTES = 384
_NUMBER_BYTES = 32


def bytes_in_memory(state: WorkingSet) -> int:
    """Roughly what a decoded set takes: measured 941 bytes an entry, 348 a ghost, 262 a line of the ledger, 32 a number
    of the baseline's vector."""
    entries = len(state.entries) + len(state.undo or ())
    small = len(state.ghosts) + len(state.delivered) + len(state.pins) + len(state.between)
    small += sum(len(queue) for _, queue in state.memory.queues)
    words = sum(len(pin.text) for pin in state.pins) + sum(len(term) for term in state.baseline.terms)
    numbers = len(state.baseline.vector)
    return _SET_BYTES + entries * _ENTRY_BYTES + small * _SMALL_PART_BYTES + numbers * _NUMBER_BYTES + words


class Agents:
    """Working sets by tenant and agent. Safe from any thread; one agent's transitions are serialised by the caller."""

    def __init__(self, hot_agents: int, hot_bytes: int) -> None:
        """At most so many sets, and so many bytes of them by `bytes_in_memory`."""
        self._hot_agents = hot_agents
        self._hot_bytes = hot_bytes
        self._held: OrderedDict[tuple[TenantId, AgentId], Held] = OrderedDict()
        self._bytes = 0
        self._guard = threading.Lock()

    def load(self, txn: Snapshot, agent: AgentId) -> Held:
        """Return the agent's set and claim as the snapshot has them; without one, an empty set at revision 0."""
        key = (txn.tenant, agent)
        stored = txn.working_set(agent)
        if stored is None:
            self.drop(*key)
            return Claim(agent, Epoch(0), Turn(0), 0), WorkingSet(agent)
        with self._guard:
            held = self._held.get(key)
            if held is not None and held[0] == stored.claim:
                self._held.move_to_end(key)
                return held
        loaded = (stored.claim, WORKING_SETS.decode(stored.encoded))
        self.keep(txn.tenant, *loaded)
        return loaded

    def keep(self, tenant: TenantId, claim: Claim, state: WorkingSet) -> None:
        """Remember a committed set, unless a later one is remembered: readers may come late with an older one."""
        key = (tenant, claim.agent)
        with self._guard:
            held = self._held.get(key)
            if held is not None and held[0].revision > claim.revision:
                return
            self._let_go(key)
            self._held[key] = (claim, state)
            self._bytes += bytes_in_memory(state)
            while len(self._held) > self._hot_agents or self._bytes > self._hot_bytes:
                self._let_go(next(iter(self._held)))

    def drop(self, tenant: TenantId, agent: AgentId) -> None:
        """Forget what is in memory, such as after the store forgot it or a claim was lost."""
        with self._guard:
            self._let_go((tenant, agent))

    @property
    def bytes_held(self) -> int:
        """What the hot sets take, by `bytes_in_memory`."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._held)

    def _let_go(self, key: tuple[TenantId, AgentId]) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            self._bytes -= bytes_in_memory(held[1])
