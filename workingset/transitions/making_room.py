"""Making room between turns: a set that was touched is brought back under its budget at once, not at the next Focus.

Lines of reference give way first where that spares a resident, then residents: for what was just used those that
nobody used (`used_first`), else in the eviction policy's order. Of what went, the last keeps a line if there is room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workingset.entry import Entry
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.records import is_new_history
from workingset.transitions.settling import settle
from workingset.transitions.texts import Texts
from workingset.transitions.used_first import Claims, claims_of
from workingset.vocabulary import Fidelity, Ref, Tokens


def make_room(
    draft: Draft, texts: Texts, budget: Tokens, just_used: frozenset[Ref], settings: WorkingSetSettings
) -> None:
    """Bring the sizes of all entries to the budget or below, as far as residents can; a budget of 0 binds nothing."""
    batch = int(settings.eviction.batch_share * budget)
    while (short := short_of(draft, budget)) > _tokens(_lines(draft)) and residents_of(draft):
        beyond_lines = short - _tokens(_lines(draft))
        claims = _claims(draft, texts, just_used, beyond_lines, budget, settings)
        needed = short_of(draft, budget) - _tokens(_lines(draft)) + batch
        went = _first_to_go(draft, residents_of(draft), Tokens(max(0, needed)), just_used, claims)
        _let_go(draft, texts, went, budget, just_used, settings)
        # What only they needed is resident from here on, and may go as well.
        settle(draft)
        batch = 0
    _drop_lines(draft, short_of(draft, budget))


def short_of(draft: Draft, budget: Tokens) -> int:
    """Return how many tokens the entries are above a budget; below 0 where there is room left."""
    return _tokens(draft.entries.values()) - budget if budget else 0


def bound_entries(draft: Draft, just_used: frozenset[Ref], settings: WorkingSetSettings) -> None:
    """Evict residents beyond the limit of entries, one counting as much as another."""
    excess = len(draft.entries) - settings.packing.entries_limit
    if excess > 0:
        alike = [replace(entry, tokens=Tokens(1)) for entry in residents_of(draft)]
        for ref in _first_to_go(draft, alike, Tokens(excess), just_used, Claims()):
            draft.evict(ref, Cause.PRESSURE, "more entries than the set may hold")


def residents_of(draft: Draft) -> list[Entry]:
    """Return the entries that pressure may reach."""
    return [entry for entry in draft.entries.values() if entry.tier is Tier.RESIDENT]


def _claims(
    draft: Draft, texts: Texts, just_used: frozenset[Ref], short: int, budget: Tokens, settings: WorkingSetSettings
) -> Claims:
    residents = residents_of(draft)
    old = [entry for entry in residents if not is_new_history(entry, draft.turn)]
    gives_way_to_used = len(old) < len(residents) and just_used.issuperset(entry.ref for entry in old)
    if draft.forces_admission or gives_way_to_used:
        return Claims()
    share = Tokens(int(settings.packing.newcomers_share * budget))
    return claims_of(draft, texts, old, just_used, short, share)


def _first_to_go(
    draft: Draft, residents: Iterable[Entry], needed: Tokens, just_used: frozenset[Ref], claims: Claims
) -> list[Ref]:
    """What must go, loose ones, residents by the policy, new history, the oldest first; what is spared last of all."""
    there = {entry.ref: entry for entry in residents}
    new = {ref for ref, entry in there.items() if is_new_history(entry, draft.turn)}
    only_used_is_old = there.keys() - new <= just_used
    spared = just_used if draft.forces_admission or only_used_is_old else claims.spared
    new -= spared
    chosen = list(claims.goes)
    chosen += draft.victims((entry for entry in claims.loose if entry.ref in there), claims.claim)

    def left() -> Tokens:
        return Tokens(needed - sum(there[ref].tokens for ref in chosen))

    chosen += draft.victims((e for ref, e in there.items() if ref not in {*spared, *new, *chosen}), left())
    for ref in sorted(new, key=lambda ref: there[ref].order):
        if left() <= 0:
            return chosen
        chosen.append(ref)
    last = [there[ref] for ref in sorted(spared) if ref in there and ref not in chosen]
    return chosen + draft.victims(last, left())


def _let_go(
    draft: Draft, texts: Texts, went: list[Ref], budget: Tokens, just_used: frozenset[Ref], settings: WorkingSetSettings
) -> None:
    """Take out what has to go, and lines as far as the room still asks for it; what is over keeps lines of what went.

    What was just used comes first there, and takes the place of the line longest in the block where there are enough.
    """
    slack = sum(draft.entries[ref].tokens for ref in went) - short_of(draft, budget)
    slack += _drop_lines(draft, -slack)
    last_first = went[::-1]
    for ref in sorted(last_first, key=lambda ref: ref not in just_used):
        size = texts.tokens(draft.entries[ref], Fidelity.REFERENCE)
        if ref in just_used and len(_lines(draft)) >= settings.packing.frontier_lines > 0:
            slack += _drop_lines(draft, 1)
        if size <= slack and len(_lines(draft)) < settings.packing.frontier_lines:
            slack -= size
            draft.demote(ref, Tier.FRONTIER_ONLY, Cause.PRESSURE)
            draft.size(ref, size)
        else:
            draft.evict(ref, Cause.PRESSURE)


def _drop_lines(draft: Draft, short: int) -> int:
    """Evict lines, the one longest in the block first, until so many tokens are free; returns how many are."""
    freed = 0
    for line in _lines(draft):
        if freed >= short:
            break
        draft.evict(line.ref, Cause.PRESSURE)
        freed += line.tokens
    return freed


def _lines(draft: Draft) -> list[Entry]:
    lines = [entry for entry in draft.entries.values() if entry.tier is Tier.FRONTIER_ONLY]
    return sorted(lines, key=lambda entry: entry.order)


def _tokens(entries: Iterable[Entry]) -> int:
    return sum(entry.tokens for entry in entries)
