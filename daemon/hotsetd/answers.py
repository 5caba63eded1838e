"""What the use cases answer, as values. `hotsetd.wire` turns them into messages; some are stored for repeated calls."""

from __future__ import annotations

from dataclasses import dataclass

from workingset.budget import OverBudget
from workingset.candidate import Architecture, Entity, LaneOutcome
from workingset.drift import Drift
from workingset.entry import Pin
from workingset.obligation import ObligationOutcome
from workingset.remainder import Ignored
from workingset.sufficiency import Nothing, Sufficiency
from workingset.tier import Move
from workingset.transitions.focus import FocusOutcome
from workingset.transitions.refresh import PinReport
from workingset.transitions.touch import Action, Touched
from workingset.vocabulary import (
    AgentId,
    Cut,
    Digest,
    Generation,
    Lines,
    Namespace,
    OppositionCoverage,
    Ref,
    Robustness,
    Standing,
    SupportClosure,
    Tokens,
    Turn,
)
from workingset.working_set import WorkingSet


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the search claims, kept apart from what the set decided."""

    cut: Cut
    lanes: tuple[LaneOutcome, ...]
    rejected: tuple[tuple[str, int], ...]
    entities: tuple[Entity, ...]
    ranked: int
    origins: int
    support: SupportClosure
    model_calls: int
    embedding_calls: int
    profile: str = ""
    obligations: tuple[ObligationOutcome, ...] = ()
    opposition: OppositionCoverage = OppositionCoverage.NOT_REQUESTED
    robustness: Robustness = Robustness.NOT_REQUESTED
    disagreement: float | None = None
    opposed: tuple[tuple[Ref, tuple[Ref, ...]], ...] = ()
    architecture: Architecture | None = None

    @property
    def degraded(self) -> bool:
        """True where any lane did not take full part."""
        return any(lane.degraded for lane in self.lanes)


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusAnswer:
    """One turn's answer. `timings_ms` are of this process and not part of any digest."""

    outcome: FocusOutcome
    coverage: Coverage
    receipt_digest: Digest
    timings_ms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnswer:
    """The evaluation of a goal without moving anything: `evaluated` is the set as it would be, `state` as it is."""

    state: WorkingSet
    evaluated: WorkingSet
    sufficiency: Sufficiency
    ignored: Ignored
    drift: Drift
    over_budget: OverBudget | None
    nothing: Nothing | None
    pin_reports: tuple[PinReport, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusAnswer:
    """The working set as stored, and the digest of its bytes."""

    state: WorkingSet
    state_digest: Digest
    cut: Cut


@dataclass(frozen=True, slots=True)
class ObservedUse:
    """A use found in an observation, by its place in the request, from the words that were matched."""

    observation: int
    action: Action
    matched: str
    touched: Touched


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchAnswer:
    """What each use came to. `use` counts uses of the request from 0; `unmatched` are those no record matches.

    `kept` are the records of history, and `passed_over` counts what was observed and not taken, by reason.
    """

    state: WorkingSet
    touched: tuple[tuple[int, Touched], ...]
    unmatched: tuple[int, ...]
    moves: tuple[Move, ...]
    observed: tuple[ObservedUse, ...] = ()
    kept: tuple[Ref, ...] = ()
    passed_over: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PinAnswer:
    """A pin that was taken, or why it can never fit."""

    pin: Pin
    title: str
    tokens: Tokens
    moves: tuple[Move, ...]
    over_budget: OverBudget | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MovesAnswer:
    """The moves of an unpin, an eviction or an undone refocus."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseAnswer:
    """The request that was closed, and the moves."""

    user_request: str
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessorAnswer:
    """The set that another agent got."""

    agent: AgentId
    other: AgentId
    turn: Turn
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """How much of a kind was deleted, and how much a look through the whole store still found."""

    what: str
    count: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetAnswer:
    """What was deleted of an agent."""

    agent: AgentId
    deleted: tuple[Deleted, ...]

    @property
    def verified(self) -> bool:
        """True where nothing is left."""
        return all(deleted.left == 0 for deleted in self.deleted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetAnswer:
    """The epoch that a reset began."""

    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """One record's text, or the piece of it that was asked for."""

    ref: Ref
    namespace: Namespace
    kind: str
    title: str
    text: str
    generation: Generation
    digest: Digest
    standing: Standing
    total_bytes: int
    successor: Ref | None = None
    next_offset_bytes: int = 0
    path: str = ""
    lines: Lines | None = None
    outline: str = ""
    gist: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    retrieved_seconds: int = 0
    verified_seconds: int = 0
    validator: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveAnswer:
    """The records that fitted, and the refs to ask again with."""

    records: tuple[Resolved, ...]
    remaining: tuple[Ref, ...]
    cut: Cut
