"""Fork and Handoff: a set for another agent, made of this one's.

Both share what is immutable: a fork is a second value over the same entries, and each goes its own way by the
transitions that follow, over the same records. Nothing was delivered to the new agent's context yet, so its ledger
begins empty; heat, pins, goal, open request and the activity clock go with it. The new agent may read the words of the
one it comes from.
"""

from __future__ import annotations

from dataclasses import replace

from workingset.vocabulary import AgentId, Digest, Epoch, Tokens, Turn
from workingset.working_set import Ancestor, WorkingSet


def successor_of(state: WorkingSet, agent: AgentId, incarnation: int) -> WorkingSet:
    """Return the set as another agent's, in that agent's first epoch; a history of its own begins with it.

    `incarnation` names the filling of the namespace of the agent that the set comes from.
    """
    nearest = Ancestor(state.agent, incarnation)
    pins = tuple(pin if pin.epoch is None else replace(pin, epoch=Epoch(0)) for pin in state.pins)
    return replace(
        state,
        agent=agent,
        pins=pins,
        epoch=Epoch(0),
        delivered=(),
        delivered_turn=Turn(0),
        block_tokens=Tokens(0),
        situation=Digest(""),
        last_receipt="",
        undo=None,
        between=(),
        between_dropped=0,
        ancestors=(nearest, *(ancestor for ancestor in state.ancestors if ancestor != nearest)),
        reset_reason="",
        history_count=0,
        history_last=None,
    )
