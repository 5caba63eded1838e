"""Evict and ResetContext: what the host takes out, and a new epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workingset.errors import NotInSet, PinnedEntry
from workingset.rendering import one_line
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.settling import settle
from workingset.vocabulary import Epoch, Ref
from workingset.working_set import WorkingSet


@dataclass(frozen=True, slots=True)
class EvictOutcome:
    """The next state and every move, dependents before what they need."""

    state: WorkingSet
    moves: tuple[Move, ...]


def evict(state: WorkingSet, refs: Sequence[Ref], settings: WorkingSetSettings, reason: str = "") -> EvictOutcome:
    """Return the outcome of taking entries out; all of them or none. The host's reason stands in the moves and ghosts.

    Raises NotInSet for a ref without an entry, and PinnedEntry for a pinned one or one that a pin needs.
    """
    for ref in refs:
        _check(state, ref)
    draft = Draft(state, state.turn, settings)
    for ref in refs:
        if ref in draft.entries:
            draft.evict_with_dependents(ref, Cause.ASKED, one_line(reason))
    settle(draft)
    after = draft.between_turns(state)
    return EvictOutcome(after, tuple(draft.moves))


def reset_context(state: WorkingSet, reason: str = "") -> WorkingSet:
    """Return the set in a new epoch, in which nothing counts as delivered. Entries and heat stay.

    Pins that were to end with the epoch do so at the next Focus.
    """
    return replace(state, epoch=Epoch(state.epoch + 1), delivered=(), reset_reason=one_line(reason))


def _check(state: WorkingSet, ref: Ref) -> None:
    entry = state.entry(ref)
    if entry is None:
        raise NotInSet(ref)
    if entry.tier is Tier.PINNED:
        raise PinnedEntry(ref)
    needed, frontier = {ref}, [ref]
    while frontier:
        wanted = frontier.pop()
        for other in state.entries:
            if other.needs(wanted) and other.ref not in needed:
                if other.tier is Tier.PINNED:
                    raise PinnedEntry(other.ref)
                needed.add(other.ref)
                frontier.append(other.ref)
