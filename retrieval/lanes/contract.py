"""What a lane promises, versioned, so that nobody takes one lane's claim or scale for another's.

The `RankInfo` types keep each lane's own score apart: BM25 12 and cosine 0.8 are never sorted together.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from math import log

from retrieval.record import NameKind
from workingset.vocabulary import SearchCoverage, Translation


@unique
class HardFilter(Enum):
    """How a lane keeps to the namespaces of the scope. UNSUPPORTED: not at all; admission refuses what lies outside."""

    NATIVE = "native"
    EXACT_PREFILTER = "exact_prefilter"
    OVERFETCH_POSTFILTER = "overfetch_postfilter"
    POSTFILTER = "postfilter"
    UNSUPPORTED = "unsupported"

    def translation(self, *, truncated: bool) -> Translation:
        """What it makes of the scope in an answer that is, or is not, cut off by the lane's cap."""
        if self in {HardFilter.NATIVE, HardFilter.EXACT_PREFILTER}:
            return Translation.PRESERVED
        if self is HardFilter.UNSUPPORTED:
            return Translation.UNSUPPORTED
        return Translation.WEAKENED if truncated else Translation.POST_FILTER


@unique
class Reads(Enum):
    """How fresh a lane's view is: the snapshot itself, or an index that follows the store."""

    SNAPSHOT = "snapshot"
    FOLLOWER = "follower"


@dataclass(frozen=True, slots=True)
class LaneContract:
    """One lane's promise. `coverage` is the strongest claim it can make; an outcome may claim less, never more.

    Raises ValueError for a lane that filters afterwards and claims to be exhaustive.
    """

    lane: str
    version: int
    coverage: SearchCoverage
    hard_filter: HardFilter
    reads: Reads
    rank: type[RankInfo]
    deterministic: bool = True

    def __post_init__(self) -> None:
        filtered = self.hard_filter.translation(truncated=False) is Translation.PRESERVED
        if self.coverage is SearchCoverage.EXHAUSTIVE and not filtered:
            raise ValueError(f"lane {self.lane}: what filters by {self.hard_filter.value} is never exhaustive")


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """The record carries the name `name` of the kind, or is named by ref (`kind` None).

    `written` is what the goal wrote, of which `name` may be a part or, for a path, the whole. `strength` in (0, 1] says
    how surely the goal meant a name. `matches` counts the records, or for a path the files, that what was written
    finds; `line` is the line that a path was written with.
    """

    name: str
    written: str
    kind: NameKind | None
    strength: float
    matches: int = 1
    line: int | None = None

    @property
    def order_value(self) -> float:
        """What the lane orders by, in (0, 1]: strength / (1 + ln matches)."""
        return self.strength / (1.0 + log(max(1, self.matches)))


@dataclass(frozen=True, slots=True)
class Bm25:
    """A BM25 score of the lexical index's own parameters; not bounded."""

    score: float

    @property
    def order_value(self) -> float:
        """What the lane orders by; higher is better."""
        return self.score


@dataclass(frozen=True, slots=True)
class Cosine:
    """A cosine under the model of that fingerprint."""

    score: float
    model: str

    @property
    def order_value(self) -> float:
        """What the lane orders by; higher is better."""
        return self.score


@dataclass(frozen=True, slots=True)
class GraphMass:
    """Personalised PageRank mass, damped by degree; a share of the best node's, so in (0, 1]."""

    share: float

    @property
    def order_value(self) -> float:
        """What the lane orders by; higher is better."""
        return self.share


@dataclass(frozen=True, slots=True)
class Linked:
    """How strongly what was found leads to a record, in (0, 1], by the ranker's own measure."""

    strength: float

    @property
    def order_value(self) -> float:
        """What orders such hits; higher is better."""
        return self.strength


@dataclass(frozen=True, slots=True)
class Hinted:
    """How strongly the host's hints speak for a place, in (0, 1]."""

    strength: float

    @property
    def order_value(self) -> float:
        """What the lane orders by; higher is better."""
        return self.strength


@dataclass(frozen=True, slots=True)
class Opposing:
    """How well a record fits what a claim is about, with what its cues, and a judge where there is one, add to that.

    Not bounded, and no verdict: a text for the claim fits its topic too. `cues` are those found, by name.
    """

    score: float
    cues: tuple[tuple[str, float], ...] = ()

    @property
    def order_value(self) -> float:
        """What the lane orders by; higher is better."""
        return self.score


RankInfo = ExactMatch | Bm25 | Cosine | GraphMass | Linked | Hinted | Opposing
