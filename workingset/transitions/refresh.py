"""The first half of a Focus: bring what is in the set up to the cut, before anything is chosen.

Expired pins end, the goal is replaced, every entry is compared with its record as it stands now, and what went, left
the scope or was superseded leaves, unless it is pinned: a pin is reported and kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xxhash import xxh3_128_hexdigest

from workingset.candidate import Candidate
from workingset.drift import StaleEntry
from workingset.entry import GOAL_NAMESPACE, Entry, Pin, PinOwner
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.records import read_anew
from workingset.transitions.texts import Texts, pin_candidate
from workingset.vocabulary import Digest, Fidelity, Ref, Standing, Turn

_LEAVES = {
    Standing.REMOVED: Cause.REMOVED,
    Standing.OUT_OF_SCOPE: Cause.OUT_OF_SCOPE,
    Standing.SUPERSEDED: Cause.SUPERSEDED,
}
_WHAT_TO_DO = {
    Standing.REMOVED: "its record is gone: unpin it, or keep its last text knowingly",
    Standing.OUT_OF_SCOPE: "it lies outside the namespaces of this call: widen them, or unpin it",
    Standing.SUPERSEDED: "a successor exists: pin that one instead",
}


@dataclass(frozen=True, slots=True)
class PinReport:
    """A pin whose record is not current any more. It is kept, with its last text where there is one."""

    ref: Ref
    standing: Standing
    successor: Ref | None
    what_to_do: str


def goal_pin(text: str, turn: Turn) -> Pin:
    """Return the root obligation that a goal is; equal goals have equal refs."""
    digest = xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))
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


def refresh_entries(draft: Draft, texts: Texts) -> tuple[tuple[StaleEntry, ...], tuple[PinReport, ...]]:
    """Bring every entry up to its record at the cut; returns what was stale, and pins that are not current."""
    stale: list[StaleEntry] = []
    reports: list[PinReport] = []
    for entry in list(draft.entries.values()):
        if (pin := draft.pins.get(entry.ref)) and pin.has_words:
            continue
        now = _read_now(entry, texts.candidates.get(entry.ref))
        if what := _what_changed(entry, now):
            stale.append(StaleEntry(entry.ref, entry.generation, now.generation, what))
        if now.standing is Standing.CURRENT or entry.tier is Tier.PINNED:
            draft.update(now)
        else:
            draft.evict(entry.ref, _LEAVES[now.standing])
        if entry.tier is Tier.PINNED and now.standing is not Standing.CURRENT:
            reports.append(PinReport(entry.ref, now.standing, now.successor, _WHAT_TO_DO[now.standing]))
    return tuple(stale), tuple(reports)


def _read_now(entry: Entry, candidate: Candidate | None) -> Entry:
    if candidate is None:
        return replace(entry, standing=Standing.REMOVED, requires=())
    return read_anew(entry, candidate)


def _what_changed(entry: Entry, now: Entry) -> str:
    if now.standing is not Standing.CURRENT:
        return now.standing.value if now.standing is not entry.standing else ""
    return "changed" if now.digest != entry.digest else ""
