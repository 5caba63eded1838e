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
from workingset.heat import decayed
from workingset.rendering import Block, render
from workingset.settings import HeatSettings, WorkingSetSettings
from workingset.tier import Cause, Tier
from workingset.transitions.choosing import Choosing, Window
from workingset.transitions.draft import Draft
from workingset.transitions.frontier import give_way
from workingset.transitions.moment import Moment
from workingset.transitions.records import is_new_history
from workingset.transitions.settling import apply_choice, fixed_entries, settle
from workingset.transitions.situation import situation_of
from workingset.vocabulary import Ref, Tokens, Turn

_UNPINNED = frozenset({Cause.UNPINNED.value, Cause.EXPIRED.value})
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
    cold = _cold(irrelevant, draft, settings, ceiling)
    moved = drift.verdict is Verdict.REFOCUS
    causes = {e.ref: Cause.REFOCUS for e in irrelevant} if moved else dict.fromkeys(cold, Cause.COOLED)
    choosing = Choosing(draft, texts, settings, held, cold, anew=moved)
    chosen = choosing.choose(results.results, room, reserve)
    apply_choice(draft, texts, results.results, chosen)
    keep = held.union(chosen.staying, chosen.packed.chosen, chosen.packed.needed)
    give_way(draft, texts, moment.projection, keep, causes, Tokens(room - chosen.tokens), settings)
    settle(draft)
    return _rendered(moment, draft)


def _rendered(moment: Moment, draft: Draft) -> Filled:
    return Filled(draft, render(list(draft.entries.values()), moment.texts.of, moment.count))


def _cold(irrelevant: Sequence[Entry], draft: Draft, settings: WorkingSetSettings, ceiling: Tokens) -> frozenset[Ref]:
    """What leaves though there is room: all that is cold, once it is so much that breaking the block's prefix pays.

    What was unpinned since has no place in the block to keep.
    """
    cold = [entry for entry in irrelevant if _is_cold(entry, draft.turn, settings.heat)]
    enough = sum(entry.tokens for entry in cold) >= settings.packing.cold_share * ceiling
    return frozenset(entry.ref for entry in cold if enough or entry.reason in _UNPINNED)


def _is_cold(entry: Entry, turn: Turn, heat: HeatSettings) -> bool:
    if not entry.uses and not entry.uses_before:
        return decayed(entry, turn, heat) < heat.cold_heat
    return turn - entry.used_turn > heat.idle_turns


def _irrelevant(moment: Moment) -> list[Entry]:
    """The residents that the goal does not rank, but for what was just said."""
    ranked = {candidate.ref for candidate in moment.projection.ranked}
    residents = (entry for entry in moment.draft.entries.values() if entry.tier is Tier.RESIDENT)
    return [e for e in residents if e.ref not in ranked and not is_new_history(e, moment.draft.turn)]
