"""Making room between turns: a set that was touched is brought back under its budget at once, not at the next Focus.

Lines of reference give way first, then residents in the eviction policy's order. Of what went, the last keeps a line
where there is room for one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workingset.entry import Entry
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.records import is_new_history
from workingset.transitions.settling import settle
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Ref, Tokens


def make_room(
    draft: Draft, texts: Texts, budget: Tokens, just_used: frozenset[Ref], settings: WorkingSetSettings
) -> None:
    """Bring the sizes of all entries to the budget or below, as far as residents can; a budget of 0 binds nothing."""
    short = short_of(draft, budget)
    if short <= 0:
        return
    for line in _lines(draft):
        if short <= 0:
            return
        draft.evict(line.ref, Cause.PRESSURE)
        short -= line.tokens
    batch = int(settings.eviction.batch_share * budget)
    while short > 0 and residents_of(draft):
        _let_go(draft, texts, short, batch, just_used, settings)
        # What only they needed is resident from here on, and may go as well.
        settle(draft)
        short, batch = short_of(draft, budget), 0


def short_of(draft: Draft, budget: Tokens) -> int:
    """Return how many tokens the entries are above a budget; below 0 where there is room left."""
    return sum(entry.tokens for entry in draft.entries.values()) - budget if budget else 0


def _lines(draft: Draft) -> list[Entry]:
    lines = [entry for entry in draft.entries.values() if entry.tier is Tier.FRONTIER_ONLY]
    return sorted(lines, key=lambda entry: entry.order)


def bound_entries(draft: Draft, just_used: frozenset[Ref], settings: WorkingSetSettings) -> None:
    """Evict residents beyond the limit of entries, one counting as much as another."""
    excess = len(draft.entries) - settings.packing.entries_limit
    if excess > 0:
        for ref in _first_to_go(draft, Tokens(excess), just_used, lambda entry: replace(entry, tokens=Tokens(1))):
            draft.evict(ref, Cause.PRESSURE, "more entries than the set may hold")


def residents_of(draft: Draft) -> list[Entry]:
    """Return the entries that pressure may reach."""
    return [entry for entry in draft.entries.values() if entry.tier is Tier.RESIDENT]


def _first_to_go(draft: Draft, needed: Tokens, just_used: frozenset[Ref], sized: Callable[[Entry], Entry]) -> list[Ref]:
    """Residents by the policy, then new history, the oldest first, and what was just used last of all."""
    residents = {entry.ref: sized(entry) for entry in residents_of(draft)}
    new = {ref for ref, entry in residents.items() if is_new_history(entry, draft.turn)}
    only_used_is_old = residents.keys() - new <= just_used
    spared = just_used if draft.forces_admission or only_used_is_old else frozenset[Ref]()
    new -= spared
    others = [entry for ref, entry in residents.items() if ref not in spared and ref not in new]
    chosen = draft.victims(others, needed)
    left = needed - sum(residents[ref].tokens for ref in chosen)
    for ref in sorted(new, key=lambda ref: residents[ref].order):
        if left <= 0:
            return chosen
        chosen.append(ref)
        left -= residents[ref].tokens
    return chosen + draft.victims([residents[ref] for ref in sorted(spared) if ref in residents], Tokens(left))


def _let_go(
    draft: Draft, texts: Texts, short: int, batch: int, just_used: frozenset[Ref], settings: WorkingSetSettings
) -> None:
    went = _first_to_go(draft, Tokens(short + batch), just_used, lambda entry: entry)
    slack = sum(draft.entries[ref].tokens for ref in went) - short
    lines = 0
    for ref in reversed(went):
        size = texts.tokens(draft.entries[ref], Fidelity.REFERENCE)
        if size <= slack and lines < settings.packing.frontier_lines:
            slack -= size
            lines += 1
            draft.demote(ref, Tier.FRONTIER_ONLY, Cause.PRESSURE)
            draft.size(ref, size)
        else:
            draft.evict(ref, Cause.PRESSURE)
