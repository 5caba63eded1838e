"""Who needs whom: what enters with a pin or a result, and which tier and closure follow from who is there."""

from __future__ import annotations

from collections.abc import Sequence

from workingset.candidate import Candidate
from workingset.copying import changed
from workingset.entry import Entry
from workingset.tier import Cause, Tier
from workingset.transitions.choosing import Chosen
from workingset.transitions.draft import Draft
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Freshness, Ref, Standing, SupportClosure

_HOLDS_WHOLE = (Tier.PINNED, Tier.MANDATORY)


def fixed_entries(draft: Draft, texts: Texts) -> list[Entry]:
    """Admit what pins need, and return everything that cannot be left out, with its size."""
    pinned = [ref for ref, entry in draft.entries.items() if entry.tier is Tier.PINNED]
    needed = dict.fromkeys(need for ref in pinned for need in texts.needs(ref))
    for ref in needed:
        _admit_needed(draft, texts, ref)
    fixed = [ref for ref, entry in draft.entries.items() if entry.tier is Tier.PINNED or ref in needed]
    for ref in fixed:
        draft.size(ref, texts.tokens(draft.entries[ref], Fidelity.FULL))
    return [draft.entries[ref] for ref in fixed]


def apply_choice(draft: Draft, texts: Texts, results: Sequence[Candidate], chosen: Chosen) -> None:
    """Write a choice into the draft: entries stay and newcomers enter, each after what it needs."""
    packed = chosen.packed
    there = [ref for ref in draft.entries if ref in packed.chosen or ref in chosen.staying]
    entering = chosen.staying.union(packed.needed)
    for ref in dict.fromkeys((*there, *(candidate.ref for candidate in results))):
        if ref in packed.chosen or ref in chosen.staying:
            for need in texts.needs(ref):
                if need in entering:
                    _admit_needed(draft, texts, need)
            if ref in packed.chosen:
                _admit_result(draft, texts, ref, packed.chosen[ref])
    for ref in (*packed.chosen, *packed.needed, *sorted(chosen.staying)):
        draft.size(ref, texts.tokens(draft.entries[ref], draft.entries[ref].fidelity))


def settle(draft: Draft) -> None:
    """Make tiers and closures follow from who is in the set.

    What something needs is mandatory, what nothing needs any more is resident, and what does not have all it needs
    beside it has a partial closure.
    """
    required_by: dict[Ref, list[Ref]] = {}
    for entry in draft.entries.values():
        for ref in entry.requires:
            if entry.needs(ref):
                required_by.setdefault(ref, []).append(entry.ref)
    for entry in list(draft.entries.values()):
        by = tuple(sorted(required_by.get(entry.ref, ())))
        if by != entry.required_by:
            draft.update(changed(entry, required_by=by))
        if entry.tier is Tier.MANDATORY and not by:
            draft.demote(entry.ref, Tier.RESIDENT, Cause.DEPENDENTS_LEFT)
        elif entry.tier is Tier.RESIDENT and by:
            draft.promote(entry.ref, Tier.MANDATORY, Cause.NEEDED)
    for entry in list(draft.entries.values()):
        if entry.requires or entry.unmet or entry.grounded != 1.0:
            _ground(draft, entry)


def _ground(draft: Draft, entry: Entry) -> None:
    """Write down which share of what the entry needs is there, and that its closure is partial where not all of it.

    A line promises nothing that would have to be there.
    """
    needs = len(entry.requires) + entry.unmet
    if entry.tier is Tier.FRONTIER_ONLY or not needs:
        closure, grounded = entry.closure, 1.0
    else:
        whole = [ref for ref in entry.requires if _is_whole(draft, ref)]
        fresh = sum(draft.entries[ref].freshness is not Freshness.STALE for ref in whole)
        closure = SupportClosure.PARTIAL if len(whole) < len(entry.requires) else entry.closure
        grounded = fresh / needs
    if (closure, grounded) != (entry.closure, entry.grounded):
        draft.update(changed(entry, closure=closure, grounded=grounded))


def _admit_needed(draft: Draft, texts: Texts, ref: Ref) -> None:
    """Make a needed record mandatory; one that is pinned, or mandatory already, stays as it is."""
    entry = draft.entries.get(ref)
    if entry is None or entry.tier not in _HOLDS_WHOLE:
        draft.admit(texts.candidates[ref], Tier.MANDATORY, Cause.NEEDED, Fidelity.FULL)


def _admit_result(draft: Draft, texts: Texts, ref: Ref, fidelity: Fidelity) -> None:
    entry = draft.entries.get(ref)
    if entry is None or entry.tier is Tier.FRONTIER_ONLY:
        draft.admit(texts.candidates[ref], Tier.RESIDENT, Cause.RESULT, fidelity)
    elif entry.fidelity is not fidelity:
        # One that was mandatory keeps its tier until those that needed it have left: `settle` sees to it.
        draft.update(changed(entry, fidelity=fidelity))


def _is_whole(draft: Draft, ref: Ref) -> bool:
    entry = draft.entries.get(ref)
    return (
        entry is not None
        and entry.tier in _HOLDS_WHOLE
        and entry.fidelity is Fidelity.FULL
        and entry.standing is Standing.CURRENT
    )
