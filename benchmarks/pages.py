"""Pages: the records that ingest makes of a tree's files, their exact sizes, and which of them a reference touches.

A reference `(path, start, end)` touches every page that holds one of its lines. Without an end it goes to the end of
the file, at most 400 lines, where it opens, and is one line where it edits. Without lines it is `wide`: it touches,
whole, the file's pages that begin within the first 400 lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.data import TraceReference
from retrieval.candidates import Stands, candidate
from retrieval.ingest.digests import local_name
from retrieval.ingest.guards import Refusal
from retrieval.ingest.identity import digests_of
from retrieval.ingest.parsing import parse_file
from retrieval.ingest.recording import make_record
from retrieval.ingest.settings import IngestSettings
from retrieval.record import Record
from workingset.candidate import Candidate
from workingset.rendering import CountTokens, place_of, segment_text
from workingset.tier import Tier
from workingset.transitions.records import entry_of
from workingset.vocabulary import Fidelity, Freshness, Lines, Namespace, Ref, SupportClosure, Tokens, Turn

LONGEST_OPEN_LINES = 400
"""Measure M1 of the design: what an open without an end, or without lines, is taken to have shown."""

NOT_INGESTED = "not_ingested"
BEYOND_THE_END = "beyond_the_end"


@dataclass(frozen=True, slots=True)
class PageUse:
    """One reference as pages: (ref, how many of the reference's lines it holds). `lines` is None where it is wide."""

    turn: int
    pages: tuple[tuple[Ref, int], ...]
    edit: bool
    lines: Lines | None

    @property
    def wide(self) -> bool:
        """True where the reference named no lines."""
        return self.lines is None


class Pages:
    """The records of some files of one tree."""

    def __init__(self, contents: Mapping[str, bytes], namespace: Namespace, settings: IngestSettings) -> None:
        self.by_path: dict[str, tuple[Record, ...]] = {}
        self.refused: dict[str, str] = {}
        for path in sorted(contents):
            parsed = parse_file(path, contents[path], settings)
            if isinstance(parsed, Refusal):
                self.refused[path] = parsed.reason.value
                continue
            ordinals: dict[tuple[str, str], int] = {}
            records: list[Record] = []
            for piece, digest in zip(parsed.pieces, parsed.digests or digests_of(path, parsed.pieces), strict=True):
                ordinal = ordinals[piece.kind, piece.title] = ordinals.get((piece.kind, piece.title), -1) + 1
                ref = Ref(f"{namespace}:{local_name(path, piece.kind, piece.title, str(ordinal))}")
                records.append(make_record(ref, namespace, "tree", parsed, piece, digest, not records, settings))
            self.by_path[path] = tuple(records)

    @property
    def records(self) -> list[Record]:
        """All of them, by path and first line."""
        return [record for path in sorted(self.by_path) for record in self.by_path[path]]

    def touched(self, reference: TraceReference, turn: int) -> PageUse | str:
        """Return what a reference touches, or why it touches nothing."""
        records = self.by_path.get(reference.path)
        if records is None:
            return NOT_INGESTED
        if reference.start is None:
            lines, within = None, Lines(1, LONGEST_OPEN_LINES)
        else:
            lines = within = Lines(reference.start, _last_line(reference, reference.start))
        pages = [
            (record.ref, held.count if lines is None else held.overlap(within))
            for record in records
            if (held := record.lines) is not None and held.overlap(within)
        ]
        return PageUse(turn, tuple(pages), reference.edit, lines) if pages else BEYOND_THE_END


def page_candidate(record: Record) -> Candidate:
    """Return a page as retrieval offers one that is read at the cut, without relevance."""
    return candidate(record, Stands(closure=SupportClosure.CLOSED, freshness=Freshness.CURRENT))


def page_tokens(page: Candidate, count: CountTokens) -> Tokens:
    """Return the size of the page's segment at full fidelity, header included."""
    entry = entry_of(page, Tier.RESIDENT, Fidelity.FULL, Turn(1), 0)
    return Tokens(count(segment_text(entry, page.renderings, Fidelity.FULL, place_of(entry))))


def _last_line(reference: TraceReference, start: int) -> int:
    if reference.end is not None:
        return reference.end
    return start if reference.edit else start + LONGEST_OPEN_LINES - 1
