"""Whether a record's text is known to be that of its source now: by looking at its file, else by its verification.

When a text was fetched says nothing of its source now, and neither does when it was used: what was retrieved and has
no validator is UNKNOWN. A verification that is older than the window is STALE, for somebody looked and has not since;
one that says it was made in the future is not believed.
"""

from __future__ import annotations

from retrieval.record import Record
from retrieval.sources import SourceCheck
from workingset.vocabulary import Freshness


def freshness_check(looked_at: SourceCheck, now_seconds: int, fresh_seconds: int) -> SourceCheck:
    """The check of one answer: `looked_at` compares files; a verification counts for `fresh_seconds`, 0 for ever."""

    def check(record: Record) -> Freshness:
        found = looked_at(record)
        return found if found is not Freshness.UNKNOWN else verified(record, now_seconds, fresh_seconds)

    return check


def verified(record: Record, now_seconds: int, fresh_seconds: int) -> Freshness:
    """What the record's own verification says."""
    at = record.verified_seconds
    if not at or at > now_seconds:
        return Freshness.UNKNOWN
    if fresh_seconds and now_seconds - at > fresh_seconds:
        return Freshness.STALE
    return Freshness.CURRENT if record.validator else Freshness.UNKNOWN
