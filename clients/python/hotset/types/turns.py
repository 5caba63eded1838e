"""Uses that an agent reports, and the answers to Touch, Resolve, Pin, Unpin, Evict and ResetContext."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hotset.types.evaluation import OverBudget
from hotset.types.shared import Cut, Lines, Versions
from hotset.types.words import Answer, Standing, UseAction
from hotset.types.working_set import Faults, Move, Pin


@dataclass(frozen=True, slots=True)
class Use:
    """One use by the agent: a ref, or a path (with lines, or the whole file) in a namespace."""

    ref: str = ""
    namespace: str = ""
    path: str = ""
    lines: Lines | None = None
    action: UseAction = UseAction.READ


@dataclass(frozen=True, slots=True)
class Touched:
    """What one use met: `use` is its place in the request; `fault` says not all of it was in the block at full."""

    use: int
    refs: tuple[str, ...]
    fault: bool
    paged_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TouchAnswer:
    """Which uses were hits and which were faults; `unmatched` are the places of uses that match no record."""

    agent: str
    turn: int
    touched: tuple[Touched, ...]
    unmatched: tuple[int, ...]
    moves: tuple[Move, ...]
    faults: Faults
    versions: Versions
    model_calls: int
    replayed: bool


@dataclass(frozen=True, slots=True)
class ResolvedRecord:
    """A record's text as read by ref. `next_offset_bytes` is 0 where the text is whole from the offset on.

    `successor` names what superseded it, if anything did.
    """

    ref: str
    namespace: str
    kind: str
    title: str
    path: str
    lines: Lines | None
    text: str
    generation: int
    digest: str
    standing: Standing
    total_bytes: int
    next_offset_bytes: int
    outline: str
    gist: str
    attributes: Mapping[str, str] = field(hash=False)
    successor: str


@dataclass(frozen=True, slots=True)
class ResolvePage:
    """One reply to Resolve; `remaining` are the refs to ask for again because the reply was full."""

    records: tuple[ResolvedRecord, ...]
    remaining: tuple[str, ...]
    cut: Cut
    versions: Versions
    model_calls: int


@dataclass(frozen=True, slots=True)
class ResolveAnswer:
    """All records asked for, whole, in the order they were asked for, each namespace read at one generation."""

    records: tuple[ResolvedRecord, ...]
    cut: Cut
    versions: Versions


@dataclass(frozen=True, slots=True)
class PinAnswer:
    """The pin as taken, or OVER_BUDGET with what would have been needed, and then `pin` is None."""

    agent: str
    answer: Answer
    pin: Pin | None
    over_budget: OverBudget | None
    moves: tuple[Move, ...]
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class UnpinAnswer:
    """What unpinning moved."""

    agent: str
    moves: tuple[Move, ...]
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class EvictAnswer:
    """What evicting moved."""

    agent: str
    moves: tuple[Move, ...]
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class ResetAnswer:
    """The new epoch, in which nothing counts as delivered."""

    agent: str
    epoch: int
    versions: Versions
    replayed: bool
