"""Collections beside writers and readers: a read at a cut is what it was, or the cut is expired, and nothing else."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from retrieval.errors import CutExpired
from retrieval.store.collecting import collect
from retrieval.store.lmdb import LmdbSettings, LmdbStore, open_store
from tests.contract.store_invariants import check_invariants
from tests.contract.store_room import CODE, TENANT, a_record, generation, put
from workingset.vocabulary import Generation, Ref

RECORDS, ROUNDS, READERS = 5, 150, 2
REFS = [Ref(f"code:{number}") for number in range(RECORDS)]


def text(number: int, at: int) -> str:
    """What a record says from a generation on: the write of generation `at` writes one record."""
    last = next((g for g in range(at, 0, -1) if (g - 1) % RECORDS == number), 0)
    return f"written at {last}"


def write(store: LmdbStore, done: threading.Event) -> int:
    try:
        for at in range(1, ROUNDS + 1):
            put(store, a_record(REFS[(at - 1) % RECORDS], f"written at {at}"))
    finally:
        done.set()
    return 0


def gather(store: LmdbStore, done: threading.Event) -> int:
    count = 0
    while not done.is_set():
        collect(store, TENANT, CODE, Generation(max(0, generation(store) - 7)))
        count += 1
    return count


def read(store: LmdbStore, done: threading.Event, seed: int) -> int:
    """How many cuts were read; within a snapshot the horizon stands still, whatever is collected meanwhile."""
    chance, held = Random(seed), 0
    while not done.is_set():
        with store.snapshot(TENANT) as snapshot:
            newest, horizon = snapshot.generation(CODE), snapshot.horizon(CODE)
            for at in (newest, horizon, chance.randint(0, newest), chance.randint(max(0, newest - 9), newest)):
                number = chance.randrange(RECORDS)
                try:
                    record = snapshot.record(REFS[number], Generation(at))
                except CutExpired:
                    assert at < horizon
                    continue
                assert at >= horizon or record is None
                assert record is None or record.text == text(number, at)
                held += 1
    return held


def test_reads_beside_writes_and_collections_are_right_or_expired(tmp_path: Path) -> None:
    store = open_store(tmp_path, LmdbSettings(map_bytes=2**24, purge_rows=3))
    done = threading.Event()
    with ThreadPoolExecutor(READERS + 2) as threads:
        readers = [threads.submit(read, store, done, seed) for seed in range(READERS)]
        gathering, writing = threads.submit(gather, store, done), threads.submit(write, store, done)
        writing.result()
        assert all(reader.result() for reader in readers)
        assert gathering.result()
    check_invariants(store)
    store.close()
