"""What the host has to change in its context: deltas against the ledger of what it really received.

Old set + NEW - REMOVED = new set, by ref; UPDATED replaces the text of a ref that stays. The ledger belongs to an
epoch; `ResetContext` empties it, and everything is NEW again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique

from workingset.rendering import Segment
from workingset.tier import Tier
from workingset.vocabulary import Fidelity, Ref
from workingset.working_set import Delivered


@unique
class Change(Enum):
    """What happened to a segment since it was delivered."""

    NEW = "new"
    UPDATED = "updated"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class DeltaEntry:
    """One segment that the host adds, replaces or takes out. `text` is empty for REMOVED."""

    ref: Ref
    change: Change
    tier: Tier
    fidelity: Fidelity
    text: str = ""


def deliver(segments: Sequence[Segment]) -> tuple[Delivered, ...]:
    """Return the ledger after the host has received these segments."""
    return tuple(
        Delivered(s.ref, s.tier, s.fidelity, s.digest, len(s.text.encode("utf-8", "surrogatepass"))) for s in segments
    )


def delta(before: Sequence[Delivered], now: Sequence[Segment]) -> tuple[DeltaEntry, ...]:
    """Return what changed, in block order, removals last. Empty where nothing did."""
    known = {delivered.ref: delivered for delivered in before}
    present = {segment.ref for segment in now}
    changes = [
        DeltaEntry(s.ref, Change.UPDATED if s.ref in known else Change.NEW, s.tier, s.fidelity, s.text)
        for s in now
        if s.ref not in known or known[s.ref].segment != s.digest
    ]
    gone = [DeltaEntry(d.ref, Change.REMOVED, d.tier, d.fidelity) for d in before if d.ref not in present]
    return (*changes, *gone)


def prefix_stable(before: Sequence[Delivered], now: Sequence[Segment]) -> float:
    """Return the share of the earlier block's bytes that the new block begins with, counted in whole segments.

    A lower bound of the share in bytes: two different segments may begin alike. 0 where nothing was delivered.
    """
    total = sum(delivered.bytes for delivered in before)
    same = 0
    for old, new in zip(before, now, strict=False):
        if old.segment != new.digest:
            break
        same += old.bytes
    return same / total if total else 0.0
