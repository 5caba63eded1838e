"""One agent's working set as a value, and the invariants it keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workingset.drift import Baseline, Drift
from workingset.entry import Entry, Ghost, Pin, PinOwner
from workingset.eviction.policy import Memory
from workingset.tier import Move, Tier
from workingset.vocabulary import AgentId, Cut, Digest, Epoch, Fidelity, Namespace, Ref, SupportClosure, Tokens, Turn


@dataclass(frozen=True, slots=True)
class Delivered:
    """One segment the host received in this epoch: which text, at which fidelity, and how long it is."""

    ref: Ref
    tier: Tier
    fidelity: Fidelity
    segment: Digest
    bytes: int


@dataclass(frozen=True, slots=True)
class FaultCounts:
    """References the agent made, how many found their text in the set, and how many were to whole files."""

    references: int = 0
    hits: int = 0
    faults: int = 0
    refaults: int = 0
    wide: int = 0


@dataclass(frozen=True, slots=True)
class Ancestor:
    """An agent whose words another may read: those of one filling of its namespace, which `incarnation` names."""

    agent: AgentId
    incarnation: int


@dataclass(frozen=True, slots=True)
class WorkingSet:
    """Everything that is remembered for one agent between calls.

    `entries` are by `order`. `references` is the reference clock: how many uses were ever reported.
    `situation` is a digest of what the last Focus decided on; where it is equal nothing needs to move. `delivered` is
    the ledger of this epoch, in the order of the block. `delivered_turn` is the turn it was written in, `drift`
    the verdict of the last turn. `focused_seconds` is the Unix time of the last turn, `memory` what the eviction policy
    remembers, `undo` the entries that a refocus of the last turn started from. `ancestors` are those whose words
    this one may read beside its own, nearest first; `reset_reason` is what the host said when it began the epoch.
    `between` are the moves made since the last turn, which the receipt of the next one accounts for; `between_dropped`
    counts older ones beyond the limit. `history_count`
    says how many observations were kept as records, `history_last` is the ref of the last one.
    """

    agent: AgentId
    epoch: Epoch = Epoch(0)
    turn: Turn = Turn(0)
    budget: Tokens = Tokens(0)
    namespaces: tuple[Namespace, ...] = ()
    entries: tuple[Entry, ...] = ()
    pins: tuple[Pin, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
    references: int = 0
    faults: FaultCounts = field(default_factory=FaultCounts)
    next_order: int = 0
    delivered: tuple[Delivered, ...] = ()
    delivered_turn: Turn = Turn(0)
    block_tokens: Tokens = Tokens(0)
    baseline: Baseline = field(default_factory=Baseline)
    drift: Drift | None = None
    situation: Digest = Digest("")
    cut: Cut = field(default_factory=Cut)
    last_receipt: str = ""
    focused_seconds: int = 0
    memory: Memory = field(default_factory=Memory)
    undo: tuple[Entry, ...] | None = None
    ancestors: tuple[Ancestor, ...] = ()
    reset_reason: str = ""
    between: tuple[Move, ...] = ()
    between_dropped: int = 0
    history_count: int = 0
    history_last: Ref | None = None

    @property
    def lineage(self) -> tuple[AgentId, ...]:
        """The agents whose words this one may read beside its own, nearest first."""
        return tuple(ancestor.agent for ancestor in self.ancestors)

    def with_moves(self, moves: Sequence[Move], limit: int) -> WorkingSet:
        """Return the set with moves made between turns, the newest of them by name and all of them counted."""
        between = (*self.between, *moves)
        over = max(0, len(between) - limit)
        return replace(self, between=between[over:], between_dropped=self.between_dropped + over)

    def entry(self, ref: Ref) -> Entry | None:
        """Return the entry of a ref, or None."""
        return next((entry for entry in self.entries if entry.ref == ref), None)

    def pin(self, ref: Ref) -> Pin | None:
        """Return the pin of a ref, or None."""
        return next((pin for pin in self.pins if pin.ref == ref), None)

    @property
    def goal(self) -> Pin | None:
        """The pin of the current goal; None before the first turn."""
        return next((pin for pin in self.pins if pin.owner is PinOwner.GOAL), None)

    @property
    def request(self) -> Pin | None:
        """The user's open request; None where none is."""
        return next((pin for pin in self.pins if pin.owner is PinOwner.REQUEST), None)

    def check(self) -> list[str]:
        """Return every broken invariant in words; an empty list means that the set is sound."""
        return [*_check_entries(self), *_check_pins(self), *_check_closure(self)]


def _check_entries(state: WorkingSet) -> list[str]:
    counts = Counter(entry.ref for entry in state.entries)
    ghosts = {ghost.ref for ghost in state.ghosts}
    faults = state.faults
    return [
        *(f"{ref} has {count} entries" for ref, count in counts.items() if count > 1),
        *(f"{entry.ref} is an entry in tier evicted" for entry in state.entries if entry.tier is Tier.EVICTED),
        *(f"{ref} is an entry and a ghost" for ref in counts if ref in ghosts),
        *(f"{entry.ref} has negative heat" for entry in state.entries if entry.heat < 0),
        *(f"{entry.ref} was admitted in the future" for entry in state.entries if entry.admitted_turn > state.turn),
        *(
            ["entries are out of order"]
            if [e.order for e in state.entries] != sorted({e.order for e in state.entries})
            else []
        ),
        *(["hits and faults do not add up"] if faults.hits + faults.faults != faults.references else []),
    ]


def _check_pins(state: WorkingSet) -> list[str]:
    pinned = {entry.ref for entry in state.entries if entry.tier is Tier.PINNED}
    pins = {pin.ref for pin in state.pins if pin.owner is not PinOwner.REQUEST}
    goals = [pin for pin in state.pins if pin.owner is PinOwner.GOAL]
    requests = [pin for pin in state.pins if pin.owner is PinOwner.REQUEST]
    return [
        *(f"{ref} is pinned without an entry in tier pinned" for ref in sorted(pins - pinned)),
        *(f"{ref} is in tier pinned without a pin" for ref in sorted(pinned - pins)),
        *(
            f"{entry.ref} is {entry.tier.value} but not at full fidelity"
            for entry in state.entries
            if entry.tier in {Tier.PINNED, Tier.MANDATORY} and entry.fidelity is not Fidelity.FULL
        ),
        *(["there are several goals"] if len(goals) > 1 else []),
        *(["there are several open requests"] if len(requests) > 1 else []),
        *(
            f"the open request {pin.ref} has no mandatory entry"
            for pin in requests
            if pin.text != (state.goal.text if state.goal else "")
            and _is_asked_for(state, pin.ref)
            and getattr(state.entry(pin.ref), "tier", None) is not Tier.MANDATORY
        ),
    ]


def _is_asked_for(state: WorkingSet, request: Ref) -> bool:
    """True where the goal requires the request; one opened in a turn without room for it waits for the next."""
    goal = state.entry(state.goal.ref) if state.goal else None
    return goal is not None and request in goal.requires


def _check_closure(state: WorkingSet) -> list[str]:
    refs = {entry.ref for entry in state.entries}
    return [
        *(
            f"{entry.ref} is required by {dependent}, which is not in the set"
            for entry in state.entries
            for dependent in entry.required_by
            if dependent not in refs
        ),
        *(
            f"{entry.ref} is mandatory for nothing"
            for entry in state.entries
            if entry.tier is Tier.MANDATORY and not entry.required_by
        ),
        *(
            f"{entry.ref} is closed without {need}, which it needs whole"
            for entry in state.entries
            if entry.closure is SupportClosure.CLOSED
            for need in entry.requires
            if entry.needs(need) and not _is_whole(state.entry(need))
        ),
    ]


def _is_whole(entry: Entry | None) -> bool:
    return entry is not None and entry.tier in {Tier.PINNED, Tier.MANDATORY} and entry.fidelity is Fidelity.FULL
