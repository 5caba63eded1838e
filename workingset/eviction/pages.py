"""How an entry looks to an eviction policy."""

from __future__ import annotations

from workingset.entry import Entry
from workingset.eviction.policy import Page
from workingset.vocabulary import Turn


def page_of(entry: Entry, references: int, turn: Turn) -> Page:
    """Return the policy's view of an entry at a reference clock and turn.

    Turns without any use count towards age as well, so that entries nobody used grow old too.
    """
    return Page(
        ref=entry.ref,
        tokens=entry.tokens,
        age_references=max(0, references - entry.touched_at) + (turn - entry.admitted_turn if not entry.uses else 0),
        uses=entry.uses,
        group_tokens=entry.group_tokens or entry.tokens,
        relevance=entry.relevance,
        last_use_was_edit=entry.last_use_was_edit,
    )
