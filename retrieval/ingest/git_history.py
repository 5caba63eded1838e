"""A tree's past into its namespace: commits as records, a table of what changed when, and edges between files.

Only the ancestors of HEAD are read, the newest up to a bound, and of those only what is not known yet; what HEAD no
longer leads to is taken out again. So any sequence of commits, resets and switches gives what reading it all gives.
A killed run is made up for by the next: records come first, the table that says so last, and where the two do not
agree the records are looked through. Where git cannot tell, what is known stays; where it tells that there is no
repository or no commit, it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from retrieval.history.history import history_of
from retrieval.history.kept import HISTORY_MARK, KeptTree, encode_trees, kept_trees
from retrieval.ingest.changes import Linked, Written
from retrieval.ingest.commit_records import COMMIT, commit_record, commit_ref
from retrieval.ingest.git_command import GitUnavailable, NoRepository
from retrieval.ingest.git_log import GitLog, LoggedCommit
from retrieval.ingest.history_edges import Pair, apply_pairs, end_edges, wanted_pairs
from retrieval.ingest.history_heads import ChangedHeads, changed_heads, put_seen_generation, seen_generation
from retrieval.ingest.history_table import kept_edge, told_tree
from retrieval.ingest.secrets import redact
from retrieval.ingest.settings import IngestSettings
from retrieval.ingest.work_tree import top_of
from retrieval.record import Record
from retrieval.store.interface import Store, WriteTransaction
from workingset.vocabulary import Generation, Namespace, Ref, TenantId

T = TypeVar("T")
R = TypeVar("R")
HISTORY_UNAVAILABLE = "history_unavailable"
"""Reason in a run's problems: there is a repository, and its past could not be read; what is known of it stays."""
RENAMES_UNTOLD = "history_renames_untold"
"""Counts commits read without their renames, as not all that git tells them by is there: a partial clone."""


@dataclass(frozen=True, slots=True)
class HistoryRead:
    """What reading a past changed. `problem` says why a repository that is there could not be read."""

    written: Written = Written()
    linked: Linked = Linked()
    commits: int = 0
    problem: str = ""


def read_history(
    store: Store,
    tenant: TenantId,
    namespace: Namespace,
    root: Path,
    source: str,
    settings: IngestSettings,
    cancelled: Callable[[], bool] = lambda: False,
) -> HistoryRead | None:
    """Bring the namespace's history of a tree up to date; None where it was cancelled, and then goes on next time."""
    if not settings.git_history.enabled:
        return HistoryRead()
    try:
        return _Reading(store, tenant, namespace, root, source, settings, cancelled).read()
    except _Cancelled:
        return None


class _Cancelled(Exception):
    """The caller wants the reading to end."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What git tells: the tree as it is now, the commits that were not known, and what hindered.

    `kept` is True where git told nothing this time: that is no sign that anything is gone.
    """

    tree: KeptTree
    logged: tuple[LoggedCommit, ...] = ()
    problem: str = ""
    kept: bool = False


class _Reading:
    """One reading of one tree's past."""

    def __init__(
        self,
        store: Store,
        tenant: TenantId,
        namespace: Namespace,
        root: Path,
        source: str,
        settings: IngestSettings,
        cancelled: Callable[[], bool],
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._namespace = namespace
        self._root = root
        self._source = source
        self._renderings = settings.renderings
        self._settings = settings.git_history
        self._secrets = settings.secrets
        self._cancelled = cancelled
        self._since = self._seen = Generation(0)
        self._whole = True

    def read(self) -> HistoryRead:
        """Do it all; raises _Cancelled."""
        stored = self._stored()
        if stored is None:
            return HistoryRead()
        told = self._told(stored)
        if told.tree == stored and self._whole and self._seen == self._since:
            return HistoryRead(commits=len(stored.commits), problem=told.problem)
        written = Written() if told.kept else self._put(told.logged).plus(self._take_out(stored, told.tree))
        linked = self._edges(stored, told.tree)
        self._keep(stored, told.tree)
        return HistoryRead(written, linked, len(told.tree.commits), told.problem)

    def _stored(self) -> KeptTree | None:
        """What is kept of this tree; None where nothing was taken in, so that there is nothing to tell the past of."""
        with self._store.snapshot(self._tenant) as snapshot:
            if self._namespace not in snapshot.namespaces():
                return None
            trees = kept_trees(snapshot, self._namespace)
            live = dict(snapshot.counts(self._namespace).kinds).get(COMMIT, 0)
            self._seen = snapshot.generation(self._namespace)
            self._since = seen_generation(snapshot, self._namespace, self._source)
        stored = next((tree for tree in trees if tree.source == self._source), KeptTree(self._source, ""))
        # What another tree lacks is for its own reading to mend.
        agree = live == sum(len(tree.commits) for tree in trees)
        self._whole = agree or len(self._live()) == len(stored.commits)
        return stored

    def _told(self, stored: KeptTree) -> _Told:
        tree = KeptTree(self._source, str(self._root))
        log = GitLog(self._root, self._settings)
        try:
            head, edge = log.head(), log.edge()
            if self._whole and (stored.head, stored.root, stored.edge) == (head, tree.root, kept_edge(edge)):
                return _Told(stored)
            ancestry = log.ancestry(head, edge)
            known = self._known(stored, edge)
            logged: list[LoggedCommit] = []
            for commit in log.commits([name for name in ancestry.hashes if name not in known], edge):
                self._check()
                logged.append(commit)
        except NoRepository as error:
            return _Told(msgspec.structs.replace(tree, unavailable=str(error)))
        except GitUnavailable as error:
            if stored.head:
                return _Told(stored, (), str(error), kept=True)
            problem = "" if top_of(self._root) is None else str(error)
            return _Told(msgspec.structs.replace(tree, unavailable=str(error)), (), problem)
        known_tree = msgspec.structs.replace(tree, paths=stored.paths, commits=stored.commits)
        by_hash = {commit.hash: commit for commit in logged}
        return _Told(told_tree(known_tree, head, ancestry, by_hash), tuple(logged))

    def _known(self, stored: KeptTree, edge: frozenset[str]) -> set[str]:
        """The commits that need not be read again: at the edge of a shallow clone they say less than elsewhere."""
        if not self._whole:
            return set()
        moved = edge.symmetric_difference(commit.hex() for commit in stored.edge)
        return {commit.hash.hex() for commit in stored.commits} - moved

    def _put(self, logged: Sequence[LoggedCommit]) -> Written:
        """Write the records of new commits."""

        def made(commit: LoggedCommit) -> tuple[Record, tuple[tuple[str, int], ...]]:
            redacted = redact(commit.message, settings=self._secrets)
            said = replace(commit, message=redacted.text)
            record = commit_record(self._namespace, self._source, said, self._settings, self._renderings)
            return record, redacted.reasons

        def job(txn: WriteTransaction, batch: Sequence[tuple[Record, tuple[tuple[str, int], ...]]]) -> Written:
            written = Written()
            for record, reasons in batch:
                known = txn.record(record.ref)
                before = None if known is None or known.removed else known.generation
                changed = int(txn.put_record(record) != before)
                written = written.plus(Written(records_written=changed, reasons=reasons))
            return written

        untold = sum(not commit.renames_told for commit in logged)
        reasons = ((RENAMES_UNTOLD, untold),) if untold else ()
        return self._in_batches([made(commit) for commit in logged], job).plus(Written(reasons=reasons))

    def _take_out(self, stored: KeptTree, told: KeptTree) -> Written:
        """Tombstone what HEAD no longer leads to within the bound."""
        kept = {self._ref(commit.hash) for commit in told.commits}
        live = [self._ref(commit.hash) for commit in stored.commits] if self._whole else self._live()

        def job(txn: WriteTransaction, batch: Sequence[Ref]) -> Written:
            return Written(records_removed=sum(txn.remove_record(ref) for ref in batch))

        return self._in_batches([ref for ref in live if ref not in kept], job)

    def _ref(self, commit: bytes) -> Ref:
        return commit_ref(self._namespace, self._source, commit.hex())

    def _live(self) -> list[Ref]:
        """The records of commits that there are, whatever the table says."""
        found: list[Ref] = []
        after: int | None = 0
        while after is not None:
            with self._store.snapshot(self._tenant) as snapshot:
                page = snapshot.list_records(self._namespace, after, 1_000, kind=COMMIT, source=self._source)
            found += [record.ref for record in page.records]
            after = page.next_after
        return found

    def _edges(self, stored: KeptTree, told: KeptTree) -> Linked:
        """Write and end what differs, and what stands for other files than when the past was read last."""
        heads = self._heads()
        if told == stored and self._whole and not heads.any:
            return Linked()
        counting = self._settings.counting
        old, new = (wanted_pairs(history_of((tree,), counting), self._settings) for tree in (stored, told))
        again = (pair for pair in new & old if heads.all or {pair.path, pair.start} & heads.began)
        changes = [(pair, False) for pair in sorted(old - new)]
        changes += [(pair, True) for pair in sorted({*(new - old), *again})]

        def job(txn: WriteTransaction, batch: Sequence[tuple[Pair, bool]]) -> Linked:
            return apply_pairs(txn, self._namespace, self._source, batch)

        linked = Linked(edges_removed=self._write(lambda txn: end_edges(txn, heads.ended)) if heads.ended else 0)
        for batch in _batches(changes, self._settings.batch_edges):

            def write_it(txn: WriteTransaction, batch: Sequence[tuple[Pair, bool]] = batch) -> Linked:
                return job(txn, batch)

            linked = linked.plus(self._write(write_it))
        return linked

    def _heads(self) -> ChangedHeads:
        with self._store.snapshot(self._tenant) as snapshot:
            since = self._since if self._whole else Generation(0)
            return changed_heads(snapshot, self._namespace, self._source, since)

    def _keep(self, stored: KeptTree, told: KeptTree) -> None:
        def job(txn: WriteTransaction) -> None:
            if told != stored:
                others = (tree for tree in kept_trees(txn, self._namespace) if tree.source != self._source)
                txn.put_mark(HISTORY_MARK, encode_trees((*others, told)), self._namespace)
            put_seen_generation(txn, self._namespace, self._source, self._seen)

        self._store.write(self._tenant, job)

    def _in_batches(self, items: Sequence[T], job: Callable[[WriteTransaction, Sequence[T]], Written]) -> Written:
        written = Written()
        for batch in _batches(items, self._settings.batch_commits):

            def write_it(txn: WriteTransaction, batch: Sequence[T] = batch) -> Written:
                return job(txn, batch)

            written = written.plus(self._write(write_it))
        return written

    def _write(self, job: Callable[[WriteTransaction], R]) -> R:
        """Write, and follow the namespace's generation for as long as nobody else writes between."""
        self._check()

        def followed(txn: WriteTransaction) -> tuple[R, Generation, Generation]:
            before = txn.generation(self._namespace)
            return job(txn), before, txn.generation(self._namespace)

        result, before, after = self._store.write(self._tenant, followed)
        if before == self._seen:
            self._seen = after
        return result

    def _check(self) -> None:
        if self._cancelled():
            raise _Cancelled


def _batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for at in range(0, len(items), size):
        yield items[at : at + size]
