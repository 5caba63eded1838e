"""Small acts that the fault tests of the store share."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from retrieval.record import Record
from retrieval.store.lmdb import LmdbSettings, LmdbStore
from tests.faults.store_writing_child import TENANT, record
from workingset.vocabulary import Namespace

ROOT = Path(__file__).parents[2]
TINY = LmdbSettings(map_bytes=2**18, least_map_bytes=2**18, grow_ahead_share=1.0, grow_patience_seconds=60)
SPACE = Namespace("n0")


def large(number: int, size: int = 20_000) -> Record:
    """A record whose text hardly compresses."""
    return replace(record(0, number), text=os.urandom(size // 2).hex())


def put(store: LmdbStore, *records: Record) -> None:
    """Write records in one job."""
    store.write(TENANT, lambda txn: [txn.put_record(each) for each in records])


def stored(store: LmdbStore) -> int:
    """How many records the store counts."""
    with store.snapshot(TENANT) as snapshot:
        return snapshot.counts(SPACE).records
