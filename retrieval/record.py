"""Records, names and edges as values: what the store keeps and the lanes find."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique

from retrieval.relations import Role
from workingset.vocabulary import Digest, Generation, Lines, Namespace, Ref

TURN_KIND = "turn"
"""The kind of records that are turns of a conversation or of an agent's history; the core knows it by the same word."""


@unique
class NameKind(Enum):
    """What a name of a record is good for. `USES` and `IMPORTS` name other things and never find the record itself;
    `SPEAKER` is who said a turn, and finds it only for those who ask for that kind.

    Of what code names, `USES` are called, `REFERS` mentioned otherwise, `BASES` the types that a class extends or
    fulfils; `TESTED` are files that a file of tests may be about, `PACKAGE` is what a file says it belongs to.
    """

    PATH = "path"
    SYMBOL = "symbol"
    USES = "uses"
    IMPORTS = "imports"
    SPEAKER = "speaker"
    REFERS = "refers"
    BASES = "bases"
    TESTED = "tested"
    PACKAGE = "package"


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """One name under which a record is indexed exactly. `text` is compared byte for byte after `fold`."""

    kind: NameKind = field(compare=False)
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """One unit of durable knowledge.

    `text` is the record's full text; `outline` and `gist` are extracts made at ingest. `beside` holds words that the
    record is searched by too and that are not its own, such as a turn's neighbours; it is never shown. `lines` is the
    one contiguous range of the file at `path` that `text` is or, where it is an extract of markup (HTML) or a piece of
    one long line, was taken from. Secrets are no part of it. `digest` is of kind, title, path and text. `source` names
    what the record was ingested from (a tree, a request); records of one source and path are replaced together.
    `source_digest` is the digest of the whole file the record came from. `attributes` are the host's own words: they
    are kept and shown. `generation` is 0 until the store has written it.

    `retrieved_seconds` is when the text was fetched from where it is published, `verified_seconds` when it was last
    compared with that, and `validator` what the source itself gave to compare by: an ETag, a revision, a digest. None
    of them says when the record was used.
    """

    ref: Ref
    namespace: Namespace
    kind: str
    title: str
    text: str
    outline: str
    gist: str
    digest: Digest
    path: str = ""
    beside: str = ""
    lines: Lines | None = None
    language: str = ""
    source: str = ""
    source_digest: Digest = Digest("")
    origin: str = ""
    names: tuple[Name, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    valid_from_seconds: int = 0
    valid_until_seconds: int = 0
    retrieved_seconds: int = 0
    verified_seconds: int = 0
    validator: str = ""
    generation: Generation = Generation(0)
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """One typed relation between two records. `best_effort` marks relations found by name and not by resolution."""

    source: Ref
    relation: str
    target: Ref
    role: Role
    best_effort: bool = False

    def __hash__(self) -> int:
        """Quicker than that of all fields, and mostly as good: a relation has one role."""
        return hash((self.source, self.relation, self.target))


@dataclass(frozen=True, slots=True)
class StoredEdge:
    """An edge as read at a cut, with the generation of its source's namespace that wrote it."""

    edge: Edge
    generation: Generation


@dataclass(frozen=True, slots=True)
class RecordChange:
    """One line of the change log: at `generation` the record's content became `digest`, or it was removed.

    `reborn` marks a record that was removed and written again within that generation: its edges ended.
    """

    generation: Generation
    ref: Ref
    record_id: int
    removed: bool
    digest: Digest
    reborn: bool = False
