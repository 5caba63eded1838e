"""Writing parsed files: pieces become records with refs and names; what a file no longer holds is tombstoned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from retrieval.ingest.changes import Written
from retrieval.ingest.identity import assign_refs, digests_of
from retrieval.ingest.pieces import ParsedFile, Piece
from retrieval.ingest.settings import IngestSettings
from retrieval.record import Name, NameKind, Record
from retrieval.store.interface import Snapshot, WriteTransaction
from workingset.vocabulary import Digest, Namespace, Ref


def _names(kind: NameKind) -> Callable[[str], Name]:
    """What makes names of a kind; the common ones are made once."""
    return lru_cache(maxsize=16_384)(partial(Name, kind))


_SYMBOL, _PATH, _USES, _IMPORTS = map(_names, (NameKind.SYMBOL, NameKind.PATH, NameKind.USES, NameKind.IMPORTS))
_REFERS, _BASES, _TESTED, _PACKAGE = map(_names, (NameKind.REFERS, NameKind.BASES, NameKind.TESTED, NameKind.PACKAGE))


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file to be written. `moved_from` is the path it had before, empty where it had none other."""

    parsed: ParsedFile
    moved_from: str = ""


def put_files(
    txn: WriteTransaction, namespace: Namespace, source: str, changes: Sequence[FileChange], settings: IngestSettings
) -> Written:
    """Write each file in place of what the source had at its path, and at the path it was moved from."""
    return put_and_show(txn, namespace, source, changes, settings)[0]


def put_and_show(
    txn: WriteTransaction, namespace: Namespace, source: str, changes: Sequence[FileChange], settings: IngestSettings
) -> tuple[Written, dict[str, list[Record]]]:
    """As `put_files`; returns also the records of each file, by its path and in order of lines, without their texts."""
    written = removed = 0
    shown: dict[str, list[Record]] = {}
    for change in changes:
        earlier = records_of(txn, namespace, source, change.parsed.path)
        if change.moved_from:
            earlier += records_of(txn, namespace, source, change.moved_from)
        generations = {record.ref: record.generation for record in earlier}
        pieces = change.parsed.pieces
        path, locals_ = change.parsed.path, change.parsed.locals
        refs = assign_refs(txn, namespace, path, earlier, pieces, settings.identity, locals_)
        kept = set(refs)
        for record in earlier:
            if record.ref not in kept:
                removed += txn.remove_record(record.ref)
        digests = change.parsed.digests or digests_of(path, pieces)
        records = [
            make_record(ref, namespace, source, change.parsed, piece, digest, at == 0, settings)
            for at, (ref, piece, digest) in enumerate(zip(refs, pieces, digests, strict=True))
        ]
        put = txn.put_records(records)
        written += sum(generation != generations.get(ref) for ref, generation in zip(refs, put, strict=True))
        shown[path] = sorted(map(_without_texts, records), key=_by_line)
    return Written(records_written=written, records_removed=removed), shown


def remove_paths(txn: WriteTransaction, namespace: Namespace, source: str, paths: Iterable[str]) -> Written:
    """Tombstone all that the source has at the paths."""
    files = removed = 0
    for path in paths:
        records = records_of(txn, namespace, source, path)
        files += bool(records)
        removed += sum(txn.remove_record(record.ref) for record in records)
    return Written(records_removed=removed, files_removed=files)


def records_of(snapshot: Snapshot, namespace: Namespace, source: str, path: str) -> list[Record]:
    """The live records of one source at a path, by first line."""
    return [record for record in snapshot.path_records(namespace, path) if record.source == source]


def make_record(
    ref: Ref,
    namespace: Namespace,
    source: str,
    parsed: ParsedFile,
    piece: Piece,
    digest: Digest,
    first: bool,
    settings: IngestSettings,
) -> Record:
    """Make a piece's record. The first of a file stands for it: it has the path's endings among its names."""
    path = parsed.path
    names = [*map(_SYMBOL, piece.symbols), _PATH(path)]
    if first:
        names.extend(map(_PATH, path_endings(path, parsed.language, settings)))
    for name, texts in (
        (_USES, piece.uses),
        (_IMPORTS, piece.imports),
        (_REFERS, piece.refers),
        (_BASES, piece.bases),
        (_TESTED, piece.tested),
        (_PACKAGE, piece.packages),
    ):
        if texts:
            names.extend(map(name, texts))
    return Record(
        ref=ref,
        namespace=namespace,
        kind=piece.kind,
        title=piece.title,
        text=piece.text,
        outline=piece.outline,
        gist=piece.gist,
        digest=digest,
        path=path,
        lines=piece.lines,
        language=parsed.language,
        source=source,
        source_digest=parsed.digest,
        names=tuple(names),
    )


def path_endings(path: str, language: str, settings: IngestSettings) -> list[str]:
    """The endings of a path under which its first record is found, and for Go its folder with a slash at the end.

    A Go package is a folder, so its files have to be found by it; the tree's root is `./`.
    """
    parts = path.split("/")
    deepest = max(1, len(parts) - settings.pieces.path_suffixes)
    endings = ["/".join(parts[at:]) for at in range(deepest, len(parts))]
    if language == "go":
        endings.append(folder_name("/".join(parts[:-1])))
    return endings


def folder_name(folder: str) -> str:
    """The name under which the files of a Go folder are found."""
    return f"{folder}/" if folder else "./"


def _without_texts(record: Record) -> Record:
    """The record of a file without its texts. Several times as quick as `dataclasses.replace`."""
    return Record(
        record.ref,
        record.namespace,
        record.kind,
        record.title,
        "",
        "",
        "",
        record.digest,
        path=record.path,
        lines=record.lines,
        language=record.language,
        source=record.source,
        source_digest=record.source_digest,
        names=record.names,
    )


def _by_line(record: Record) -> tuple[int, Ref]:
    return (0 if record.lines is None else record.lines.start, record.ref)
