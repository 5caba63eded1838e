"""The working set as answers show it: items, moves, pins, and the turn itself."""

from __future__ import annotations

from dataclasses import dataclass

from hotset.types.evaluation import CheckAnswer, Coverage, Drift, Ignored, OverBudget, PinReport, Sufficiency
from hotset.types.shared import Cut, Lines, Versions
from hotset.types.words import (
    Answer,
    Change,
    Fidelity,
    Freshness,
    Nothing,
    PinOwner,
    Standing,
    SupportClosure,
    Tier,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """Where an item stands in the block, in bytes of its UTF-8 form, and the digest of that piece."""

    start_byte: int
    bytes: int
    digest: str


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of the working set. `tokens` counts its rendered segment, header included; 0 where not rendered."""

    ref: str
    namespace: str
    kind: str
    title: str
    path: str
    lines: Lines | None
    tier: Tier
    fidelity: Fidelity
    tokens: int
    heat: float
    relevance: float
    reason: str
    generation: int
    digest: str
    standing: Standing
    successor: str
    freshness: Freshness
    required_by: tuple[str, ...]
    closure: SupportClosure
    lanes: tuple[str, ...]
    admitted_turn: int
    segment: Segment | None


@dataclass(frozen=True, slots=True)
class Move:
    """One entry changed its tier, and why. `from_tier` is UNSPECIFIED for one that was not there before."""

    ref: str
    from_tier: Tier
    to_tier: Tier
    reason: str
    title: str


@dataclass(frozen=True, slots=True)
class DeltaEntry:
    """One entry's change since the block before; `text` is its rendered segment, empty where removed."""

    ref: str
    change: Change
    tier: Tier
    fidelity: Fidelity
    text: str


@dataclass(frozen=True, slots=True)
class Delta:
    """What changed between the delivered set of this epoch and this turn's.

    `from_nothing` says that it holds the whole block: drop what you hold of earlier turns, then apply it.
    """

    entries: tuple[DeltaEntry, ...]
    tokens: int
    from_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """The token ledger of a turn: the ceiling in force, the whole block counted, and each tier's share."""

    ceiling_tokens: int
    used_tokens: int
    pinned_tokens: int
    mandatory_tokens: int
    resident_tokens: int
    frontier_tokens: int
    estimated: bool


@dataclass(frozen=True, slots=True)
class Step:
    """Time that one step took in the daemon."""

    name: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin: whose, why, and how long.

    It ends after `expires_turn`, with its epoch, or at `expires_at_seconds` of Unix time, whichever comes first; 0 and
    False mean that this does not end it. With `follow_successor` it moves on to what supersedes its record.
    """

    ref: str
    owner: PinOwner
    reason: str
    expires_turn: int
    pinned_turn: int
    title: str
    tokens: int
    expires_with_epoch: bool
    expires_at_seconds: int
    follow_successor: bool


@dataclass(frozen=True, slots=True)
class Ghost:
    """What is remembered of an evicted entry."""

    ref: str
    evicted_turn: int
    reason: str
    heat: float
    title: str


@dataclass(frozen=True, slots=True)
class Faults:
    """How often what the agent used was in the block; `refaults` are faults on what had been evicted before."""

    references: int
    hits: int
    faults: int
    refaults: int


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """The working set as it stands.

    `user_request` is the user's request that is open, empty where none is. `lineage` names the agents that the set was
    forked or handed from, nearest first. `reset_reason` is what the host said when it began this epoch.
    """

    agent: str
    epoch: int
    turn: int
    goal: str
    items: tuple[Item, ...]
    pins: tuple[Pin, ...]
    ghosts: tuple[Ghost, ...]
    ghost_count: int
    budget: Budget
    drift: Drift
    faults: Faults
    cut: Cut
    versions: Versions
    model_calls: int
    state_digest: str
    last_receipt: str
    user_request: str
    lineage: tuple[str, ...]
    undo_offered: bool
    reset_reason: str


@dataclass(frozen=True, slots=True)
class FocusAnswer:
    """One turn: what deserves a place in the context, what moved and why, and what was left out.

    `block` is the text for the context; it is empty with `delta_only`, where over budget, and in mode CHECK and STATUS
    (which fill `check` and `status` instead of the rest). `replayed` says that the answer was stored for an earlier
    call with the same request id. `prefix_stable` is the share of the earlier block that this one begins with.
    `undo_offered` says that this turn refocused, and that `undo_refocus` takes it back until the next Focus.
    """

    agent: str
    epoch: int
    turn: int
    answer: Answer
    items: tuple[Item, ...]
    block: str
    delta: Delta
    ignored: Ignored
    sufficiency: Sufficiency
    drift: Drift
    coverage: Coverage
    budget: Budget
    over_budget: OverBudget | None
    moves: tuple[Move, ...]
    filtering_reason: Nothing | None
    degraded: bool
    receipt: str
    receipt_digest: str
    cut: Cut
    versions: Versions
    model_calls: int
    embedding_calls: int
    check: CheckAnswer | None
    status: StatusAnswer | None
    replayed: bool
    prefix_stable: float
    pin_reports: tuple[PinReport, ...]
    steps: tuple[Step, ...]
    undo_offered: bool
