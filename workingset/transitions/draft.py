"""A working set while one transition changes it. Lives within one call; what leaves is a value again.

Every change of tier goes through `_move`, which writes it down; so the moves of an outcome are all there were. The
eviction policy is told of what comes in and what is used, and asked which pages go first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workingset.candidate import Candidate
from workingset.copying import changed
from workingset.entry import NOTE_KIND, TURN_KIND, Entry, Ghost, Pin, PinOwner
from workingset.eviction.pages import page_of
from workingset.eviction.policy import Page
from workingset.eviction.registry import policy_of
from workingset.heat import heat_at
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.records import entry_of
from workingset.vocabulary import Fidelity, Ref, Tokens, Turn
from workingset.working_set import WorkingSet

_TEXT_TIERS = (Tier.MANDATORY, Tier.RESIDENT)
_SAID = frozenset({NOTE_KIND, TURN_KIND})
_WORDS_GO = frozenset({Cause.NEW_GOAL, Cause.NEW_REQUEST, Cause.CLOSED})


class Draft:
    """The entries, pins and ghosts of a set at a turn, by ref, and the moves made so far."""

    def __init__(self, state: WorkingSet, turn: Turn, settings: WorkingSetSettings) -> None:
        self.turn = turn
        self.entries: dict[Ref, Entry] = {entry.ref: entry for entry in state.entries}
        self.pins: dict[Ref, Pin] = {pin.ref: pin for pin in state.pins}
        self.moves: list[Move] = []
        self.references = state.references
        self._ghosts: dict[Ref, Ghost] = {ghost.ref: ghost for ghost in state.ghosts}
        self._next_order = state.next_order
        self._settings = settings
        self._policy = policy_of(settings.eviction)
        self._memory = state.memory
        self._arrivals: list[Ref] = []
        self._capacity = state.budget
        self._wide = state.faults.wide

    def copy(self) -> Draft:
        """Return a draft at the same point that can go another way."""
        other = Draft.__new__(Draft)
        other.__dict__.update(self.__dict__)
        other.entries, other.pins = dict(self.entries), dict(self.pins)
        other.moves, other._ghosts = list(self.moves), dict(self._ghosts)
        other._arrivals = list(self._arrivals)
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
        ghost = self._ghosts.pop(ref, None)
        back = ghost is not None and cause is Cause.FAULT and self._returned_soon(ghost)
        protected = self.turn + self._settings.eviction.refault_protection_turns if back else 0
        self.entries[ref] = changed(
            entry,
            reason=cause.value,
            touched_at=self.references,
            protected_until=Turn(protected),
            uses_before=ghost.uses if ghost is not None else 0,
        )
        self._came_in(ref, tier)
        return self.entries[ref]

    def readmit(self, entry: Entry, cause: Cause) -> None:
        """Give an entry that had left its place again, with the use and heat it had, at the end of its part."""
        origin = self.entries[entry.ref].tier if entry.ref in self.entries else Tier.EVICTED
        if origin is not entry.tier:
            self.moves.append(Move(entry.ref, origin, entry.tier, cause, entry.title))
        self._ghosts.pop(entry.ref, None)
        self.entries[entry.ref] = replace(entry, order=self._new_order(), admitted_turn=self.turn, reason=cause.value)
        self._came_in(entry.ref, entry.tier)

    def promote(self, ref: Ref, tier: Tier, cause: Cause) -> None:
        """Move an entry up, at full fidelity."""
        self._move(ref, tier, cause, Fidelity.FULL)

    def demote(self, ref: Ref, tier: Tier, cause: Cause, detail: str = "") -> None:
        """Move an entry down, keeping it in the set."""
        fidelity = Fidelity.REFERENCE if tier is Tier.FRONTIER_ONLY else self.entries[ref].fidelity
        self._move(ref, tier, cause, fidelity, detail)

    def evict(self, ref: Ref, cause: Cause, detail: str = "") -> None:
        """Take an entry out and remember its ghost. The set's own words leave none: their text goes with them."""
        entry = self.entries.pop(ref)
        self.moves.append(Move(ref, entry.tier, Tier.EVICTED, cause, entry.title, detail))
        if cause in _WORDS_GO:
            return
        heat = heat_at(entry, self.turn, self._settings.heat)
        self._ghosts.pop(ref, None)
        uses = entry.uses + entry.uses_before
        # What somebody said is not repeated by who remembers it: it can be forgotten.
        title = "" if entry.kind in _SAID else entry.title
        self._ghosts[ref] = Ghost(ref, self.turn, self.references, self.moves[-1].reason, heat, title, uses)

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
            self.entries[ref] = changed(self.entries[ref], tokens=tokens)

    def unpin(self, ref: Ref, cause: Cause) -> None:
        """End a pin: the entry falls to what closure demands, else to resident; a goal or text pin leaves."""
        pin = self.pins.pop(ref)
        if pin.has_words:
            self.evict(ref, cause)
            return
        self.demote(ref, Tier.MANDATORY if self.entries[ref].required_by else Tier.RESIDENT, cause)

    def count_use(self, whole_file: bool) -> None:
        """Move the reference clock on by one use."""
        self.references += 1
        self._wide += whole_file

    def tell_used(self, ref: Ref) -> None:
        """Tell the eviction policy that a page that was there was used."""
        self._memory = self._policy.touch(self._memory, self.page(self.entries[ref]), self._capacity)

    @property
    def forces_admission(self) -> bool:
        """True where the eviction policy wants what was just used to stay while other pages can make the room."""
        return self._policy.forces_admission

    def victims(self, may_go: Iterable[Entry], needed: Tokens) -> list[Ref]:
        """Return which of the entries go first, so that `needed` tokens are free or none are left."""
        self._tell_arrivals()
        pages = [self.page(entry) for entry in may_go]
        if needed <= 0 or not pages:
            return []
        there = frozenset(ref for ref, entry in self.entries.items() if entry.tier in _TEXT_TIERS)
        kept = there.difference(page.ref for page in pages)
        named = self._policy.victims(self._memory, pages, needed, self._capacity, kept)
        self._memory = named.memory
        return list(named.refs)

    def page(self, entry: Entry) -> Page:
        """Return the eviction policy's view of an entry."""
        wide_share = self._wide / (self.references + self._settings.eviction.wide_prior_references)
        settings = self._settings
        return page_of(entry, self.references, self.turn, settings.heat, settings.eviction, wide_share)

    def into(self, state: WorkingSet) -> WorkingSet:
        """Return the state with what the draft holds: entries in order, pins by age, the newest ghosts of the ring."""
        self._tell_arrivals()
        ghosts = list(self._ghosts.values())
        kept = ghosts[max(0, len(ghosts) - self._settings.eviction.ghosts_limit) :]
        return replace(
            state,
            entries=tuple(sorted(self.entries.values(), key=lambda entry: entry.order)),
            pins=tuple(sorted(self.pins.values(), key=lambda p: (p.owner is PinOwner.GOAL, p.pinned_turn, p.ref))),
            ghosts=tuple(kept),
            next_order=self._next_order,
            memory=self._memory,
        )

    def between_turns(self, state: WorkingSet) -> WorkingSet:
        """As `into`, with the moves kept for the receipt of the next turn."""
        return self.into(state).with_moves(self.moves, self._settings.moves_between_limit)

    def _came_in(self, ref: Ref, tier: Tier) -> None:
        if tier in _TEXT_TIERS:
            self._arrivals.append(ref)

    def _returned_soon(self, ghost: Ghost) -> bool:
        """True where the refault distance, in uses, is at most the number of texts in the set (Linux, workingset.c)."""
        texts = sum(entry.tier in _TEXT_TIERS for entry in self.entries.values())
        return self.references - 1 - ghost.evicted_at <= texts

    def _tell_arrivals(self) -> None:
        """Tell the eviction policy what came in since; sizes are known by now."""
        for ref in self._arrivals:
            if ref in self.entries:
                self._memory = self._policy.admit(self._memory, self.page(self.entries[ref]), self._capacity)
        self._arrivals.clear()

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
        came_in = tier in _TEXT_TIERS and entry.tier not in _TEXT_TIERS
        if entry.tier is not tier:
            self.moves.append(Move(ref, entry.tier, tier, cause, entry.title, detail))
            if entry.tier not in _TEXT_TIERS or tier not in _TEXT_TIERS:
                # It goes to another part of the block: at that part's end, so that what stands before keeps its bytes.
                entry = replace(entry, order=self._new_order(), admitted_turn=self.turn)
        self.entries[ref] = changed(entry, tier=tier, fidelity=fidelity, reason=cause.value)
        if came_in:
            self._came_in(ref, tier)
        return self.entries[ref]

    def _new_order(self) -> int:
        order = self._next_order
        self._next_order += 1
        return order
