"""UndoRefocus: what the last refocus took out returns, and what it brought in leaves.

Offered until the next Focus. The goal stays the new one and drift is measured against it, so that the next turn does
not refocus again for the same reason; what the host received in between stays in the delivered ledger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from workingset.candidate import Projection
from workingset.entry import REQUEST_NAMESPACE, Entry
from workingset.errors import NothingToUndo
from workingset.rendering import CountTokens
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.making_room import make_room
from workingset.transitions.settling import settle
from workingset.transitions.texts import NO_GOAL, Texts
from workingset.vocabulary import Digest
from workingset.working_set import WorkingSet


@dataclass(frozen=True, slots=True)
class UndoOutcome:
    """The next state and every move."""

    state: WorkingSet
    moves: tuple[Move, ...]


def undo_refocus(state: WorkingSet, settings: WorkingSetSettings, count: CountTokens) -> UndoOutcome:
    """Return the outcome of taking the last turn's refocus back; raises NothingToUndo where it was none."""
    if state.undo is None:
        raise NothingToUndo(state.agent)
    draft = Draft(state, state.turn, settings)
    before = {e.ref: e for e in state.undo if e.tier is not Tier.PINNED and e.namespace != REQUEST_NAMESPACE}
    for entry in sorted(state.entries, key=lambda e: (len(e.required_by), e.order)):
        if entry.ref not in before and entry.tier is not Tier.PINNED and entry.ref not in draft.pins:
            draft.evict(entry.ref, Cause.UNDONE)
    for entry in before.values():
        _restore(draft, entry)
    settle(draft)
    texts = Texts(Projection(goal=NO_GOAL, cut=state.cut), state.pins, count)
    make_room(draft, texts, state.budget, frozenset(), settings)
    settle(draft)
    after = replace(draft.into(state), undo=None, situation=Digest(""), between=(*state.between, *draft.moves))
    return UndoOutcome(after, tuple(draft.moves))


def _restore(draft: Draft, before: Entry) -> None:
    now = draft.entries.get(before.ref)
    tier = Tier.RESIDENT if before.tier is Tier.MANDATORY else before.tier
    if now is not None and (now.tier in (Tier.PINNED, Tier.MANDATORY) or now.tier is tier):
        warm = replace(now, heat=before.heat, heat_turn=before.heat_turn)
        same = now.tier is Tier.RESIDENT and now.digest == before.digest
        draft.update(replace(warm, fidelity=before.fidelity, tokens=before.tokens) if same else warm)
        return
    if now is not None and tier is Tier.FRONTIER_ONLY:
        draft.demote(before.ref, tier, Cause.UNDONE)
        return
    draft.readmit(replace(before, tier=tier), Cause.UNDONE)
