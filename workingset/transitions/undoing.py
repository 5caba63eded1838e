"""UndoRefocus: what the last refocus took out returns, and what it brought in and nobody used leaves.

Offered until the next Focus. The goal stays the new one and drift is measured against it, so that the next turn does
not refocus again for the same reason; what the host received in between stays in the delivered ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workingset.candidate import Projection
from workingset.entry import GOAL_NAMESPACE, REQUEST_NAMESPACE, Entry
from workingset.errors import NothingToUndo
from workingset.rendering import CountTokens
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.making_room import make_room
from workingset.transitions.settling import settle
from workingset.transitions.texts import NO_GOAL, Texts
from workingset.vocabulary import Digest, Ref
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
    before = {e.ref: e for e in state.undo if e.namespace not in (GOAL_NAMESPACE, REQUEST_NAMESPACE)}
    lines = {ref for ref, entry in before.items() if entry.tier is Tier.FRONTIER_ONLY}
    for ref in sorted(lines):
        _restore(draft, before[ref])
    for ref in _came_with_it(state, draft, before):
        draft.evict(ref, Cause.UNDONE)
    for ref, entry in before.items():
        if entry.tier is not Tier.PINNED and ref not in lines:
            _restore(draft, entry)
    settle(draft)
    texts = Texts(Projection(goal=NO_GOAL, cut=state.cut), state.pins, count)
    make_room(draft, texts, state.budget, frozenset(), settings)
    settle(draft)
    after = replace(draft.between_turns(state), undo=None, situation=Digest(""))
    return UndoOutcome(after, tuple(draft.moves))


def _came_with_it(state: WorkingSet, draft: Draft, before: Mapping[Ref, Entry]) -> list[Ref]:
    """What the refocus brought in, nobody used since and nothing that stays needs; dependents before their needs."""
    stays = {
        entry.ref
        for entry in state.entries
        if entry.ref in before or entry.ref in draft.pins or entry.uses or entry.reason == Cause.KEPT.value
    }
    waiting = list(stays)
    while waiting:
        entry = draft.entries[waiting.pop()]
        # A line is no need that is met: whoever needs its text does not have it.
        there = [ref for ref in entry.requires if ref in draft.entries and draft.entries[ref].has_text]
        needed = [ref for ref in there if entry.needs(ref) and ref not in stays]
        stays.update(needed)
        waiting += needed
    goes = [entry for entry in state.entries if entry.ref not in stays]
    return [entry.ref for entry in sorted(goes, key=lambda e: (len(e.required_by), e.order))]


def _restore(draft: Draft, before: Entry) -> None:
    now = draft.entries.get(before.ref)
    tier = Tier.RESIDENT if before.tier is Tier.MANDATORY else before.tier
    if now is not None and (now.tier in (Tier.PINNED, Tier.MANDATORY) or now.tier is tier):
        warm = replace(now, heat=before.heat, heat_turn=before.heat_turn)
        same = now.tier is Tier.RESIDENT and (now.digest, now.freshness) == (before.digest, before.freshness)
        draft.update(replace(warm, fidelity=before.fidelity, tokens=before.tokens) if same else warm)
        return
    if now is not None and tier is Tier.FRONTIER_ONLY:
        draft.demote(before.ref, tier, Cause.UNDONE)
        draft.size(before.ref, before.tokens)
        return
    draft.readmit(replace(before, tier=tier), Cause.UNDONE)
