"""Sources: directories of the daemon's machine whose records follow their files."""

from __future__ import annotations

from dataclasses import dataclass

from hotset.types.corpus import IngestProgress
from hotset.types.shared import ReasonCount
from hotset.types.words import SourceKind, SourceState


@dataclass(frozen=True, slots=True)
class Source:
    """How one source stands.

    `because` says why it is degraded, or slow; `polling` is true where files' times are compared now and then for want
    of notifications. `pending` counts changed paths that are not taken in yet. `scanned_at_seconds` (since 1970, 0
    before the first time) is when the whole of it was last looked at, `files` how many it had then, `skipped` what was
    passed over then and since. `progress` is there only while it is being scanned.
    """

    namespace: str
    root: str
    kind: SourceKind
    state: SourceState
    because: str
    polling: bool
    pending: int
    generation: int
    scanned_at_seconds: int
    files: int
    progress: IngestProgress | None
    skipped: tuple[ReasonCount, ...]


@dataclass(frozen=True, slots=True)
class AddSourceAnswer:
    """A source is followed; `already_followed` where it was so before the call."""

    source: Source
    already_followed: bool


@dataclass(frozen=True, slots=True)
class RemoveSourceAnswer:
    """A source is followed no longer, and so many of its records got a tombstone."""

    removed: int
    generation: int


@dataclass(frozen=True, slots=True)
class SourceList:
    """The sources there are, by namespace and root."""

    sources: tuple[Source, ...]
