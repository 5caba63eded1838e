"""A process that ingests a tree with worker processes and says how far it has come; it is there to be killed.

Usage: ingesting_child.py HOME ROOT. Prints the stage and the number of records at every report.
"""

from __future__ import annotations

import sys
from pathlib import Path

from retrieval.ingest import IngestSettings, ingest_tree
from retrieval.ingest.progress import Progress
from retrieval.ingest.settings import BatchSettings, LinkSettings, ParallelSettings
from retrieval.store.lmdb import LmdbSettings, open_store
from workingset.vocabulary import Namespace, TenantId

TENANT, CODE = TenantId("acme"), Namespace("code")
SETTINGS = IngestSettings(
    batches=BatchSettings(files=2),
    links=LinkSettings(batch_files=2),
    parallel=ParallelSettings(workers=2, above_bytes=1, chunk_files=2, chunks_ahead=2),
)
STORE = LmdbSettings(map_bytes=2**25)


def main() -> None:
    """Ingest, report."""

    def report(progress: Progress) -> None:
        print(progress.stage, progress.records, flush=True)

    store = open_store(Path(sys.argv[1]), STORE)
    ingest_tree(store, TENANT, CODE, Path(sys.argv[2]), source="tree", settings=SETTINGS, progress=report)
    store.close()
    print("done", flush=True)


if __name__ == "__main__":
    main()
