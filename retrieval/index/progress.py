"""What the follower says of its indexes: steps taken, states, and settings that bound them."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.index.vector_collector import CollectorSettings
from retrieval.index.vector_near import NearSettings
from workingset.vocabulary import Generation

LEXICAL = "lexical"
VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class FollowerSettings:
    """Bounds of one step of following."""

    slice_records: int = 64
    """Records read into memory at once. A guess: 64 records of 1 MB are the worst case ingest admits."""

    scan_changes: int = 2_000
    """Change-log lines a vector step looks through for vectors that exist already; about 0.3 s. A guess."""

    embed_slice: int = 16
    """Texts embedded between two writes to the store: half a second, the most that a crash loses. A guess."""

    pending_records: int = 500_000
    """Records waiting for a vector that are remembered; the scan pauses beyond, so none is lost. About 60 MB."""

    preferred_records: int = 4_096
    """Record ids that `prefer` remembers; the oldest are forgotten, and embedded in their turn. A guess."""

    unstored_vectors: int = 4_096
    """Vectors made on demand that wait to be stored: 3 MB. Beyond, they are used once and made again. A guess."""

    lag_counted: int = 1_000
    """Up to how many missing changes are counted; more is reported as that many. Keeps a status under 2 ms."""

    near: NearSettings = field(default_factory=NearSettings)
    collector: CollectorSettings = field(default_factory=CollectorSettings)


@dataclass(frozen=True, slots=True)
class Advanced:
    """What one step did.

    `taken` counts change-log lines, `embedded` texts given to the model, `refused` records whose vector was no unit
    vector. `left` counts what is still missing, up to the settings' `lag_counted` a namespace; 0 means caught up.
    `failed` says why the step stopped short, or is "": wait before the next one. `collected` counts rows looked at to
    delete vectors that nothing needs: 0 means that there are none, or that something else was to do.
    """

    taken: int = 0
    left: int = 0
    embedded: int = 0
    refused: int = 0
    failed: str = ""
    collected: int = 0


@dataclass(frozen=True, slots=True)
class IndexState:
    """How one index stands to one namespace of the store.

    `generation` is the newest it has taken in completely. `lag` counts missing changes, up to `lag_counted`. `covered`
    is the share of live records that a search can find. `note` says what an operator should know, or is "".
    """

    name: str
    generation: Generation
    lag: int
    covered: float
    note: str = ""
