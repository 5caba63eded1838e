"""Keeping: what the agent just said and saw gets a place among all else, the newest protected.

Each record of history enters as a resident, whole where it is short, else as an outline or one line, and is not asked
to leave for newcomers while it is new. What leaves stays in the store and has a ref that resolves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workingset.candidate import Candidate, Projection
from workingset.rendering import CountTokens
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.making_room import bound_entries, make_room
from workingset.transitions.records import entry_of
from workingset.transitions.settling import settle
from workingset.transitions.texts import NO_GOAL, Texts
from workingset.vocabulary import Fidelity, Ref, Turn
from workingset.working_set import WorkingSet


@dataclass(frozen=True, slots=True)
class KeepOutcome:
    """The next state and every move."""

    state: WorkingSet
    moves: tuple[Move, ...]


def keep(
    state: WorkingSet,
    records: Sequence[Candidate],
    protected_turns: int,
    settings: WorkingSetSettings,
    count: CountTokens,
) -> KeepOutcome:
    """Return the outcome of giving records of history a place, in the order given."""
    draft = Draft(state, state.turn, settings)
    texts = Texts(Projection(goal=NO_GOAL, cut=state.cut, known=tuple(records)), state.pins, count)
    ceiling = int(settings.packing.kept_share * state.budget)
    said = {pin.text for pin in state.pins if pin.has_words}
    for record in records:
        copy = record.renderings.full in said or _is_whole(draft, record.origin)
        fidelity = Fidelity.GIST if copy else _fidelity(draft, texts, record, ceiling)
        entry = draft.admit(record, Tier.RESIDENT, Cause.KEPT, fidelity)
        until = Turn(draft.turn + protected_turns)
        draft.update(replace(entry, protected_until=until, tokens=texts.tokens(entry, fidelity)))
    new = frozenset(record.ref for record in records)
    make_room(draft, texts, state.budget, new, settings)
    bound_entries(draft, new, settings)
    settle(draft)
    after = draft.between_turns(state)
    return KeepOutcome(after, tuple(draft.moves))


def _is_whole(draft: Draft, origin: str) -> bool:
    """True where the block holds what the record is a copy of."""
    entry = draft.entries.get(Ref(origin))
    return entry is not None and entry.has_text and entry.fidelity is Fidelity.FULL


def _fidelity(draft: Draft, texts: Texts, record: Candidate, ceiling: int) -> Fidelity:
    entry = entry_of(record, Tier.RESIDENT, Fidelity.FULL, draft.turn, 0)
    for fidelity in (Fidelity.FULL, Fidelity.OUTLINE):
        if texts.tokens(entry, fidelity) <= ceiling:
            return fidelity
    return Fidelity.GIST
