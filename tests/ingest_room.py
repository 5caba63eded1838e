"""What ingest tests share: trees on disk, runs over them, and a store's contents as values that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from retrieval.ingest import IngestSettings, Summary, ingest_tree
from retrieval.ingest.guards import Refusal
from retrieval.ingest.parsing import parse_file
from retrieval.ingest.pieces import ParsedFile
from retrieval.record import Edge, Record
from retrieval.store.interface import Store
from workingset.vocabulary import Namespace, TenantId

TENANT = TenantId("acme")
CODE = Namespace("code")
SETTINGS = IngestSettings()


def write_tree(root: Path, files: Mapping[str, str | bytes | None]) -> Path:
    """Write files below the root; None deletes one."""
    for path, content in files.items():
        file = root / path
        if content is None:
            file.unlink()
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    root.mkdir(parents=True, exist_ok=True)
    return root


def take(store: Store, root: Path, *, source: str = "tree", settings: IngestSettings = SETTINGS) -> Summary:
    """Ingest the tree."""
    return ingest_tree(store, TENANT, CODE, root, source=source, settings=settings)


def parsed(path: str, text: str | bytes, settings: IngestSettings = SETTINGS) -> ParsedFile:
    """The file in pieces; fails where it is refused."""
    outcome = parse_file(path, text.encode() if isinstance(text, str) else text, settings)
    assert not isinstance(outcome, Refusal), outcome
    return outcome


def live_records(store: Store) -> list[Record]:
    """All live records of the namespace, by path and line."""
    with store.snapshot(TENANT) as snapshot:
        page = snapshot.list_records(CODE, 0, 100_000)
    assert page.next_after is None
    return sorted(page.records, key=lambda r: (r.path, r.lines.start if r.lines else 0, r.ref))


def live_edges(store: Store) -> list[Edge]:
    """All live edges that start at live records of the namespace."""
    with store.snapshot(TENANT) as snapshot:
        return [found.edge for record in live_records(store) for found in snapshot.edges_from(record.ref, limit=10_000)]


def refs_by_title(store: Store, path: str) -> dict[str, str]:
    """Refs of a file's records by title; titles must be unique."""
    records = [record for record in live_records(store) if record.path == path]
    titles = {record.title: str(record.ref) for record in records}
    assert len(titles) == len(records)
    return titles


def titled_edges(store: Store, relation: str) -> set[tuple[str, str]]:
    """Edges of a relation as `path#title` of both ends."""
    names = {record.ref: f"{record.path}#{record.title}" for record in live_records(store)}
    return {(names[e.source], names[e.target]) for e in live_edges(store) if e.relation == relation}


def contents(store: Store) -> tuple[list[object], list[object]]:
    """Records and edges without refs and generations, in an order of their own."""
    records = live_records(store)
    place = {r.ref: (r.path, r.lines, r.kind, r.title) for r in records}
    assert len(set(place.values())) == len(records)
    names = sorted(((*place[r.ref], [(n.kind.value, n.text) for n in r.names]) for r in records), key=repr)
    shapes: list[object] = sorted(
        (
            (
                r.source,
                r.path,
                r.kind,
                r.title,
                r.lines,
                r.text,
                r.outline,
                r.gist,
                r.digest,
                r.language,
                r.source_digest,
            )
            for r in records
        ),
        key=repr,
    )
    edges: list[object] = sorted(
        ((place[e.source], e.relation, place[e.target], e.best_effort) for e in live_edges(store)), key=repr
    )
    return [*shapes, *names], edges


def assert_tiles(file: ParsedFile, text: str) -> None:
    """Every line of the text is in exactly one piece, and pieces are in order and made of whole lines."""
    assert "".join(piece.text for piece in file.pieces) == text
    row = 1
    for piece in file.pieces:
        assert piece.lines.start == row, piece
        count = piece.text.count("\n") + (not piece.text.endswith("\n"))
        assert piece.lines.count == count, piece
        row = piece.lines.end + 1


def assert_renderings(file: ParsedFile) -> None:
    """Outline and gist are never longer than the text, the gist is one printable line."""
    for piece in file.pieces:
        assert len(piece.gist) <= len(piece.outline) <= len(piece.text)
        assert piece.gist
        assert piece.outline
        assert not any(ord(character) < 32 for character in piece.gist)
        assert "\u2028" not in piece.gist


def by_kind(file: ParsedFile) -> list[tuple[str, str, int, int]]:
    """(kind, title, first line, last line) of each piece."""
    return [(p.kind, p.title, p.lines.start, p.lines.end) for p in file.pieces]


def reasons(summary: Summary) -> dict[str, int]:
    """What was passed over, by reason."""
    return dict(summary.skipped)


def named(summary: Summary, reasons: Iterable[str]) -> set[str]:
    """The paths named as problems for these reasons."""
    return {problem.path for problem in summary.problems if problem.reason in set(reasons)}
