"""What retrieval offers to the working set: a record read at the cut, with its renderings and its relevance.

These are the only types, beside the vocabulary, that both rooms know.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workingset.obligation import ObligationOutcome
from workingset.vocabulary import (
    Cut,
    Digest,
    Freshness,
    Generation,
    Lines,
    Namespace,
    OppositionCoverage,
    Ref,
    Relevance,
    Robustness,
    SearchCoverage,
    Standing,
    SupportClosure,
    Translation,
)


@dataclass(frozen=True, slots=True)
class Renderings:
    """A record's text at falling fidelity, all extractive. `outline` or `gist` may equal `full` when it is short.

    `gist` is one line. A reference needs no text: its header is enough.
    """

    full: str
    outline: str
    gist: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One record as it stands at the cut.

    `relevance` is on the one scale for all lanes; `selection_score` orders and nothing else. `requires` are the
    refs the record needs by mandatory relations, transitively, nearest first; `closure` says whether all were found,
    and `unmet` how many were not. `opposed_by` are those of them that are no needs but live records against it.
    `origin` names what the text is a copy of; equal origins count once for diversity.
    """

    ref: Ref
    namespace: Namespace
    kind: str
    title: str
    generation: Generation
    digest: Digest
    renderings: Renderings
    path: str = ""
    lines: Lines | None = None
    language: str = ""
    relevance: Relevance = Relevance(0.0)
    selection_score: float = 0.0
    lanes: tuple[str, ...] = ()
    features: tuple[tuple[str, float], ...] = ()
    requires: tuple[Ref, ...] = ()
    closure: SupportClosure = SupportClosure.NOT_REQUESTED
    standing: Standing = Standing.CURRENT
    successor: Ref | None = None
    freshness: Freshness = Freshness.UNKNOWN
    origin: str = ""
    unmet: int = 0
    opposed_by: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class LaneOutcome:
    """What one lane did for one goal.

    `state` is one of ok, partial, timed_out, unavailable, cancelled, failed, skipped. `covered` is the share of the
    scope's records that the lane can see; `lag` counts changes of the store its index has not taken in; `truncated`
    says that more matched than the lane returned. `filtering` is what became of the scope in the lane; whatever it was,
    no record from outside is a result.
    """

    lane: str
    state: str
    hits: int = 0
    covered: float = 1.0
    lag: int = 0
    coverage: SearchCoverage = SearchCoverage.HEURISTIC
    note: str = ""
    truncated: bool = False
    filtering: Translation = Translation.PRESERVED

    @property
    def degraded(self) -> bool:
        """True where the lane did not take full part."""
        return self.state not in {"ok", "skipped"}


@dataclass(frozen=True, slots=True)
class Entity:
    """A name that the goal mentions, and whether it occurs anywhere in the scope."""

    name: str
    found: bool


@dataclass(frozen=True, slots=True)
class Architecture:
    """What manifests of source trees say of the results: records by verdict, what must be there and is not, and what is
    wrong with a manifest. `eroded` names the first records that break rules, with the rules."""

    counts: tuple[tuple[str, int], ...] = ()
    missing: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    eroded: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class GoalView:
    """What the core may know of a goal: its text, its terms and, where an embedder works, its vector."""

    text: str
    terms: frozenset[str] = frozenset()
    vector: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Projection:
    """Everything retrieval says about one goal at one cut.

    `ranked` holds every revalidated result at or above the relevance floor, best first, in the total order (selection
    score falling, then ref). `support` holds what they require and is not ranked itself. `known` holds the records that
    the caller asked for by ref (the present set), whatever their relevance. `rejected` counts hits that failed
    revalidation, by reason; `near_misses` counts results below the floor; `overflow` counts matches that the lanes'
    caps kept from being ranked, an upper bound. `disagreement` is the share of the best of the lexical and the vector
    lane that only one has, None where one has none. `profile` names what was owed, `obligations` say what became of it,
    in its order.
    """

    goal: GoalView
    cut: Cut
    ranked: tuple[Candidate, ...] = ()
    support: tuple[Candidate, ...] = ()
    known: tuple[Candidate, ...] = ()
    missing: tuple[Ref, ...] = ()
    lanes: tuple[LaneOutcome, ...] = ()
    rejected: tuple[tuple[str, int], ...] = ()
    entities: tuple[Entity, ...] = ()
    near_misses: int = 0
    overflow: int = 0
    records_in_scope: int = 0
    model_calls: int = 0
    embedding_calls: int = 0
    fusion: str = ""
    profile: str = ""
    obligations: tuple[ObligationOutcome, ...] = ()
    opposition: OppositionCoverage = OppositionCoverage.NOT_REQUESTED
    robustness: Robustness = Robustness.NOT_REQUESTED
    disagreement: float | None = None
    architecture: Architecture | None = None
    timings_ms: tuple[tuple[str, float], ...] = field(default=(), compare=False)

    @property
    def degraded(self) -> bool:
        """True where any lane did not take full part."""
        return any(lane.degraded for lane in self.lanes)
