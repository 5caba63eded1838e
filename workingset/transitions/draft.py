"""A working set while one transition changes it. Lives within one call; what leaves is a value again.

Every change of tier goes through `move`, which writes it down; so the moves of an outcome are all there were.
"""

from __future__ import annotations

from dataclasses import replace

from workingset.candidate import Candidate
from workingset.entry import Entry, Ghost, Pin, PinOwner
from workingset.heat import heat_at
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.vocabulary import Fidelity, Ref, Turn
from workingset.working_set import WorkingSet


class Draft:
    """The entries, pins and ghosts of a set at a turn, by ref, and the moves made so far."""

    def __init__(self, state: WorkingSet, turn: Turn, settings: WorkingSetSettings) -> None:
        self.turn = turn
        self.entries: dict[Ref, Entry] = {entry.ref: entry for entry in state.entries}
        self.pins: dict[Ref, Pin] = {pin.ref: pin for pin in state.pins}
        self.moves: list[Move] = []
        self._ghosts: dict[Ref, Ghost] = {ghost.ref: ghost for ghost in state.ghosts}
        self._references = state.references
        self._next_order = state.next_order
        self._settings = settings

    def ghost(self, ref: Ref) -> Ghost | None:
        """Return what is remembered of an evicted ref."""
        return self._ghosts.get(ref)

    def admit(self, candidate: Candidate, tier: Tier, cause: Cause, fidelity: Fidelity) -> Entry:
        """Give a candidate a place, or move the entry it has to the tier; returns the entry."""
        known = self.entries.get(candidate.ref)
        if known is None:
            entry = self._new_entry(candidate, tier, cause, fidelity)
            self.moves.append(Move(candidate.ref, Tier.EVICTED, tier, cause, candidate.title))
        else:
            if known.tier is not tier:
                self.moves.append(Move(known.ref, known.tier, tier, cause, known.title))
            entry = replace(known, tier=tier, fidelity=fidelity, reason=cause.value)
        self.entries[candidate.ref] = entry
        return entry

    def promote(self, ref: Ref, tier: Tier, cause: Cause) -> None:
        """Move an entry up, at full fidelity."""
        entry = self.entries[ref]
        self.moves.append(Move(ref, entry.tier, tier, cause, entry.title))
        self.entries[ref] = replace(entry, tier=tier, fidelity=Fidelity.FULL, reason=cause.value)

    def demote(self, ref: Ref, tier: Tier, cause: Cause, detail: str = "") -> None:
        """Move an entry down, keeping it in the set."""
        entry = self.entries[ref]
        self.moves.append(Move(ref, entry.tier, tier, cause, entry.title, detail))
        fidelity = Fidelity.REFERENCE if tier is Tier.FRONTIER_ONLY else entry.fidelity
        self.entries[ref] = replace(entry, tier=tier, fidelity=fidelity, reason=cause.value)

    def evict(self, ref: Ref, cause: Cause, detail: str = "") -> None:
        """Take an entry out and remember its ghost. A goal leaves no ghost: its text goes with it."""
        entry = self.entries.pop(ref)
        self.moves.append(Move(ref, entry.tier, Tier.EVICTED, cause, entry.title, detail))
        if cause is Cause.NEW_GOAL:
            return
        heat = heat_at(entry, self.turn, self._settings.heat)
        self._ghosts.pop(ref, None)
        self._ghosts[ref] = Ghost(ref, self.turn, self._references, self.moves[-1].reason, heat, entry.title)

    def evict_with_dependents(self, ref: Ref, cause: Cause) -> None:
        """Take an entry out after everything that needs it, outermost first."""
        for dependent in sorted(e.ref for e in self.entries.values() if e.needs(ref)):
            if dependent in self.entries and self.entries[dependent].tier is not Tier.PINNED:
                self._leave(dependent, ref)
        if ref in self.entries:
            self.evict(ref, cause)

    def update(self, entry: Entry) -> None:
        """Write an entry back; its tier is as it was."""
        self.entries[entry.ref] = entry

    def unpin(self, ref: Ref, cause: Cause) -> None:
        """End a pin: the entry falls to what closure demands, else to resident; a goal or text pin leaves."""
        pin = self.pins.pop(ref)
        entry = self.entries[ref]
        if pin.text:
            self.evict(ref, cause)
            return
        tier = Tier.MANDATORY if entry.required_by else Tier.RESIDENT
        self.demote(ref, tier, cause)

    def finished(self) -> tuple[tuple[Entry, ...], tuple[Pin, ...], tuple[Ghost, ...], int]:
        """Return entries in order, pins by age, the newest ghosts within the ring's limit, and the next order."""
        ghosts = [ghost for ghost in self._ghosts.values() if ghost.ref not in self.entries]
        kept = ghosts[-self._settings.eviction.ghosts_limit :]
        entries = tuple(sorted(self.entries.values(), key=lambda entry: entry.order))
        pins = tuple(sorted(self.pins.values(), key=lambda p: (p.owner is PinOwner.GOAL, p.pinned_turn, p.ref)))
        return entries, pins, tuple(kept), self._next_order

    def _leave(self, dependent: Ref, needed: Ref) -> None:
        if self.entries[dependent].tier is Tier.MANDATORY:
            self.evict_with_dependents(dependent, Cause.ASKED)
        else:
            self.evict(dependent, Cause.NEED_EVICTED, needed)

    def _new_entry(self, candidate: Candidate, tier: Tier, cause: Cause, fidelity: Fidelity) -> Entry:
        order = self._next_order
        self._next_order += 1
        ghost = self._ghosts.pop(candidate.ref, None)
        back = ghost is not None and cause is Cause.FAULT
        protected = self.turn + self._settings.eviction.refault_protection_turns if back else 0
        return Entry(
            ref=candidate.ref,
            namespace=candidate.namespace,
            kind=candidate.kind,
            title=candidate.title,
            tier=tier,
            fidelity=fidelity,
            generation=candidate.generation,
            digest=candidate.digest,
            admitted_turn=self.turn,
            order=order,
            path=candidate.path,
            lines=candidate.lines,
            heat_turn=self.turn,
            touched_at=self._references,
            protected_until=Turn(protected),
            relevance=candidate.relevance,
            reason=cause.value,
            lanes=candidate.lanes,
            requires=candidate.requires,
            closure=candidate.closure,
            standing=candidate.standing,
            successor=candidate.successor,
            freshness=candidate.freshness,
        )
