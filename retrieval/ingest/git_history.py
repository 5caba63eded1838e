"""A tree's past into its namespace: commits as records, a table of what changed when, and edges between files.

Only the ancestors of HEAD are read, the newest up to a bound, and of those only what is not known yet; what HEAD no
longer leads to is taken out again. So any sequence of commits, resets and switches gives what reading it all gives.
A killed run is made up for by the next: records come first, the table that says so last, and where the two do not
agree the records are looked through.
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
from retrieval.ingest.history_table import told_tree
from retrieval.ingest.secrets import redact
from retrieval.ingest.settings import IngestSettings
from retrieval.store.interface import Store, WriteTransaction
from workingset.vocabulary import Generation, Namespace, Ref, TenantId

T = TypeVar("T")
R = TypeVar("R")
HISTORY_UNAVAILABLE = "history_unavailable"
"""Reason in a run's problems: there is a repository, and its past could not be read."""


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
    """What git tells: the tree as it is now, the commits that were not known, and what hindered."""

    tree: KeptTree
    logged: tuple[LoggedCommit, ...] = ()
    problem: str = ""


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
        written = self._put(told.logged).plus(self._take_out(stored, told.tree))
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
        self._whole = live == sum(len(tree.commits) for tree in trees)
        return next((tree for tree in trees if tree.source == self._source), KeptTree(self._source, ""))

    def _told(self, stored: KeptTree) -> _Told:
        tree = KeptTree(self._source, str(self._root))
        log = GitLog(self._root, self._settings)
        try:
            head = log.head()
            if self._whole and (stored.head, stored.root) == (head, tree.root):
                return _Told(stored)
            ancestry = log.ancestry(head)
            known = {commit.hash.hex() for commit in stored.commits} if self._whole else frozenset[str]()
            logged: list[LoggedCommit] = []
            for commit in log.commits([name for name in ancestry.hashes if name not in known], ancestry.edge):
                self._check()
                logged.append(commit)
        except NoRepository as error:
            return _Told(msgspec.structs.replace(tree, unavailable=str(error)))
        except GitUnavailable as error:
            there = any((folder / ".git").exists() for folder in (self._root, *self._root.absolute().parents))
            return _Told(msgspec.structs.replace(tree, unavailable=str(error)), (), str(error) if there else "")
        known_tree = msgspec.structs.replace(tree, paths=stored.paths, commits=stored.commits)
        by_hash = {commit.hash: commit for commit in logged}
        return _Told(told_tree(known_tree, head, ancestry, by_hash), tuple(logged))

    def _put(self, logged: Sequence[LoggedCommit]) -> Written:
        """Write the records of new commits."""

        def job(txn: WriteTransaction, batch: Sequence[LoggedCommit]) -> Written:
            written = Written()
            for commit in batch:
                redacted = redact(commit.message, settings=self._secrets)
                said = replace(commit, message=redacted.text)
                record = commit_record(self._namespace, self._source, said, self._settings, self._renderings)
                known = txn.record(record.ref)
                before = None if known is None or known.removed else known.generation
                changed = int(txn.put_record(record) != before)
                written = written.plus(Written(records_written=changed, reasons=redacted.reasons))
            return written

        return self._in_batches(logged, job)

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
