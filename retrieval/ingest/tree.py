"""A tree of files into a namespace: walk, compare, parse, write, remove, link.

Files are parsed outside write transactions and written in batches, so memory is bounded by a batch. Running again
over an unchanged tree writes nothing; running again after a kill goes on, since files that were committed are
unchanged then, and the link pass keeps a mark of its own.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from retrieval.errors import BadField
from retrieval.ingest.changes import Written
from retrieval.ingest.digests import source_digest
from retrieval.ingest.errors import IngestCancelled
from retrieval.ingest.guards import DecodedFile, Reason, Refusal, admit, refuse_by_name
from retrieval.ingest.identity import line_counts
from retrieval.ingest.linking import link_namespace
from retrieval.ingest.moves import equal_moves, similar_moves
from retrieval.ingest.parsing import parse_file
from retrieval.ingest.pieces import ParsedFile
from retrieval.ingest.progress import Progress, Summary, Tally
from retrieval.ingest.reading_files import read_file
from retrieval.ingest.recording import FileChange, put_files, records_of, remove_paths
from retrieval.ingest.settings import IngestSettings
from retrieval.ingest.walk import FoundFile, walk
from retrieval.store.interface import Store, WriteTransaction
from workingset.vocabulary import Digest, Namespace, TenantId

_REPORT_FILES = 50
"""Guess: progress is reported after so many files, besides after each batch."""


def _ignore(progress: Progress) -> None:
    """Report to nobody."""
    del progress


def ingest_tree(
    store: Store,
    tenant: TenantId,
    namespace: Namespace,
    root: Path,
    *,
    source: str,
    settings: IngestSettings | None = None,
    force: bool = False,
    progress: Callable[[Progress], None] = _ignore,
    cancelled: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.perf_counter,
) -> Summary:
    """Make the namespace hold the tree's files under the source, and tombstone what the source no longer has.

    `force` takes unchanged files again too. One bad file never stops the rest. Raises BadField for a root that is no
    readable folder, IngestCancelled between two files, and what the store raises.
    """
    if not _is_folder(root):
        raise BadField("tree.root", f"{str(root)!r} is not a folder on this machine")
    run = _TreeRun(store, tenant, namespace, root, source, settings or IngestSettings(), progress, cancelled, clock)
    return run.run(force=force)


def _is_folder(root: Path) -> bool:
    try:
        return root.is_dir()
    except OSError:
        # A name too long, a loop of links: the system's way to say that no such folder can be there.
        return False


class _TreeRun:
    """One run over one tree."""

    def __init__(
        self,
        store: Store,
        tenant: TenantId,
        namespace: Namespace,
        root: Path,
        source: str,
        settings: IngestSettings,
        progress: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._namespace = namespace
        self._root = root
        self._source = source
        self._settings = settings
        self._progress = progress
        self._cancelled = cancelled
        self._tally = Tally(settings.guards, clock)
        self._kept: set[str] = set()
        self._pending: list[FileChange] = []
        self._pending_bytes = 0
        self._dropped: list[str] = []

    def run(self, *, force: bool) -> Summary:
        """Do it all and return what was done."""
        with self._tally.stage("walk"):
            found = self._walk()
            stored = self._stored()
        vanished = {p: d for p, d in stored.items() if p not in found and not self._is_kept(p)}
        with self._tally.stage("compare"):
            moves = self._moves(vanished, sorted(found - stored.keys()))
        self._progress(self._tally.progress("files"))
        for path in sorted(found):
            self._check_cancelled()
            self._file(path, stored.get(path), moves.get(path, ""), force)
        self._write()
        self._remove(sorted([*(vanished.keys() - set(moves.values())), *self._dropped]))
        self._link()
        return self._summary()

    def _walk(self) -> set[str]:
        """The paths of files to look into; the others are counted."""
        found: set[str] = set()
        try:
            for entry in walk(self._root, self._settings.guards):
                if isinstance(entry, FoundFile):
                    refusal = refuse_by_name(entry.path, entry.size_bytes, self._settings.guards)
                    if refusal is None:
                        found.add(entry.path)
                    else:
                        self._tally.problem(entry.path, refusal.reason.value, refusal.what)
                else:
                    self._tally.problem(entry.path, entry.reason.value, entry.what)
                    if entry.reason is Reason.UNREADABLE:
                        self._kept.add(entry.path)
        except OSError as error:
            raise BadField("tree.root", f"{str(self._root)!r} cannot be read: {error.strerror or error}") from error
        self._tally.files_total = len(found)
        return found

    def _stored(self) -> dict[str, Digest]:
        with self._store.snapshot(self._tenant) as snapshot:
            return {path: digest for path, digest in snapshot.paths(self._namespace, self._source) if path}

    def _is_kept(self, path: str) -> bool:
        """True for what lies where the walk could not look: not seeing a file is no sign that it is gone."""
        return any(path == kept or path.startswith(kept + "/") for kept in self._kept)

    def _moves(self, vanished: dict[str, Digest], appeared: list[str]) -> dict[str, str]:
        if not vanished or not appeared:
            return {}
        moves = equal_moves(vanished, dict(self._digests(appeared)))
        left_old = sorted(vanished.keys() - set(moves.values()))
        left_new = [path for path in appeared if path not in moves]
        moves.update(similar_moves(left_old, left_new, self._stored_lines, self._file_lines, self._settings.identity))
        return moves

    def _digests(self, paths: Iterable[str]) -> Iterator[tuple[str, Digest]]:
        for path in paths:
            content = self._read(path)
            if isinstance(content, bytes):
                yield path, source_digest(content)

    def _stored_lines(self, path: str) -> Counter[str]:
        with self._store.snapshot(self._tenant) as snapshot:
            records = records_of(snapshot, self._namespace, self._source, path)
        return line_counts("".join(record.text for record in records))

    def _file_lines(self, path: str) -> Counter[str]:
        content = self._read(path)
        decoded = admit(path, content, self._settings.guards) if isinstance(content, bytes) else None
        return line_counts(decoded.text) if isinstance(decoded, DecodedFile) else Counter()

    def _read(self, path: str) -> bytes | Refusal:
        try:
            return read_file(self._root, path, self._settings.guards.file_bytes)
        except OSError as error:
            return Refusal(Reason.UNREADABLE, error.strerror or str(error))

    def _file(self, path: str, stored: Digest | None, moved_from: str, force: bool) -> None:
        with self._tally.stage("read"):
            content = self._read(path)
            digest = source_digest(content) if isinstance(content, bytes) else None
        if digest is not None and digest == stored and not force:
            self._tally.files_unchanged += 1
        else:
            with self._tally.stage("parse"):
                parsed = content if isinstance(content, Refusal) else self._parse(path, content, digest)
            self._take(path, parsed, moved_from, stored is not None)
        if (self._tally.files_taken + self._tally.files_unchanged) % _REPORT_FILES == 0:
            self._progress(self._tally.progress("files"))

    def _parse(self, path: str, content: bytes, digest: Digest | None) -> ParsedFile | Refusal:
        try:
            return parse_file(path, content, self._settings, digest)
        except Exception as error:  # a parser's own failure is that file's, whatever it is
            return Refusal(Reason.UNPARSABLE, f"{type(error).__name__}: {error}")

    def _take(self, path: str, parsed: ParsedFile | Refusal, moved_from: str, is_stored: bool) -> None:
        if isinstance(parsed, Refusal):
            self._tally.refuse(path, parsed)
            if is_stored and parsed.reason not in {Reason.UNREADABLE, Reason.UNPARSABLE}:
                self._dropped.append(path)
            if moved_from:
                self._dropped.append(moved_from)
            return
        self._tally.take(parsed)
        self._pending.append(FileChange(parsed, moved_from))
        self._pending_bytes += parsed.size_bytes
        full = len(self._pending) >= self._settings.batches.files
        if full or self._pending_bytes >= self._settings.batches.source_bytes:
            self._write()

    def _write(self) -> None:
        if not self._pending:
            return
        batch, self._pending, self._pending_bytes = tuple(self._pending), [], 0

        def job(txn: WriteTransaction) -> Written:
            return put_files(txn, self._namespace, self._source, batch, self._settings)

        with self._tally.stage("write"):
            self._tally.add(self._store.write(self._tenant, job))
        self._progress(self._tally.progress("files"))

    def _remove(self, paths: list[str]) -> None:
        size = self._settings.batches.files
        for at in range(0, len(paths), size):
            self._check_cancelled()
            batch = paths[at : at + size]

            def job(txn: WriteTransaction, batch: list[str] = batch) -> Written:
                return remove_paths(txn, self._namespace, self._source, batch)

            with self._tally.stage("remove"):
                self._tally.add(self._store.write(self._tenant, job))

    def _link(self) -> None:
        with self._tally.stage("link"):
            linked = link_namespace(
                self._store,
                self._tenant,
                self._namespace,
                self._settings.links,
                lambda: self._progress(self._tally.progress("link")),
                self._cancelled,
            )
        if linked is None:
            raise IngestCancelled(self._summary())
        self._tally.add_links(linked)

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise IngestCancelled(self._summary())

    def _summary(self) -> Summary:
        with self._store.snapshot(self._tenant) as snapshot:
            return self._tally.summary(self._namespace, snapshot.generation(self._namespace))
