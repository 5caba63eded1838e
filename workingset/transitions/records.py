"""From a record as read at the cut to an entry: a new one, and one that is brought up to what its record says now."""

from __future__ import annotations

from dataclasses import replace

from workingset.candidate import Candidate, Projection
from workingset.copying import changed
from workingset.entry import Entry
from workingset.tier import Cause, Tier
from workingset.vocabulary import Fidelity, Ref, SupportClosure, Turn


def entry_of(candidate: Candidate, tier: Tier, fidelity: Fidelity, turn: Turn, order: int) -> Entry:
    """Return a new entry of a record, without heat, admitted at the turn."""
    return Entry(
        ref=candidate.ref,
        namespace=candidate.namespace,
        kind=candidate.kind,
        title=candidate.title,
        tier=tier,
        fidelity=fidelity,
        generation=candidate.generation,
        digest=candidate.digest,
        admitted_turn=turn,
        order=order,
        path=candidate.path,
        lines=candidate.lines,
        heat_turn=turn,
        relevance=candidate.relevance,
        lanes=candidate.lanes,
        requires=candidate.requires,
        closure=candidate.closure,
        unmet=candidate.unmet,
        standing=candidate.standing,
        successor=candidate.successor,
        freshness=candidate.freshness,
    )


def read_anew(entry: Entry, candidate: Candidate) -> Entry:
    """Return the entry with all that its record says now; its place and its use stay as they are."""
    return changed(
        entry,
        relevance=candidate.relevance,
        lanes=candidate.lanes or entry.lanes,
        title=candidate.title,
        path=candidate.path,
        lines=candidate.lines,
        generation=candidate.generation,
        digest=candidate.digest,
        requires=candidate.requires,
        closure=candidate.closure,
        unmet=candidate.unmet,
        standing=candidate.standing,
        successor=candidate.successor,
        freshness=candidate.freshness,
    )


def records_of(projection: Projection) -> dict[Ref, Candidate]:
    """Return every record that was read, by ref, as it was ranked where it was.

    A result ranked too low to be closed over may be an entry that was: then what it needs is taken from there.
    """
    records = {candidate.ref: candidate for candidate in (*projection.support, *projection.known)}
    for candidate in projection.ranked:
        known = records.get(candidate.ref)
        if known is not None and candidate.closure is SupportClosure.NOT_REQUESTED:
            candidate = replace(candidate, requires=known.requires, closure=known.closure, unmet=known.unmet)
        records[candidate.ref] = candidate
    return records


def is_new_history(entry: Entry, turn: Turn) -> bool:
    """True for a record of history that is still protected: it gives way only where nothing else is left to."""
    return entry.reason == Cause.KEPT.value and entry.protected_until >= turn
