"""What Focus and Check both say of a goal: enough or not, drift, coverage, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass

from hotset.types.owed import Architecture, Obligation, Opposed
from hotset.types.shared import Cut, ReasonCount, Versions
from hotset.types.words import (
    Answer,
    DriftHold,
    DriftVerdict,
    Freshness,
    LaneState,
    Nothing,
    OppositionCoverage,
    Robustness,
    SearchCoverage,
    Standing,
    SufficiencyState,
    SupportClosure,
    Tier,
    Translation,
)


@dataclass(frozen=True, slots=True)
class Omission:
    """One relevant record that is not in the block, and why."""

    ref: str
    why: str
    relevance: float
    title: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """The honest remainder: relevant records whose text is not in the block.

    `count` is an upper bound, split by `reasons`; `best` holds the most relevant of them, and `truncated` says that
    more lie behind. `near_misses` counts records below the relevance floor and `reduced` ranked records that are in
    the block as an outline or one line, both apart from `count`.
    """

    count: int
    reasons: tuple[ReasonCount, ...]
    best: tuple[Omission, ...]
    truncated: bool
    near_misses: int
    reduced: int


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """The stop signal, made without looking at answers.

    Relevances are 0 to 1: `top_relevance` of the best record, `captured` the share of ranked relevance that is in the
    set, `captured_full` that of whole texts alone, `marginal` the best record left out. Where `calibrated` is false,
    no error rate is known.
    """

    state: SufficiencyState
    cause: str
    top_relevance: float
    captured: float
    marginal: float
    truncated: bool
    open_obligations: tuple[str, ...]
    calibrated: bool
    captured_full: float


@dataclass(frozen=True, slots=True)
class Signal:
    """One measured sign of drift against its threshold; `measured` is false where it could not be taken."""

    name: str
    value: float
    threshold: float
    measured: bool


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """An entry whose record changed or went since it was admitted."""

    ref: str
    admitted_generation: int
    generation: int
    what: str


@dataclass(frozen=True, slots=True)
class Drift:
    """Whether the goal or the evidence moved away from the set, with the numbers behind the verdict.

    `held` says why it holds where the signals alone would not have it so.
    """

    verdict: DriftVerdict
    signals: tuple[Signal, ...]
    stale: tuple[StaleEntry, ...]
    calibrated: bool
    held: DriftHold = DriftHold.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class LaneReport:
    """What one search lane did: hits, the share of the scope it can see (0 to 1), and its lag in changes."""

    lane: str
    state: LaneState
    hits: int
    covered: float
    lag: int
    coverage: SearchCoverage
    note: str
    truncated: bool
    filtering: Translation = Translation.PRESERVED


@dataclass(frozen=True, slots=True)
class Entity:
    """A name that the goal mentions, and whether it occurs anywhere in the scope."""

    name: str
    found: bool


@dataclass(frozen=True, slots=True)
class Coverage:
    """Support, search, opposition and freshness, kept apart on purpose: there is no single "complete".

    `obligations` are what the attention profile owes, in its order; `origins` counts copies once. `architecture` is
    None where no tree in scope has a manifest.
    """

    support_closure: SupportClosure
    search: SearchCoverage
    opposition: OppositionCoverage
    freshness: Freshness
    lanes: tuple[LaneReport, ...]
    rejected: tuple[ReasonCount, ...]
    entities: tuple[Entity, ...]
    ranked: int
    origins: int
    profile: str
    obligations: tuple[Obligation, ...]
    opposed: tuple[Opposed, ...]
    architecture: Architecture | None
    robustness: Robustness = Robustness.NOT_REQUESTED
    disagreement: float | None = None


@dataclass(frozen=True, slots=True)
class Offender:
    """One pinned or mandatory entry that takes part in exceeding the budget."""

    ref: str
    tier: Tier
    tokens: int
    title: str


@dataclass(frozen=True, slots=True)
class OverBudget:
    """Pins and mandatory entries alone exceed the budget: raise it to `needed_tokens`, or unpin offenders."""

    needed_tokens: int
    offenders: tuple[Offender, ...]


@dataclass(frozen=True, slots=True)
class PinReport:
    """A pin whose record was superseded or removed, and what to do about it.

    Where the pin follows its record's successor, `replaced_by` is the ref that is pinned now.
    """

    ref: str
    standing: Standing
    successor: str
    what_to_do: str
    replaced_by: str


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """The answer to "do I have enough?". Nothing was moved by asking."""

    agent: str
    turn: int
    answer: Answer
    sufficiency: Sufficiency
    ignored: Ignored
    drift: Drift
    coverage: Coverage
    over_budget: OverBudget | None
    filtering_reason: Nothing | None
    degraded: bool
    cut: Cut
    versions: Versions
    model_calls: int
    embedding_calls: int
    pin_reports: tuple[PinReport, ...]
