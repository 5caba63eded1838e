"""What is said of a followed source, and what its thread needs done to the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Protocol

from retrieval.ingest.progress import Progress, Summary
from retrieval.ingest.watch import Batch
from workingset.candidate import LaneOutcome
from workingset.vocabulary import Generation, Namespace

SOURCES = "sources"
"""What followed sources are called among the lanes of an answer."""
_NAMED_SOURCES = 4
"""Guess: sources named in one answer; the rest is counted."""

Identity = tuple[int, int]
"""Device and inode of a root: tells a folder from another one at the same path."""


@unique
class SourceState(Enum):
    """How far a source's records can be trusted to be those of its files."""

    SCANNING = "scanning"
    CURRENT = "current"
    DEGRADED = "degraded"


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What is to be said of a source. `because` says why it is degraded, or slow; `files` were there at the last whole
    scan; `skipped` counts what is passed over in the tree as it stands, by reason."""

    namespace: Namespace
    root: str
    state: SourceState = SourceState.SCANNING
    because: str = ""
    polling: bool = False
    pending: int = 0
    generation: Generation = Generation(0)
    scanned_at_seconds: int = 0
    files: int = 0
    progress: Progress | None = None
    skipped: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A source in which something that happened before a call may not be in the store at the call's cut, and why;
    `pending` counts the changed paths that are known of."""

    namespace: Namespace
    root: str
    because: str
    pending: int = 0


def sources_outcome(unsettled: Sequence[Unsettled]) -> tuple[LaneOutcome, ...]:
    """What an answer says of sources that it may not have all of, as of a lane that took part for a part; nothing where
    all is in."""
    if not unsettled:
        return ()
    first = [f"{each.namespace}, {each.root}: {each.because}" for each in unsettled[:_NAMED_SOURCES]]
    more = [f"{len(unsettled) - len(first)} more sources"] if len(unsettled) > len(first) else []
    note = "what changed last may be missing: " + "; ".join([*first, *more])
    return (LaneOutcome(SOURCES, "partial", lag=sum(each.pending for each in unsettled), note=note),)


class Scans(Protocol):
    """What a follower does to the store; `hotsetd.sources` provides it. All raise what the store raises."""

    def scan(self, batch: Batch, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Summary:
        """Take in what a batch names. Raises IngestCancelled, Stopping, and BadField for a root that is gone."""
        ...

    def scanned(self, identity: Identity) -> None:
        """Remember that the whole tree was scanned, and which folder it was."""
        ...

    def history(self, cancelled: Callable[[], bool]) -> tuple[Generation, str]:
        """Read what git tells of the tree's past, as its HEAD may have moved: the generation after, what hindered."""
        ...
