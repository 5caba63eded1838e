"""The first half of a Focus: bring what is in the set up to the cut, before anything is chosen.

Expired pins end, every entry is compared with its record as it stands now, and what went, left the scope or was
superseded leaves, unless it is pinned: a pin is reported and kept, or follows to the successor where that was asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from workingset.candidate import Candidate
from workingset.drift import StaleEntry
from workingset.entry import Entry, Pin, PinOwner
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.records import read_anew
from workingset.transitions.texts import Texts
from workingset.vocabulary import Epoch, Fidelity, Ref, Standing, Turn

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
    """A pin whose record is not current any more.

    It is kept, with its last text where there is one, or has moved on to `replaced_by` where its owner asked for that.
    """

    ref: Ref
    standing: Standing
    successor: Ref | None
    what_to_do: str
    replaced_by: Ref | None = None


def expire_pins(draft: Draft, epoch: Epoch, now_seconds: int) -> None:
    """End every pin whose last turn, epoch or second is over."""
    for pin in [pin for pin in draft.pins.values() if not pin.holds_at(draft.turn, epoch, now_seconds)]:
        draft.unpin(pin.ref, Cause.EXPIRED)


def refresh_entries(draft: Draft, texts: Texts) -> tuple[tuple[StaleEntry, ...], tuple[PinReport, ...]]:
    """Bring every entry up to its record at the cut; returns what was stale, and pins that are not current."""
    stale: list[StaleEntry] = []
    reports: list[PinReport] = []
    for entry in list(draft.entries.values()):
        if entry.ref not in draft.entries or ((pin := draft.pins.get(entry.ref)) and pin.has_words):
            continue
        entry = draft.entries[entry.ref]
        now = _read_now(entry, texts.candidates.get(entry.ref))
        if what := _what_changed(entry, now):
            stale.append(StaleEntry(entry.ref, entry.generation, now.generation, what))
        if now.standing is Standing.CURRENT or entry.tier is Tier.PINNED:
            draft.update(now)
        else:
            draft.evict(entry.ref, _LEAVES[now.standing])
        if entry.tier is Tier.PINNED and now.standing is not Standing.CURRENT:
            reports.append(_report(draft, texts, now))
    return tuple(stale), tuple(reports)


def not_followed(report: PinReport) -> PinReport:
    """Return the report of a turn in which nothing moved after all."""
    if report.replaced_by is None:
        return report
    return replace(report, replaced_by=None, what_to_do="it follows once the budget holds what cannot be left out")


def _report(draft: Draft, texts: Texts, now: Entry) -> PinReport:
    to = _current_successor(now, texts)
    if to is None or not draft.pins[now.ref].follow_successor or not texts.usable(to):
        return PinReport(now.ref, now.standing, now.successor, _WHAT_TO_DO[now.standing])
    pin = draft.pins.pop(now.ref)
    draft.evict(now.ref, Cause.SUPERSEDED, f"its pin follows to {to}")
    there = draft.pins.get(to)
    draft.pins[to] = _stronger(replace(pin, ref=to), there) if there is not None else replace(pin, ref=to)
    if there is None:
        draft.admit(texts.candidates[to], Tier.PINNED, Cause.PINNED, Fidelity.FULL)
        draft.update(read_anew(draft.entries[to], texts.candidates[to]))
    return PinReport(now.ref, now.standing, to, "nothing: the pin followed, as was asked", replaced_by=to)


def _read_now(entry: Entry, candidate: Candidate | None) -> Entry:
    if candidate is None:
        # Not even a tombstone is left: what it was called goes with it.
        return replace(entry, standing=Standing.REMOVED, requires=(), title="", path="", lines=None)
    return read_anew(entry, candidate)


def _what_changed(entry: Entry, now: Entry) -> str:
    if now.standing is not Standing.CURRENT:
        return now.standing.value if now.standing is not entry.standing else ""
    return "changed" if now.digest != entry.digest else ""


def _current_successor(entry: Entry, texts: Texts) -> Ref | None:
    """What stands now in place of a superseded record, over as many steps as were read."""
    seen, to = {entry.ref}, entry.successor
    while to is not None and to not in seen and to in texts.candidates and not texts.usable(to):
        seen.add(to)
        to = texts.candidates[to].successor
    return to


def _stronger(one: Pin, other: Pin) -> Pin:
    """The pin that holds wherever either of two pins of one ref would: a host's before an agent's, the later end."""
    first, second = (one, other) if one.owner is PinOwner.HOST or other.owner is not PinOwner.HOST else (other, one)
    return replace(
        first,
        expires_turn=Turn(max(one.expires_turn, other.expires_turn) if one.expires_turn and other.expires_turn else 0),
        expires_seconds=(
            max(one.expires_seconds, other.expires_seconds) if one.expires_seconds and other.expires_seconds else 0
        ),
        epoch=None if one.epoch is None or other.epoch is None else max(one.epoch, other.epoch),
        follow_successor=first.follow_successor or second.follow_successor,
    )
