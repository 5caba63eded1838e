"""A tree of files into a namespace: walk, compare, parse, write, remove, link.

Files are parsed outside write transactions and written in batches, so memory is bounded by a batch. Running again
over an unchanged tree writes nothing; running again after a kill goes on, since files that were committed are
unchanged then, and the link pass keeps a mark of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from pathlib import Path

from retrieval.errors import BadField
from retrieval.ingest.changes import Written
from retrieval.ingest.chosen import Chosen
from retrieval.ingest.collecting import rare_collections
from retrieval.ingest.digests import source_digest
from retrieval.ingest.errors import IngestCancelled
from retrieval.ingest.file_stamps import Noted, read_stamps, write_stamps
from retrieval.ingest.git_history import HISTORY_UNAVAILABLE, read_history
from retrieval.ingest.guards import Reason, Refusal, refuse_by_name
from retrieval.ingest.linking import link_namespace
from retrieval.ingest.parse_pool import WORKERS_UNAVAILABLE
from retrieval.ingest.parse_queue import ParseQueue
from retrieval.ingest.parse_worker import FileToParse
from retrieval.ingest.pieces import ParsedFile
from retrieval.ingest.progress import Progress, Summary, Tally
from retrieval.ingest.recording import FileChange, put_and_show, remove_paths
from retrieval.ingest.settings import IngestSettings
from retrieval.ingest.tree_moves import TreeMoves, read_or_refuse
from retrieval.ingest.walk import FoundFile, walk
from retrieval.ingest.writing_behind import WritingBehind
from retrieval.record import Record
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
    only: Collection[str] | None = None,
    progress: Callable[[Progress], None] = _ignore,
    cancelled: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.perf_counter,
    now_ns: Callable[[], int] = time.time_ns,
) -> Summary:
    """Make the namespace hold the tree's files under the source, and tombstone what the source no longer has.

    A file that looks as it did when its content was last read is not read again (`file_stamps`); `force` takes all
    files again. `only` names files and folders by their paths from the root: the run looks
    at these alone, whether they are there or not, and leaves everything else as it is; renames are seen within them.
    One bad file never stops the rest. Raises BadField for a root that is no readable folder and for a path in `only`
    that does not lie below it, IngestCancelled between two files, and what the store raises.
    """
    if not _is_folder(root):
        raise BadField("tree.root", f"{str(root)!r} is not a folder on this machine")
    chosen = None if only is None else Chosen(only)
    place = (store, tenant, namespace, root, source)
    run = _TreeRun(*place, settings or IngestSettings(), chosen, progress, cancelled, clock, now_ns)
    with rare_collections():
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
        chosen: Chosen | None,
        progress: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        clock: Callable[[], float],
        now_ns: Callable[[], int],
    ) -> None:
        self._store = store
        self._chosen = None if chosen is not None and chosen.is_everything else chosen
        self._tenant = tenant
        self._namespace = namespace
        self._root = root
        self._source = source
        self._settings = settings
        self._progress = progress
        self._cancelled = cancelled
        self._now_ns = now_ns
        self._tally = Tally(settings.guards, clock)
        self._kept: set[str] = set()
        self._pending: list[FileChange] = []
        self._pending_bytes = 0
        self._dropped: list[str] = []
        self._written: dict[str, list[Record]] = {}
        self._written_records = 0
        self._writing = WritingBehind[tuple[Written, dict[str, list[Record]]]](store, tenant)
        self._noted: dict[str, Noted] = {}
        self._stored_paths: Collection[str] = ()
        self._moved_from: Mapping[str, str] = {}

    def run(self, *, force: bool) -> Summary:
        """Do it all and return what was done."""
        with self._tally.stage("walk"):
            looked_at = self._now_ns()
            found = self._walk()
            stored = self._stored()
            noted = {} if force or self._chosen is not None else self._stamps()
        vanished = {p: d for p, d in stored.items() if p not in found and not self._is_kept(p)}
        with self._tally.stage("compare"):
            place = (self._store, self._tenant, self._namespace, self._source, self._root, self._settings)
            moves = TreeMoves(*place).find(vanished, sorted(found.keys() - stored.keys()))
            known = {p: n for p, n in noted.items() if p in found and n == (found[p].stamp, stored.get(p))}
        self._progress(self._tally.progress("files"))
        self._files(found, stored, known, moves, looked_at, force)
        self._remove(sorted([*(vanished.keys() - set(moves.values())), *self._dropped]))
        if self._chosen is None and self._noted != noted:
            write_stamps(self._store, self._tenant, self._namespace, self._source, self._noted)
        self._link()
        self._history()
        return self._summary()

    def _walk(self) -> dict[str, FoundFile]:
        """The files to look into, by path; the others are counted."""
        found: dict[str, FoundFile] = {}
        try:
            for entry in walk(self._root, self._settings.guards, self._chosen):
                if isinstance(entry, FoundFile):
                    refusal = refuse_by_name(entry.path, entry.size_bytes, self._settings.guards)
                    if refusal is None:
                        found[entry.path] = entry
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
        roots = ("",) if self._chosen is None else self._chosen.roots
        with self._store.snapshot(self._tenant) as snapshot:
            return {p: digest for root in roots for p, digest in snapshot.paths(self._namespace, self._source, root)}

    def _is_kept(self, path: str) -> bool:
        """True for what lies where the walk could not look: not seeing a file is no sign that it is gone."""
        return any(path == kept or path.startswith(kept + "/") for kept in self._kept)

    def _stamps(self) -> dict[str, Noted]:
        with self._store.snapshot(self._tenant) as snapshot:
            return read_stamps(snapshot, self._namespace, self._source)

    def _files(
        self,
        found: Mapping[str, FoundFile],
        stored: Mapping[str, Digest],
        known: Mapping[str, Noted],
        moves: Mapping[str, str],
        looked_at: int,
        force: bool,
    ) -> None:
        """Take in what differs. `known` are the files that need not be read."""
        self._stored_paths, self._moved_from = stored.keys(), moves
        with closing(self._writing), closing(ParseQueue(self._settings, check=self._check_cancelled)) as parsing:
            for path in sorted(found):
                self._check_cancelled()
                if path in known:
                    self._noted[path] = known[path]
                    self._tally.files_unchanged += 1
                else:
                    self._file(found[path], stored.get(path), looked_at, force, parsing)
                if (self._tally.files_taken + self._tally.files_unchanged) % _REPORT_FILES == 0:
                    self._progress(self._tally.progress("files"))
            self._take_rest(parsing)
            self._write()
            self._settle()

    def _file(self, file: FoundFile, stored: Digest | None, looked_at: int, force: bool, parsing: ParseQueue) -> None:
        with self._tally.stage("read"):
            content = read_or_refuse(self._root, file.path, self._settings)
        if isinstance(content, Refusal):
            self._take(file.path, content)
            return
        digest = source_digest(content)
        if file.stamp.is_settled(looked_at):
            self._noted[file.path] = Noted(file.stamp, digest)
        if digest == stored and not force:
            self._tally.files_unchanged += 1
            return
        with self._tally.stage("parse"):
            outcomes = parsing.add(FileToParse(file.path, content, digest))
        for path, outcome in outcomes:
            self._take(path, outcome)

    def _take_rest(self, parsing: ParseQueue) -> None:
        while True:
            self._check_cancelled()
            with self._tally.stage("parse"):
                outcomes = parsing.take()
            if not outcomes:
                break
            for path, outcome in outcomes:
                self._take(path, outcome)
        self._tally.add_seconds("parse_workers", parsing.cpu_seconds)
        self._tally.count(WORKERS_UNAVAILABLE, parsing.unavailable)

    def _take(self, path: str, parsed: ParsedFile | Refusal) -> None:
        moved_from = self._moved_from.get(path, "")
        if isinstance(parsed, Refusal):
            self._noted.pop(path, None)
            self._tally.refuse(path, parsed)
            if path in self._stored_paths and parsed.reason not in {Reason.UNREADABLE, Reason.UNPARSABLE}:
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
        batch = tuple(self._pending)
        self._pending, self._pending_bytes = [], 0

        def job(txn: WriteTransaction) -> tuple[Written, dict[str, list[Record]]]:
            return put_and_show(txn, self._namespace, self._source, batch, self._settings)

        with self._tally.stage("write"):
            before = self._writing.write(job)
        self._wrote(before)

    def _settle(self) -> None:
        """Wait for the batch that is being written."""
        with self._tally.stage("write"):
            last = self._writing.settle()
        self._wrote(last)

    def _wrote(self, batch: tuple[Written, dict[str, list[Record]]] | None) -> None:
        if batch is None:
            return
        written, records = batch
        self._tally.add(written)
        self._written_records += sum(map(len, records.values()))
        if self._written_records <= self._settings.batches.remembered_records:
            self._written.update(records)
        self._progress(self._tally.progress("files"))

    def _remove(self, paths: list[str]) -> None:
        size = self._settings.batches.files
        for at in range(0, len(paths), size):
            self._check_cancelled()
            batch = paths[at : at + size]

            def job(txn: WriteTransaction, batch: list[str] = batch) -> Written:
                return remove_paths(txn, self._namespace, self._source, batch)

            for path in batch:
                self._written.pop(path, None)
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
                self._written,
            )
        if linked is None:
            raise IngestCancelled(self._summary())
        self._tally.add_links(linked)

    def _history(self) -> None:
        with self._tally.stage("history"):
            place = (self._store, self._tenant, self._namespace, self._root, self._source)
            read = read_history(*place, self._settings, self._cancelled)
        if read is None:
            raise IngestCancelled(self._summary())
        self._tally.add(read.written)
        self._tally.add_links(read.linked)
        if read.problem:
            self._tally.problem(".git", HISTORY_UNAVAILABLE, read.problem)

    def _check_cancelled(self) -> None:
        if self._cancelled():
            self._settle()
            raise IngestCancelled(self._summary())

    def _summary(self) -> Summary:
        with self._store.snapshot(self._tenant) as snapshot:
            return self._tally.summary(self._namespace, snapshot.generation(self._namespace))
