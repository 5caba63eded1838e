"""A process that collects a namespace's history and dies on the way, in the middle of a row or between two steps.

Usage: store_collecting_child.py HOME BEFORE DELETES STEPS. It dies at its DELETES-th deletion of a row, or after its
STEPS-th step; 0 means never.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from retrieval.store.collecting import collect
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.contract.store_room import CODE, TENANT
from tests.faults.store_purging_child import DIED, die_at
from workingset.vocabulary import Generation

SETTINGS = LmdbSettings(map_bytes=2**24, purge_rows=20)


def main() -> None:
    """Open the store and collect."""
    store = open_store(Path(sys.argv[1]), SETTINGS)
    left = int(sys.argv[4])

    def between() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(DIED)

    die_at(int(sys.argv[3]))
    collect(store, TENANT, CODE, Generation(int(sys.argv[2])), between)
    store.close()


if __name__ == "__main__":
    main()
