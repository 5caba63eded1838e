"""Reading a tree, and counting what is passed over in it as it stands: `retrieval.ingest.passed_over` has the rule."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.ingest.errors import IngestCancelled
from retrieval.ingest.passed_over import PassedOver, keep_passed_over, kept_passed_over
from retrieval.ingest.progress import Progress, Summary
from retrieval.ingest.settings import IngestSettings
from retrieval.ingest.tree import ingest_tree
from retrieval.store.interface import Store
from workingset.vocabulary import Namespace, TenantId


@dataclass(slots=True)
class Passed:
    """What is known of one tree from scan to scan, refused files too; None before the first."""

    over: PassedOver | None = None


def ingest_and_count(
    store: Store,
    tenant: TenantId,
    namespace: Namespace,
    root: Path,
    *,
    source: str,
    settings: IngestSettings,
    force: bool = False,
    only: Collection[str] | None = None,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
    clock: Callable[[], float],
    passed: Passed | None = None,
) -> Summary:
    """As `ingest_tree`; `skipped` of the summary is of all the tree, and of what was cut short too it is kept."""
    passed = passed or Passed()

    def counted(summary: Summary) -> Summary:
        with store.snapshot(tenant) as txn:
            before = kept_passed_over(txn, namespace, source) if passed.over is None else passed.over
            after = before.after(txn, namespace, source, summary, only)
        if after.files != before.files:
            store.write(tenant, lambda txn: keep_passed_over(txn, namespace, source, after))
        passed.over = after
        return replace(summary, skipped=after.counts)

    try:
        summary = ingest_tree(
            store,
            tenant,
            namespace,
            root,
            source=source,
            settings=settings,
            force=force,
            only=only,
            progress=progress,
            cancelled=cancelled,
            clock=clock,
        )
    except IngestCancelled as error:
        counted(error.summary)
        raise
    return counted(summary)
