"""What a followed tree's thread does to the store: scans under the namespace's turn, and takes all of it out again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from hotsetd.clock import Clock
from hotsetd.config import Settings
from hotsetd.counting import Passed, ingest_and_count
from hotsetd.errors import Stopping
from hotsetd.filling import Filling
from hotsetd.source_reports import Identity
from retrieval.ingest.forgetting import forget_tree
from retrieval.ingest.git_history import read_history
from retrieval.ingest.linking import link_namespace
from retrieval.ingest.progress import Progress, Summary
from retrieval.ingest.watch import Batch
from retrieval.sources import TREE_SOURCE
from retrieval.store.interface import Store, WriteTransaction
from workingset.vocabulary import Generation, Namespace, TenantId


class TreeScans:
    """One tree of one namespace. Its records have the source that a single ingest of the same root gives them."""

    def __init__(
        self,
        store: Store,
        tenant: TenantId,
        namespace: Namespace,
        root: Path,
        settings: Settings,
        clock: Clock,
        filling: Filling,
        written: Callable[[], None],
        alone: Callable[[], AbstractContextManager[None]],
        remember: Callable[[Identity], None],
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._namespace = namespace
        self._root = root
        self._source = f"{TREE_SOURCE}{root}"
        self._settings = settings
        self._clock = clock
        self._filling = filling
        self._written = written
        self._alone = alone
        self._remember = remember
        history = replace(settings.ingest.git_history, enabled=False)
        self._passed = Passed()
        self._without_history = replace(settings.ingest, git_history=history)

    def scan(self, batch: Batch, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Summary:
        """Take in what a batch names; a whole tree holds other heavy work back, a few files do not.

        The history is read with a whole tree only: `history` makes up for it. What the summary counts as passed over is
        all of it in the tree as it stands, and not that of this scan alone.
        """

        def report(reached: Progress) -> None:
            self._written()
            progress(reached)

        with ExitStack() as held:
            held.enter_context(self._filling.turn(self._tenant, self._namespace, cancelled))
            if batch.whole:
                held.enter_context(self._alone())
            held.callback(self._written)
            return ingest_and_count(
                self._store,
                self._tenant,
                self._namespace,
                self._root,
                source=self._source,
                settings=self._settings.ingest if batch.whole else self._without_history,
                only=None if batch.whole else batch.paths,
                progress=report,
                cancelled=cancelled,
                clock=self._clock.monotonic,
                passed=self._passed,
            )

    def scanned(self, identity: Identity) -> None:
        """Remember which folder was scanned."""
        self._remember(identity)

    def history(self, cancelled: Callable[[], bool]) -> tuple[Generation, str]:
        """Bring what git tells of the tree's past up to date; returns the generation after, and what hindered."""
        with self._filling.turn(self._tenant, self._namespace, cancelled):
            ingest = self._settings.ingest
            read = read_history(self._store, self._tenant, self._namespace, self._root, self._source, ingest, cancelled)
        if read is None:
            raise Stopping("the daemon is shutting down; the next scan goes on with the history")
        self._written()
        with self._store.snapshot(self._tenant) as txn:
            return txn.generation(self._namespace), read.problem

    def take_out(self, cancelled: Callable[[], bool]) -> int:
        """Tombstone all that the source brought, in bounded transactions, and forget the tree; returns how many records
        it were. Raises Stopping where it was cancelled: what was taken out by then stays out until it is scanned again.
        """
        total = 0
        with self._filling.turn(self._tenant, self._namespace, cancelled):
            after: int | None = 0
            while after is not None:
                self._go_on(cancelled)
                taken, after = self._store.write(self._tenant, partial(self._take_some, after=after))
                total += taken
                self._written()
            links = self._settings.ingest.links
            link_namespace(self._store, self._tenant, self._namespace, links, cancelled=cancelled)
            self._go_on(cancelled)
        self._written()
        return total

    def _go_on(self, cancelled: Callable[[], bool]) -> None:
        if cancelled():
            raise Stopping(f"given up while records of {str(self._root)!r} were being taken out")

    def _take_some(self, txn: WriteTransaction, after: int) -> tuple[int, int | None]:
        size = self._settings.limits.page_records_limit
        page = txn.list_records(self._namespace, after, size, source=self._source)
        taken = sum(txn.remove_record(record.ref) for record in page.records)
        if page.next_after is None:
            forget_tree(txn, self._namespace, self._source)
        return taken, page.next_after
