"""Documents sent over the wire, in batches of one transaction each, with a full sending at the end if so wished.

A batch is prepared outside the transaction (`prepare`) and put inside (`put_documents`), so that the caller can write
typed records and its own key for the batch in the same transaction. `ingest_documents` does one batch by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from retrieval.errors import BadField
from retrieval.ingest.changes import Linked, Written
from retrieval.ingest.digests import source_digest
from retrieval.ingest.guards import Reason, Refusal
from retrieval.ingest.linking import link_namespace
from retrieval.ingest.parsing import parse_file
from retrieval.ingest.pieces import ParsedFile
from retrieval.ingest.progress import Summary, Tally
from retrieval.ingest.recording import FileChange, put_files, records_of, remove_paths
from retrieval.ingest.settings import IngestSettings
from retrieval.store.interface import Snapshot, Store, WriteTransaction
from workingset.vocabulary import Namespace, TenantId


@dataclass(frozen=True, slots=True)
class Document:
    """A file's content as it was sent: a relative path with forward slashes, and bytes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """Documents of one batch, parsed. `known` were not, since they seemed to be stored as they are; `refused` were
    passed over; `paths` are all that were sent."""

    parsed: tuple[ParsedFile, ...]
    known: tuple[Document, ...]
    refused: tuple[tuple[str, Refusal], ...]
    paths: frozenset[str]


def prepare(
    documents: Sequence[Document], settings: IngestSettings, known_paths: frozenset[str] = frozenset()
) -> PreparedBatch:
    """Parse a batch but for the documents whose paths are known, as seen before, to be stored as they are.

    Raises BadField for a path that names no file below a root, or is sent twice in the batch.
    """
    parsed: list[ParsedFile] = []
    known: list[Document] = []
    refused: list[tuple[str, Refusal]] = []
    paths: set[str] = set()
    for at, document in enumerate(documents):
        path = checked_path(document.path, f"documents[{at}].path", settings.typed.path_bytes)
        if path in paths:
            raise BadField(f"documents[{at}].path", f"{path!r} is in this batch twice")
        paths.add(path)
        if path in known_paths:
            known.append(document)
            continue
        outcome = _parse(path, document.content, settings)
        if isinstance(outcome, Refusal):
            refused.append((path, outcome))
        else:
            parsed.append(outcome)
    return PreparedBatch(tuple(parsed), tuple(known), tuple(refused), frozenset(paths))


def put_documents(
    txn: WriteTransaction, namespace: Namespace, source: str, batch: PreparedBatch, settings: IngestSettings
) -> Written:
    """Write a prepared batch.

    A refused document takes away what the source had at its path: it is not what was sent.
    """
    changed = [FileChange(parsed) for parsed in batch.parsed]
    unchanged = 0
    for document in batch.known:
        if is_unchanged(txn, namespace, source, document):
            unchanged += 1
        else:  # another writer came between
            outcome = _parse(document.path, document.content, settings)
            changed += [] if isinstance(outcome, Refusal) else [FileChange(outcome)]
    written = put_files(txn, namespace, source, changed, settings)
    gone = [path for path, refusal in batch.refused if refusal.reason is not Reason.UNPARSABLE]
    return written.plus(remove_paths(txn, namespace, source, gone)).plus(Written(unchanged=unchanged))


def complete_source(txn: WriteTransaction, namespace: Namespace, source: str, sent: Iterable[str]) -> Written:
    """Tombstone the documents of the source that were not sent."""
    kept = set(sent)
    gone = [path for path, _ in txn.paths(namespace, source) if path and path not in kept]
    return remove_paths(txn, namespace, source, gone)


def ingest_documents(
    store: Store,
    tenant: TenantId,
    namespace: Namespace,
    documents: Sequence[Document],
    *,
    source: str,
    sent: set[str] | None = None,
    completes_source: bool = False,
    link: bool = True,
    settings: IngestSettings | None = None,
    also: Callable[[WriteTransaction], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Summary:
    """Write one batch in one transaction and link the namespace.

    `sent` are the paths of the batches before; this one's are added once it is durable. With `completes_source`, what
    the source holds beside them is tombstoned in the same transaction. `also` writes in it too; what it raises undoes
    the batch. `link=False` leaves linking to a later batch or to `link_namespace`.
    """
    chosen = settings or IngestSettings()
    tally = Tally(chosen.guards, clock)
    with tally.stage("compare"), store.snapshot(tenant) as snapshot:
        known = frozenset(d.path for d in documents if is_unchanged(snapshot, namespace, source, d))
    with tally.stage("parse"):
        batch = prepare(documents, chosen, known)
    for path, refusal in batch.refused:
        tally.refuse(path, refusal)
    paths = batch.paths | (sent or set())

    def job(txn: WriteTransaction) -> Written:
        written = put_documents(txn, namespace, source, batch, chosen)
        if completes_source:
            written = written.plus(complete_source(txn, namespace, source, paths))
        if also is not None:
            also(txn)
        return written

    with tally.stage("write"):
        written = store.write(tenant, job)
    for parsed in batch.parsed:
        tally.take(parsed)
    tally.files_taken += len(batch.known) - written.unchanged
    tally.files_unchanged += written.unchanged
    tally.add(written)
    if sent is not None:
        sent.update(batch.paths)
    if link:
        with tally.stage("link"):
            linked = link_namespace(store, tenant, namespace, chosen.links)
        tally.add_links(linked or Linked())
    with store.snapshot(tenant) as snapshot:
        return tally.summary(namespace, snapshot.generation(namespace))


def is_unchanged(snapshot: Snapshot, namespace: Namespace, source: str, document: Document) -> bool:
    """True where the source's records at the document's path are all of a file with its digest."""
    records = records_of(snapshot, namespace, source, document.path)
    digest = source_digest(document.content)
    return bool(records) and all(record.source_digest == digest for record in records)


def checked_path(path: str, field: str, limit_bytes: int) -> str:
    """Return a document's path. Raises BadField where it names nothing below a root."""
    try:
        taken = len(path.encode())
    except UnicodeEncodeError as error:
        raise BadField(field, "holds a lone surrogate: send valid Unicode") from error
    if not 0 < taken <= limit_bytes:
        raise BadField(field, f"takes {taken} bytes; give 1 to {limit_bytes}")
    if any(ord(character) < 32 or ord(character) == 127 for character in path):
        raise BadField(field, "holds a control character")
    if path.startswith("/") or any(part in {"", ".", ".."} for part in path.split("/")):
        raise BadField(field, f"{path!r} is not a plain relative path: no leading slash, no empty part, no . or ..")
    return path


def _parse(path: str, content: bytes, settings: IngestSettings) -> ParsedFile | Refusal:
    try:
        return parse_file(path, content, settings)
    except Exception as error:  # a parser's own failure is that document's, whatever it is
        return Refusal(Reason.UNPARSABLE, f"{type(error).__name__}: {error}")
