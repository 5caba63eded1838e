"""The situation of a Focus: a digest of all that its choice rests on. Equal situations keep an equal set.

Heat is left out on purpose: time alone moves nothing, so that an agent that asks again is told "nothing changed".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xxhash import xxh3_128_hexdigest

from workingset.candidate import Projection
from workingset.transitions.draft import Draft
from workingset.vocabulary import Digest
from workingset.working_set import WorkingSet

if TYPE_CHECKING:
    from workingset.transitions.focus import FocusOrder


def situation_of(state: WorkingSet, draft: Draft, projection: Projection, order: FocusOrder) -> Digest:
    """Return the digest of goal, order, pins, uses so far and every record that was ranked, needed or known."""
    parts = [
        projection.goal.text,
        repr((order.budget, order.top_k, order.namespaces, state.epoch, state.references, projection.overflow)),
        *(f"pin {pin.ref} {pin.expires_turn}" for pin in sorted(draft.pins.values(), key=lambda p: p.ref)),
        *(f"ranked {c.ref} {c.digest} {c.relevance!r} {c.selection_score!r} {c.closure}" for c in projection.ranked),
        *(f"needed {c.ref} {c.digest}" for c in projection.support),
        *(f"stands {e.ref} {e.digest} {e.standing}" for e in sorted(draft.entries.values(), key=lambda e: e.ref)),
    ]
    return Digest(xxh3_128_hexdigest("\n".join(parts).encode("utf-8", "surrogatepass")))
