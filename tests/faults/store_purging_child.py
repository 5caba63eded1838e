"""A process that purges a namespace and dies on the way, as a killed one does: without a word, in the middle of a row.

Usage: store_purging_child.py HOME DELETES. It dies at its DELETES-th deletion of a row; 0 means never.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from retrieval.store.lmdb import LmdbSettings, open_store
from retrieval.store.lmdb.rows import Rows
from retrieval.store.purging import purge
from tests.contract.store_room import NOTES, TENANT

SETTINGS = LmdbSettings(map_bytes=2**24, purge_rows=20)
DIED = 9


def die_at(deletes: int) -> None:
    """Make the deletion of that number the last thing that this process does."""
    delete, left = Rows.delete, deletes

    def counted(rows: Rows, *row: Any) -> bool:
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(DIED)
        return delete(rows, *row)

    Rows.delete = counted  # type: ignore[method-assign, assignment]


def main() -> None:
    """Open the store and purge."""
    store = open_store(Path(sys.argv[1]), SETTINGS)
    die_at(int(sys.argv[2]))
    purge(store, TENANT, NOTES)
    store.close()


if __name__ == "__main__":
    main()
