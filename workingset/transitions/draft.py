"""A working set while one transition changes it. Lives within one call; what leaves is a value again.

Every change of tier goes through `_move`, which writes it down; so the moves of an outcome are all there were.
"""

from __future__ import annotations

from dataclasses import replace

from workingset.candidate import Candidate
from workingset.entry import Entry, Ghost, Pin, PinOwner
from workingset.heat import heat_at
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.records import entry_of
from workingset.vocabulary import Fidelity, Ref, Tokens, Turn
from workingset.working_set import WorkingSet

_TEXT_TIERS = (Tier.MANDATORY, Tier.RESIDENT)


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

    def copy(self) -> Draft:
        """Return a draft at the same point that can go another way."""
        other = Draft.__new__(Draft)
        other.turn, other.entries, other.pins = self.turn, dict(self.entries), dict(self.pins)
        other.moves, other._ghosts = list(self.moves), dict(self._ghosts)
        other._references, other._next_order, other._settings = self._references, self._next_order, self._settings
        return other

    def ghost(self, ref: Ref) -> Ghost | None:
        """Return what is remembered of an evicted ref."""
        return self._ghosts.get(ref)

    def admit(self, candidate: Candidate, tier: Tier, cause: Cause, fidelity: Fidelity) -> Entry:
        """Give a candidate a place, or move the entry it has to the tier; returns the entry."""
        ref = candidate.ref
        if ref in self.entries:
            return self._move(ref, tier, cause, fidelity)
        self.moves.append(Move(ref, Tier.EVICTED, tier, cause, candidate.title))
        entry = entry_of(candidate, tier, fidelity, self.turn, self._new_order())
        back = self._ghosts.pop(ref, None) is not None and cause is Cause.FAULT
        protected = self.turn + self._settings.eviction.refault_protection_turns if back else 0
        self.entries[ref] = replace(
            entry, reason=cause.value, touched_at=self._references, protected_until=Turn(protected)
        )
        return self.entries[ref]

    def promote(self, ref: Ref, tier: Tier, cause: Cause) -> None:
        """Move an entry up, at full fidelity."""
        self._move(ref, tier, cause, Fidelity.FULL)

    def demote(self, ref: Ref, tier: Tier, cause: Cause, detail: str = "") -> None:
        """Move an entry down, keeping it in the set."""
        fidelity = Fidelity.REFERENCE if tier is Tier.FRONTIER_ONLY else self.entries[ref].fidelity
        self._move(ref, tier, cause, fidelity, detail)

    def evict(self, ref: Ref, cause: Cause, detail: str = "") -> None:
        """Take an entry out and remember its ghost. A goal leaves no ghost: its text goes with it."""
        entry = self.entries.pop(ref)
        self.moves.append(Move(ref, entry.tier, Tier.EVICTED, cause, entry.title, detail))
        if cause is Cause.NEW_GOAL:
            return
        heat = heat_at(entry, self.turn, self._settings.heat)
        self._ghosts.pop(ref, None)
        self._ghosts[ref] = Ghost(ref, self.turn, self._references, self.moves[-1].reason, heat, entry.title)

    def evict_with_dependents(self, ref: Ref, cause: Cause, detail: str = "") -> None:
        """Take an entry out after everything that needs it, outermost first; of a cycle the one asked for goes last."""
        waiting = self._dependents(ref)
        while waiting:
            free = [other for other in waiting if not any(self.entries[e].needs(other) for e in waiting if e != other)]
            for dependent in free or waiting[:1]:
                waiting.remove(dependent)
                self.evict(dependent, Cause.NEED_EVICTED, ref)
        self.evict(ref, cause, detail)

    def update(self, entry: Entry) -> None:
        """Write an entry back; its tier is as it was."""
        self.entries[entry.ref] = entry

    def size(self, ref: Ref, tokens: Tokens) -> None:
        """Write down how many tokens an entry's segment is."""
        if self.entries[ref].tokens != tokens:
            self.entries[ref] = replace(self.entries[ref], tokens=tokens)

    def unpin(self, ref: Ref, cause: Cause) -> None:
        """End a pin: the entry falls to what closure demands, else to resident; a goal or text pin leaves."""
        pin = self.pins.pop(ref)
        if pin.has_words:
            self.evict(ref, cause)
            return
        self.demote(ref, Tier.MANDATORY if self.entries[ref].required_by else Tier.RESIDENT, cause)

    def finished(self) -> tuple[tuple[Entry, ...], tuple[Pin, ...], tuple[Ghost, ...], int]:
        """Return entries in order, pins by age, the newest ghosts within the ring's limit, and the next order."""
        ghosts = list(self._ghosts.values())
        kept = ghosts[max(0, len(ghosts) - self._settings.eviction.ghosts_limit) :]
        entries = tuple(sorted(self.entries.values(), key=lambda entry: entry.order))
        pins = tuple(sorted(self.pins.values(), key=lambda p: (p.owner is PinOwner.GOAL, p.pinned_turn, p.ref)))
        return entries, pins, tuple(kept), self._next_order

    def _dependents(self, ref: Ref) -> list[Ref]:
        """Everything that needs the entry, over all steps, by ref; a pin is never among them."""
        found, steps = {ref}, [ref]
        while steps:
            needed = steps.pop()
            fresh = [e.ref for e in self.entries.values() if e.needs(needed) and e.ref not in found]
            steps += fresh
            found.update(fresh)
        return sorted(other for other in found - {ref} if self.entries[other].tier is not Tier.PINNED)

    def _move(self, ref: Ref, tier: Tier, cause: Cause, fidelity: Fidelity, detail: str = "") -> Entry:
        entry = self.entries[ref]
        if entry.tier is not tier:
            self.moves.append(Move(ref, entry.tier, tier, cause, entry.title, detail))
            if entry.tier not in _TEXT_TIERS or tier not in _TEXT_TIERS:
                # It goes to another part of the block: at that part's end, so that what stands before keeps its bytes.
                entry = replace(entry, order=self._new_order(), admitted_turn=self.turn)
        self.entries[ref] = replace(entry, tier=tier, fidelity=fidelity, reason=cause.value)
        return self.entries[ref]

    def _new_order(self) -> int:
        order = self._next_order
        self._next_order += 1
        return order
