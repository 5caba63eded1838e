"""The second half of a Focus: filling the block.

What cannot be left out comes first: pins with what they need, and the goal. Where nothing that the choice rests on has
changed, the set stays as it is. Else packing chooses, and one-line references fill what is left. The whole block is
counted at the end; where it is longer than its pieces together, the choice is made again with less room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workingset.budget import OverBudget, over_budget
from workingset.drift import Drift, Verdict
from workingset.entry import Entry
from workingset.heat import heat_at
from workingset.rendering import Block, render
from workingset.tier import Cause, Tier
from workingset.transitions.choosing import Choosing, Window
from workingset.transitions.draft import Draft
from workingset.transitions.frontier import give_way
from workingset.transitions.moment import Moment
from workingset.transitions.settling import apply_packing, fixed_entries, settle
from workingset.transitions.situation import situation_of
from workingset.vocabulary import Tokens

EMPTY_BLOCK = Block("", (), Tokens(0))


@dataclass(frozen=True, slots=True)
class Filled:
    """The draft with everything in its place and its block, or what cannot be left out and does not fit."""

    draft: Draft
    block: Block
    over_budget: OverBudget | None = None


def fill(moment: Moment, drift: Drift, results: Window) -> Filled:
    """Return the filled block of a turn; it never exceeds the order's budget."""
    draft, budget = moment.draft, moment.order.budget
    fixed = fixed_entries(draft, moment.texts)
    base = render(fixed, moment.texts.of, moment.count)
    if base.tokens > budget:
        settle(draft)
        return Filled(draft, EMPTY_BLOCK, over_budget(base.tokens, fixed))
    asks_to_move = bool(drift.stale) or drift.verdict is Verdict.REFOCUS
    same = moment.state.situation == situation_of(moment.asked, draft, moment.texts)
    if same and not asks_to_move and (unmoved := _unmoved(moment)).block.tokens <= budget:
        return unmoved
    ceiling = int(budget)
    while True:
        chosen = _chosen(moment, drift, results, fixed, Tokens(ceiling))
        if chosen.block.tokens <= budget:
            return chosen
        ceiling -= chosen.block.tokens - budget


def _unmoved(moment: Moment) -> Filled:
    draft = moment.draft.copy()
    settle(draft)
    for entry in list(draft.entries.values()):
        draft.size(entry.ref, moment.texts.tokens(entry, entry.fidelity))
    return _rendered(moment, draft)


def _chosen(moment: Moment, drift: Drift, results: Window, fixed: Sequence[Entry], ceiling: Tokens) -> Filled:
    draft, texts, settings = moment.draft.copy(), moment.texts, moment.settings
    held = frozenset(entry.ref for entry in fixed)
    room = Tokens(ceiling - sum(entry.tokens for entry in fixed))
    reserve = Tokens(int(settings.packing.frontier_share * ceiling))
    irrelevant = _irrelevant(moment)
    cold = frozenset(e.ref for e in irrelevant if heat_at(e, draft.turn, settings.heat) < settings.heat.cold_heat)
    moved = drift.verdict is Verdict.REFOCUS
    causes = {e.ref: Cause.REFOCUS for e in irrelevant} if moved else dict.fromkeys(cold, Cause.COOLED)
    choosing = Choosing(draft, texts, settings, moment.state.references, held, cold)
    packed = choosing.choose(results.results, room, reserve)
    apply_packing(draft, texts, results.results, packed)
    keep = held.union(packed.chosen, packed.needed)
    give_way(draft, texts, moment.projection, keep, causes, Tokens(room - packed.tokens), settings)
    settle(draft)
    return _rendered(moment, draft)


def _rendered(moment: Moment, draft: Draft) -> Filled:
    return Filled(draft, render(list(draft.entries.values()), moment.texts.of, moment.count))


def _irrelevant(moment: Moment) -> list[Entry]:
    """The residents that the goal does not rank."""
    ranked = {candidate.ref for candidate in moment.projection.ranked}
    return [e for e in moment.draft.entries.values() if e.tier is Tier.RESIDENT and e.ref not in ranked]
