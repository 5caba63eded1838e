"""Knowledge as it is put in and looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hotset.types.shared import Cut, Lines, ReasonCount
from hotset.types.words import RelationRole, Standing


def _no_attributes() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Document:
    """A file's content, to be parsed by the daemon according to its path."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class RecordInput:
    """A typed record of the host's own.

    `id` is made of 1 to 128 letters, digits, dots, dashes and underscores; empty makes one from the content. `origin`
    names where the text is published from: ten copies of one origin count once. Times are seconds since 1970; 0 is
    unbounded, or not known. `retrieved_seconds` is when the text was fetched, `verified_seconds` when it was last
    compared with its source, `validator` what the source gave to compare by (an ETag, a revision, a digest): without
    one the record is not known to be current.
    """

    text: str
    id: str = ""
    kind: str = "note"
    title: str = ""
    attributes: Mapping[str, str] = field(default_factory=_no_attributes, hash=False)
    origin: str = ""
    valid_from_seconds: int = 0
    valid_until_seconds: int = 0
    retrieved_seconds: int = 0
    verified_seconds: int = 0
    validator: str = ""


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """What a speaker said in a conversation, at `seconds` since 1970 (0 where that is not known).

    `conversation` and `turn` are ids of the host's own, together unique in the namespace; a turn sent again keeps its
    place and its ref. An empty `session` has sessions told from gaps in time.
    """

    conversation: str
    turn: str
    speaker: str
    text: str
    seconds: int = 0
    session: str = ""
    attributes: Mapping[str, str] = field(default_factory=_no_attributes, hash=False)


@dataclass(frozen=True, slots=True)
class EdgeInput:
    """A relation between two records, each an id within the namespace or a whole ref.

    `role` is only for a relation that the daemon's schema does not know.
    """

    from_ref: str
    relation: str
    to_ref: str
    role: RelationRole = RelationRole.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """How far reading a tree has come; `files_total` is 0 until the files were counted."""

    stage: str
    files_done: int
    files_total: int
    records: int
    elapsed_seconds: float


@dataclass(frozen=True, slots=True)
class IngestAcknowledged:
    """One batch is durable, at `generation`; `replayed` where it already was."""

    sequence: int
    generation: int
    replayed: bool


@dataclass(frozen=True, slots=True)
class StageTime:
    """Seconds that one stage of an ingest took."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One file that was passed over, and why."""

    path: str
    reason: str
    what: str


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """The last event of an ingest: what was written, and what was passed over, by reason."""

    namespace: str
    generation: int
    files_taken: int
    files_unchanged: int
    files_removed: int
    records_written: int
    records_removed: int
    edges_written: int
    skipped: tuple[ReasonCount, ...]
    problems: tuple[FileProblem, ...]
    problems_truncated: bool
    elapsed_seconds: float
    stages: tuple[StageTime, ...]
    bytes: int


IngestEvent = IngestProgress | IngestAcknowledged | IngestSummary
"""What an ingest yields; the summary comes last."""


@dataclass(frozen=True, slots=True)
class RemoveAnswer:
    """How many records got a tombstone."""

    removed: int
    generation: int
    replayed: bool


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as kept in the store. Lists leave `text` and `outline` empty; `successor` names what superseded it."""

    ref: str
    namespace: str
    kind: str
    title: str
    path: str
    lines: Lines | None
    language: str
    text: str
    outline: str
    gist: str
    digest: str
    generation: int
    source: str
    origin: str
    attributes: Mapping[str, str] = field(hash=False)
    valid_from_seconds: int
    valid_until_seconds: int
    standing: Standing
    successor: str
    retrieved_seconds: int
    verified_seconds: int
    validator: str


@dataclass(frozen=True, slots=True)
class StoredEdge:
    """A relation as kept in the store; `best_effort` marks one found by name and not by resolution."""

    from_ref: str
    relation: str
    to_ref: str
    role: RelationRole
    best_effort: bool


@dataclass(frozen=True, slots=True)
class GetAnswer:
    """One record with its relations both ways."""

    record: StoredRecord
    edges: tuple[StoredEdge, ...]
    edges_truncated: bool
    cut: Cut


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of records without their texts; `next_cursor` is empty on the last."""

    records: tuple[StoredRecord, ...]
    next_cursor: str
    cut: Cut


@dataclass(frozen=True, slots=True)
class RelationDescription:
    """A relation that a namespace uses, and its role."""

    relation: str
    role: RelationRole


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far an index is behind the store, and the share of the namespace's records it holds (0 to 1)."""

    index: str
    generation: int
    lag: int
    covered: float
    note: str


@dataclass(frozen=True, slots=True)
class NamespaceDescription:
    """What a namespace holds and how far its indexes are."""

    namespace: str
    generation: int
    records: int
    edges: int
    kinds: tuple[ReasonCount, ...]
    indexes: tuple[IndexState, ...]
    relations: tuple[RelationDescription, ...]
