"""The naive agent of the engine's model test: what must be true of one agent's set, as plain counts and dicts.

Nothing here packs, ranks or renders. It keeps what was promised: which pins hold, which request is open, which clocks
stand where, what the host has received, what was evicted, and which moves the next receipt has to account for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from workingset.delivery import Change, DeltaEntry
from workingset.entry import GOAL_NAMESPACE, REQUEST_NAMESPACE, Pin, PinOwner
from workingset.tier import Move, Tier
from workingset.vocabulary import Digest, Ref
from workingset.working_set import WorkingSet

OWN_WORDS = (GOAL_NAMESPACE, REQUEST_NAMESPACE)
PARTS = {Tier.PINNED: 0, Tier.MANDATORY: 1, Tier.RESIDENT: 1, Tier.FRONTIER_ONLY: 2, Tier.EVICTED: 3}
"""The parts of a block, in order; own words come after them."""


@dataclass(frozen=True)
class Held:
    """A pin of a host or an agent as it was asked for. An `epoch` of None and zeros never end it."""

    owner: PinOwner
    text: str = ""
    last_turn: int = 0
    epoch: int | None = None
    until_seconds: int = 0
    follows: bool = False

    def holds(self, turn: int, epoch: int, now: int) -> bool:
        """True while nothing has ended it."""
        over = (
            0 < self.last_turn < turn,
            self.epoch is not None and epoch > self.epoch,
            0 < self.until_seconds <= now,
        )
        return not any(over)

    @classmethod
    def of(cls, pin: Pin) -> Held:
        """What a pin of a set says."""
        return cls(pin.owner, pin.text, pin.expires_turn, pin.epoch, pin.expires_seconds, pin.follow_successor)


@dataclass(frozen=True)
class Shown:
    """The last block the agent was sent in this epoch: refs by part, in order, and each segment's digest and size."""

    parts: dict[int, list[Ref]] = field(default_factory=dict)
    pieces: tuple[tuple[Digest, int], ...] = ()


@dataclass
class Agent:
    """One agent. `host` is what its host holds, by ref, and `undo` what a refocus of the last turn started from."""

    name: str
    turn: int = 0
    epoch: int = 0
    budget: int = 0
    scope: tuple[str, ...] = ()
    goal: str | None = None
    request: str | None = None
    pins: dict[Ref, Held] = field(default_factory=dict)
    references: int = 0
    faults: int = 0
    host: dict[Ref, str] = field(default_factory=dict)
    host_turn: int = 0
    earlier_turn: int = 0
    shown: Shown = field(default_factory=Shown)
    between: list[Move] = field(default_factory=list)
    since_shown: set[Ref] = field(default_factory=set)
    ghosts: list[Ref] = field(default_factory=list)
    undo: dict[Ref, Tier] | None = None
    ancestors: tuple[tuple[str, int], ...] = ()
    said: int = 0

    def expired(self, now: int) -> set[Ref]:
        """The pins that the next turn ends."""
        return {ref for ref, pin in self.pins.items() if not pin.holds(self.turn + 1, self.epoch, now)}

    def receive(self, delta: Sequence[DeltaEntry], turn: int, *, anew: bool) -> None:
        """Follow a delta as a host does; one that holds all there is begins with nothing."""
        now = {} if anew else dict(self.host)
        for entry in delta:
            if entry.change is Change.REMOVED:
                del now[entry.ref]
            else:
                assert (entry.ref in now) is (entry.change is Change.UPDATED), entry
                now[entry.ref] = entry.text
        if not anew:
            self.earlier_turn = self.host_turn
        self.host, self.host_turn = now, turn

    def moved(self, moves: Iterable[Move], ring: int) -> None:
        """Keep the ring of ghosts; the set's own words leave none. Remember who changed its part of the block."""
        for move in moves:
            if PARTS[move.origin] != PARTS[move.target]:
                self.since_shown.add(move.ref)
            if move.ref.startswith(tuple(f"{own}:" for own in OWN_WORDS)):
                continue
            if move.ref in self.ghosts:
                self.ghosts.remove(move.ref)
            if move.target is Tier.EVICTED:
                self.ghosts.append(move.ref)
        del self.ghosts[: max(0, len(self.ghosts) - ring)]

    def reset(self) -> None:
        """The host cleared its context."""
        self.epoch += 1
        self.host, self.shown = {}, Shown()

    def successor(self, name: str, filling: int) -> Agent:
        """The same set as another agent's, in its first epoch, of which its host has received nothing.

        It may read what was kept for this one, as long as that is the same `filling` of its namespace.
        """
        pins = {ref: pin if pin.epoch is None else replace(pin, epoch=0) for ref, pin in self.pins.items()}
        return Agent(
            name=name,
            turn=self.turn,
            budget=self.budget,
            scope=self.scope,
            goal=self.goal,
            request=self.request,
            pins=pins,
            references=self.references,
            faults=self.faults,
            ghosts=list(self.ghosts),
            ancestors=tuple(dict.fromkeys(((self.name, filling), *self.ancestors))),
        )

    def agrees(self, state: WorkingSet, moves_limit: int) -> None:
        """Fail where the set says anything else."""
        assert (state.agent, state.turn, state.epoch, state.budget) == (self.name, self.turn, self.epoch, self.budget)
        held = {pin.ref: Held.of(pin) for pin in state.pins if pin.owner in (PinOwner.HOST, PinOwner.AGENT)}
        assert held == self.pins
        assert (state.goal.text if state.goal else None) == self.goal
        assert (state.request.text if state.request else None) == self.request
        counts = state.faults
        assert (state.references, counts.references) == (self.references, self.references)
        assert (counts.faults, counts.hits) == (self.faults, self.references - self.faults)
        assert list(state.between) == self.between[-moves_limit:]
        assert state.between_dropped == max(0, len(self.between) - moves_limit)
        assert [ghost.ref for ghost in state.ghosts] == self.ghosts
        assert (state.undo is None) is (self.undo is None)
        assert state.lineage == tuple(name for name, _ in self.ancestors)
        assert state.history_count == self.said
        self._agrees_on_delivery(state)

    def _agrees_on_delivery(self, state: WorkingSet) -> None:
        assert {piece.ref for piece in state.delivered} == set(self.host)
        assert tuple((piece.segment, piece.bytes) for piece in state.delivered) == self.shown.pieces
