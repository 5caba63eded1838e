"""The first half of a Focus: bring what is in the set up to the cut, before anything is chosen.

Expired pins end, the goal is replaced, every entry is compared with its record as it stands now, and what went, left
the scope or was superseded leaves, unless it is pinned: a pin is reported and kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xxhash import xxh3_128_hexdigest

from workingset.candidate import Candidate, Projection
from workingset.drift import StaleEntry
from workingset.entry import GOAL_NAMESPACE, Entry, Pin, PinOwner
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.texts import Texts, pin_candidate
from workingset.vocabulary import Digest, Fidelity, Generation, Ref, Relevance, Standing, Turn

_LEAVES = {
    Standing.REMOVED: Cause.REMOVED,
    Standing.OUT_OF_SCOPE: Cause.OUT_OF_SCOPE,
    Standing.SUPERSEDED: Cause.SUPERSEDED,
}
_WHAT_TO_DO = {
    Standing.REMOVED: "its source is gone: unpin it, or keep its last text knowingly",
    Standing.OUT_OF_SCOPE: "it lies outside the namespaces of this call: widen them, or unpin it",
    Standing.SUPERSEDED: "a successor exists: pin that one instead",
}


@dataclass(frozen=True, slots=True)
class PinReport:
    """A pin whose record is not current any more."""

    ref: Ref
    standing: Standing
    successor: Ref | None
    what_to_do: str


def goal_pin(text: str, turn: Turn) -> Pin:
    """Return the root obligation that a goal is; equal goals have equal refs."""
    digest = xxh3_128_hexdigest(text.encode())
    return Pin(Ref(f"{GOAL_NAMESPACE}:{digest[:12]}"), PinOwner.GOAL, "goal of the turn", turn, text=text)


def expire_pins(draft: Draft) -> None:
    """End every pin whose last turn is over."""
    for pin in [pin for pin in draft.pins.values() if not pin.holds_at(draft.turn)]:
        draft.unpin(pin.ref, Cause.EXPIRED)


def replace_goal(draft: Draft, texts: Texts, goal: str) -> None:
    """Make the goal the one root obligation; an equal goal stays as it is."""
    new = goal_pin(goal, draft.turn)
    for old in [pin for pin in draft.pins.values() if pin.owner is PinOwner.GOAL and pin.ref != new.ref]:
        del draft.pins[old.ref]
        draft.evict(old.ref, Cause.NEW_GOAL)
    if new.ref not in draft.pins:
        draft.pins[new.ref] = new
        texts.add(new)
        draft.admit(pin_candidate(new, Digest(new.ref.partition(":")[2])), Tier.PINNED, Cause.GOAL, Fidelity.FULL)


def refresh_entries(draft: Draft, projection: Projection) -> tuple[tuple[StaleEntry, ...], tuple[PinReport, ...]]:
    """Bring every entry up to its record at the cut; returns what was stale, and pins that are not current."""
    known = {candidate.ref: candidate for candidate in (*projection.known, *projection.ranked)}
    stale: list[StaleEntry] = []
    reports: list[PinReport] = []
    for entry in list(draft.entries.values()):
        if (pin := draft.pins.get(entry.ref)) and pin.text:
            continue
        candidate = known.get(entry.ref)
        if change := _staleness(entry, candidate):
            stale.append(change)
        if entry.ref not in draft.entries:
            continue
        standing = candidate.standing if candidate else Standing.REMOVED
        if entry.tier is Tier.PINNED and standing is not Standing.CURRENT:
            successor = candidate.successor if candidate else None
            reports.append(PinReport(entry.ref, standing, successor, _WHAT_TO_DO[standing]))
        if candidate is None or (standing is not Standing.CURRENT and entry.tier is not Tier.PINNED):
            _leave(draft, entry, standing)
        else:
            draft.update(_brought_up(entry, candidate))
    return tuple(stale), tuple(reports)


def _leave(draft: Draft, entry: Entry, standing: Standing) -> None:
    draft.pins.pop(entry.ref, None)
    if entry.tier is Tier.PINNED:
        draft.evict(entry.ref, Cause.UNPINNED, "its record cannot be read any more")
    else:
        draft.evict(entry.ref, _LEAVES[standing])


def _staleness(entry: Entry, candidate: Candidate | None) -> StaleEntry | None:
    if candidate is None:
        return StaleEntry(entry.ref, entry.generation, Generation(0), "gone")
    if candidate.standing is not Standing.CURRENT and candidate.standing is not entry.standing:
        return StaleEntry(entry.ref, entry.generation, candidate.generation, candidate.standing.value)
    if candidate.digest != entry.digest:
        return StaleEntry(entry.ref, entry.generation, candidate.generation, "changed")
    return None


def _brought_up(entry: Entry, candidate: Candidate) -> Entry:
    return replace(
        entry,
        title=candidate.title,
        path=candidate.path,
        lines=candidate.lines,
        generation=candidate.generation,
        digest=candidate.digest,
        relevance=Relevance(candidate.relevance),
        lanes=candidate.lanes or entry.lanes,
        requires=candidate.requires,
        closure=candidate.closure,
        standing=candidate.standing,
        successor=candidate.successor,
        freshness=candidate.freshness,
    )
