"""How an entry looks to an eviction policy."""

from __future__ import annotations

from workingset.entry import Entry
from workingset.eviction.policy import Page
from workingset.heat import half_life
from workingset.settings import EvictionSettings, HeatSettings
from workingset.vocabulary import Turn


def page_of(
    entry: Entry, references: int, turn: Turn, heat: HeatSettings, eviction: EvictionSettings, wide_share: float = 0.0
) -> Page:
    """Return the policy's view of an entry at a reference clock and turn.

    Turns without any use count towards age as well, so that entries nobody used grow old too. Kinds that cool slowly
    age slowly, in the proportion of the half-lives. One that nobody used has a group of common width, so that its own
    size does not count against it.
    """
    age = max(0, references - entry.touched_at) + (turn - entry.admitted_turn if not entry.uses else 0)
    return Page(
        ref=entry.ref,
        tokens=entry.tokens,
        age_references=int(age * heat.half_life_turns / half_life(entry.kind, heat)),
        uses=entry.uses,
        group_tokens=entry.group_tokens or eviction.unused_group_tokens,
        relevance=entry.relevance,
        last_use_was_edit=entry.last_use_was_edit,
        wide_share=wide_share,
        uses_ever=entry.uses + entry.uses_before,
        order=entry.order,
    )
