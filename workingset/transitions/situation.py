"""The situation of a Focus: a digest of all that its choice rests on. Equal situations keep an equal set.

Heat is left out on purpose: time alone moves nothing, so that an agent that asks again is told "nothing changed".
"""

from __future__ import annotations

from collections.abc import Iterable

from xxhash import xxh3_128_hexdigest

from workingset.candidate import Projection
from workingset.settings import WorkingSetSettings
from workingset.transitions.draft import Draft
from workingset.transitions.moment import FocusOrder
from workingset.transitions.texts import Texts
from workingset.vocabulary import Digest
from workingset.working_set import WorkingSet


def asked_of(state: WorkingSet, projection: Projection, order: FocusOrder, settings: WorkingSetSettings) -> Digest:
    """Return the digest of goal, order, settings, uses so far and every record that was ranked."""
    clocks = (state.epoch, state.references, projection.overflow)
    results = (
        f"{c.ref} {c.digest} {c.freshness.value} {c.relevance} {c.selection_score} {c.origin} {c.closure.value} "
        f"{c.requires}"
        for c in projection.ranked
    )
    return _digest(
        (
            projection.goal.text,
            repr((order.budget, order.top_k, order.namespaces, order.page_in, clocks, settings)),
            *results,
        )
    )


def situation_of(asked: Digest, draft: Draft, texts: Texts) -> Digest:
    """Return the digest of what was asked, the pins, all that is in the set, and every record that any of it needs."""
    entries = sorted(draft.entries.values(), key=lambda e: e.ref)
    needed = sorted(
        {need for candidate in texts.ranked for need in candidate.requires}.union(
            need for entry in entries for need in entry.requires
        )
    )
    return _digest(
        (
            asked,
            *(f"pin {pin.ref} {pin.expires_turn}" for pin in sorted(draft.pins.values(), key=lambda p: p.ref)),
            *(f"entry {e.ref} {e.digest} {e.standing.value} {e.freshness.value} {e.requires}" for e in entries),
            *(f"needed {ref} {texts.candidates[ref].digest}" for ref in needed if texts.usable(ref)),
        )
    )


def _digest(parts: Iterable[str]) -> Digest:
    return Digest(xxh3_128_hexdigest("\n".join(parts).encode("utf-8", "surrogatepass")))
