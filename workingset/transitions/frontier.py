"""The frontier: one-line references to what is relevant, or was resident a turn ago, and has no place now.

The best of what was left out comes first, then residents that just fell, hottest first. Each line that fits is taken,
up to a number of lines; what gets no line leaves the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workingset.candidate import Projection
from workingset.entry import Entry
from workingset.heat import heat_at
from workingset.remainder import by_relevance
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.records import entry_of
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Ref, Tokens


def give_way(
    draft: Draft,
    texts: Texts,
    projection: Projection,
    keep: frozenset[Ref],
    causes: Mapping[Ref, Cause],
    room: Tokens,
    settings: WorkingSetSettings,
) -> None:
    """Take every entry that is not to be kept down to the frontier, within `room` tokens, or out.

    `causes` says why where it is not pressure. Residents leave before what they need.
    """
    falling = [entry for entry in draft.entries.values() if entry.ref not in keep]
    ranked = [candidate.ref for candidate in by_relevance(projection.ranked) if candidate.ref not in keep]
    lines = _lines(draft, texts, _wanted(draft, ranked, falling, settings), room, settings)
    relevant = frozenset(ranked)
    for entry in falling:
        if entry.tier is Tier.FRONTIER_ONLY and entry.ref not in lines:
            draft.evict(entry.ref, Cause.PRESSURE if entry.ref in relevant else Cause.COOLED)
    for entry in falling:
        if entry.tier is Tier.RESIDENT:
            _fall(draft, entry.ref, causes.get(entry.ref, Cause.PRESSURE), entry.ref in lines)
    for entry in sorted(falling, key=lambda e: (len(e.required_by), e.order)):
        if entry.tier is Tier.MANDATORY:
            _fall_from_mandatory(draft, entry.ref, entry.ref in lines)
    for ref, tokens in lines.items():
        if ref not in draft.entries:
            draft.admit(texts.candidates[ref], Tier.FRONTIER_ONLY, Cause.RELEVANT, Fidelity.REFERENCE)
        draft.size(ref, tokens)


def _fall(draft: Draft, ref: Ref, cause: Cause, to_frontier: bool) -> None:
    if to_frontier:
        draft.demote(ref, Tier.FRONTIER_ONLY, cause)
    else:
        draft.evict(ref, cause)


def _fall_from_mandatory(draft: Draft, ref: Ref, to_frontier: bool) -> None:
    if to_frontier:
        draft.demote(ref, Tier.RESIDENT, Cause.DEPENDENTS_LEFT)
        draft.demote(ref, Tier.FRONTIER_ONLY, Cause.PRESSURE)
    else:
        draft.evict(ref, Cause.DEPENDENTS_LEFT)


def _wanted(
    draft: Draft, ranked: Sequence[Ref], falling: Sequence[Entry], settings: WorkingSetSettings
) -> dict[Ref, None]:
    """Refs in the order in which they get a line: results, then what just fell, then lines that are still warm."""

    def hottest(tier: Tier) -> list[Ref]:
        of = [(-heat_at(entry, draft.turn, settings.heat), entry.ref) for entry in falling if entry.tier is tier]
        return [ref for cold, ref in sorted(of) if -cold >= settings.heat.cold_heat]

    return dict.fromkeys((*ranked, *hottest(Tier.RESIDENT), *hottest(Tier.FRONTIER_ONLY)))


def _lines(
    draft: Draft, texts: Texts, wanted: Mapping[Ref, None], room: Tokens, settings: WorkingSetSettings
) -> dict[Ref, Tokens]:
    lines: dict[Ref, Tokens] = {}
    left = int(room)
    for ref in wanted:
        if left <= 0 or len(lines) == settings.packing.frontier_lines:
            break
        entry = draft.entries.get(ref) or entry_of(
            texts.candidates[ref], Tier.FRONTIER_ONLY, Fidelity.REFERENCE, draft.turn, 0
        )
        size = texts.tokens(entry, Fidelity.REFERENCE)
        if size <= left:
            lines[ref] = size
            left -= size
    return lines
