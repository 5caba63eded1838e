"""What the LMDB engine does when it is killed, must grow, runs out of space, or fails."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import (
    Conflict,
    RetrievalError,
    StorageFull,
    StoreUnavailable,
)
from retrieval.record import NameKind
from retrieval.store.interface import WriteTransaction
from retrieval.store.lmdb import LmdbSettings, LmdbStore, open_store
from retrieval.store.lmdb.environment import Environment
from tests.contract.store_invariants import check_invariants
from tests.faults.store_faults_room import ROOT, SPACE, TINY, large, put, stored
from tests.faults.store_writing_child import SETTINGS, TENANT, THREADS, record
from workingset.vocabulary import AgentId, Generation, Namespace, Ref

CAPPED = replace(TINY, max_map_bytes=2**20)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def opened(home: Path) -> Iterator[Callable[[LmdbSettings], LmdbStore]]:
    stores: list[LmdbStore] = []

    def open_one(settings: LmdbSettings) -> LmdbStore:
        stores.append(open_store(home, settings))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


# --- kill -9


def killed_after(home: Path, first: int, acknowledgements: int) -> dict[int, int]:
    """Run a writing child, kill it after some acknowledgements, and return the last number of each thread."""
    command = [sys.executable, "-m", "tests.faults.store_writing_child", str(home), str(first)]
    last: dict[int, int] = {}
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for count, line in enumerate(child.stdout, 1):
            thread, number = line.split()
            last[int(thread)] = int(number)
            if count == acknowledgements:
                child.kill()
        assert child.wait() < 0
    return last


def test_nothing_acknowledged_is_lost_to_kill_9(home: Path) -> None:
    written: dict[int, set[int]] = {thread: set() for thread in range(THREADS)}
    first = 0
    for acknowledgements in (1, 7, 19, 40, 64, 90, 3, 130, 55, 200):
        last = killed_after(home, first, acknowledgements)
        for thread, number in last.items():
            written[thread].update(range(first, number + 1))
        store = open_store(home, SETTINGS)
        for thread, numbers in written.items():
            check_thread(store, thread, numbers, last.get(thread))
        check_invariants(store)
        store.close()
        first = max(last.values()) + 5


def check_thread(store: LmdbStore, thread: int, numbers: set[int], last: int | None) -> None:
    """All of a thread's acknowledged writes are there, and what is there is consistent."""
    space = Namespace(f"n{thread}")
    with store.snapshot(TENANT) as snapshot:
        cut, counts = snapshot.cut([space]), snapshot.counts(space)
        for number in numbers:
            ids = snapshot.find(space, NameKind.SYMBOL, f"s{number}", 2)
            found = snapshot.records_by_id(ids, cut)
            assert [each and each.text for each in found] == [record(thread, number).text]
            assert len(snapshot.edges_to(Ref(f"n{thread}:{number}"))) == 1
        live = snapshot.list_records(space, 0, 10**6).records
        changes = snapshot.changes(space, Generation(0), 10**6)
        assert counts.records == counts.edges == len(live) == len(changes) == counts.generation
        working_set = snapshot.working_set(AgentId(f"agent {thread}"))
        if last is not None:
            assert working_set is not None
            assert working_set.claim.turn >= last
            assert working_set.encoded == b"set %d" % working_set.claim.turn


# --- growing


def test_a_tiny_map_grows_and_jobs_run_again(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(TINY)
    runs = 0

    def job(txn: WriteTransaction) -> None:
        nonlocal runs
        runs += 1
        for number in range(100):
            txn.put_record(large(number))

    store.write(TENANT, job)
    assert runs > 1
    assert stored(store) == 100
    assert store.bytes_used() > TINY.map_bytes
    with ThreadPoolExecutor(8) as callers:
        jobs = [callers.submit(put, store, large(number)) for number in range(100, 300)]
    assert [each.exception() for each in jobs] == [None] * 200
    with store.snapshot(TENANT) as snapshot:
        assert (snapshot.counts(SPACE).records, snapshot.generation(SPACE)) == (300, 201)


def test_the_map_grows_ahead_of_need(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(replace(TINY, map_bytes=2**20, grow_ahead_share=0.5))
    runs = 0

    def job(txn: WriteTransaction, number: int) -> None:
        nonlocal runs
        runs += 1
        txn.put_record(large(number))

    for number in range(200):
        store.write(TENANT, lambda txn, number=number: job(txn, number))  # type: ignore[misc]
    assert runs == stored(store) == 200


def test_growing_waits_for_open_snapshots(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(TINY)
    put(store, record(0, 0))
    reading, writing = threading.Event(), threading.Event()

    def read() -> int:
        with store.snapshot(TENANT) as snapshot:
            reading.set()
            assert writing.wait(30)
            records = [snapshot.record(Ref("n0:0")) for _ in range(2000)]
            return sum(each is not None for each in records)

    def job(txn: WriteTransaction) -> None:
        writing.set()
        for number in range(1, 100):
            txn.put_record(large(number))

    with ThreadPoolExecutor(1) as reader:
        found = reader.submit(read)
        assert reading.wait(30)
        store.write(TENANT, job)
        assert found.result() == 2000
    assert stored(store) == 100


def test_a_snapshot_that_outstays_the_patience_says_so(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(replace(TINY, grow_patience_seconds=0.05))
    put(store, record(0, 0))
    reading, grown = threading.Event(), threading.Event()

    def read() -> str:
        with store.snapshot(TENANT) as snapshot:
            reading.set()
            assert grown.wait(30)
            with pytest.raises(Conflict):
                snapshot.record(Ref("n0:0"))
            with pytest.raises(Conflict):
                snapshot.list_records(SPACE, 0, 9)
        return "done"

    with ThreadPoolExecutor(1) as reader:
        outcome = reader.submit(read)
        assert reading.wait(30)
        put(store, *[large(number) for number in range(1, 100)])
        grown.set()
        assert outcome.result() == "done"
    assert stored(store) == 100


def test_a_caller_that_writes_while_it_reads_is_not_waited_for(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(TINY)
    started = time.monotonic()
    with store.snapshot(TENANT) as snapshot:
        put(store, *[large(number) for number in range(100)])
        with pytest.raises(Conflict):
            snapshot.namespaces()
        assert stored(store) == 100
    assert time.monotonic() - started < TINY.grow_patience_seconds / 2


def test_a_job_that_goes_on_after_the_map_was_full_runs_again(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(TINY)

    def job(txn: WriteTransaction) -> int:
        refused = 0
        for number in range(100):
            try:
                txn.put_record(large(number))
            except RetrievalError:
                refused += 1
        return refused

    assert store.write(TENANT, job) == 0
    assert stored(store) == 100


# --- full


def test_a_full_store_says_so_with_figures_and_goes_on_reading(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(CAPPED)
    put(store, record(0, 0))
    with pytest.raises(StorageFull) as caught:
        put(store, *[large(number) for number in range(1, 200)])
    assert f"at most {CAPPED.max_map_bytes}" in str(caught.value)
    assert "bytes free" in str(caught.value)
    assert stored(store) == 1
    put(store, record(0, 1))
    assert stored(store) == 2


def test_a_job_too_large_fails_alone(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(CAPPED)
    running, release = threading.Event(), threading.Event()

    def block(txn: WriteTransaction) -> None:
        running.set()
        assert release.wait(30)

    def swallow(txn: WriteTransaction) -> str:
        for number in range(200, 400):
            with contextlib.suppress(RetrievalError):
                txn.put_record(large(number))
        return "written"

    with ThreadPoolExecutor(6) as callers:
        first = callers.submit(store.write, TENANT, block)
        assert running.wait(30)
        small = [callers.submit(put, store, record(0, number)) for number in range(3)]
        too_large: list[Future[Any]] = [
            callers.submit(put, store, *[large(number) for number in range(100, 200)]),
            callers.submit(store.write, TENANT, swallow),
        ]
        while store.jobs_waiting() < 5:
            time.sleep(0)
        release.set()
        first.result()
        assert [job.result() for job in small] == [None] * 3
        assert [type(job.exception()) for job in too_large] == [StorageFull] * 2
    assert stored(store) == 3


FILE_LIMIT = 400_000


def test_a_disk_that_fills_up_is_a_full_store(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    """A limit on the size of files refuses the write to the disk, after LMDB has found room in its map."""
    store = opened(replace(TINY, map_bytes=2**24, low_disk_bytes=2**62))
    put(store, record(0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, hard))
    try:
        for _ in range(2):
            with pytest.raises(StorageFull):
                put(store, *[large(number) for number in range(1, 100)])
        assert stored(store) == 1
        put(store, record(0, 1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    put(store, *[large(number) for number in range(1, 100)])
    assert stored(store) == 100


# --- failing


def test_after_an_unexpected_failure_nobody_waits_for_ever(
    opened: Callable[[LmdbSettings], LmdbStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(TINY)
    put(store, record(0, 0))
    running, release = threading.Event(), threading.Event()

    def block(txn: WriteTransaction) -> str:
        running.set()
        assert release.wait(30)
        return "committed"

    def fail(*_: object) -> None:
        raise RuntimeError("lightning")

    with ThreadPoolExecutor(5) as callers:
        first = callers.submit(store.write, TENANT, block)
        assert running.wait(30)
        waiting = [callers.submit(put, store, record(0, number)) for number in range(1, 5)]
        while store.jobs_waiting() < 4:
            time.sleep(0)
        monkeypatch.setattr(Environment, "begin_write", fail)
        release.set()
        assert first.result() == "committed"
        errors = [job.exception() for job in waiting]
    assert {type(error) for error in errors} == {StoreUnavailable}
    assert "lightning" in str(errors[0])
    with pytest.raises(StoreUnavailable, match="lightning"):
        put(store, record(0, 9))
    assert stored(store) == 1


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), MemoryError()])
def test_whatever_a_job_raises_goes_to_its_caller(
    opened: Callable[[LmdbSettings], LmdbStore], error: BaseException
) -> None:
    store = opened(TINY)

    def job(txn: WriteTransaction) -> None:
        txn.put_record(record(0, 0))
        raise error

    with pytest.raises(type(error)):
        store.write(TENANT, job)
    put(store, record(0, 1))
    assert stored(store) == 1


def test_a_job_that_writes_through_the_store_is_refused(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(TINY)
    with pytest.raises(RuntimeError, match="through its transaction"):
        store.write(TENANT, lambda _: put(store, record(0, 0)))


def test_a_snapshot_used_after_it_is_closed_says_so(opened: Callable[[LmdbSettings], LmdbStore]) -> None:
    store = opened(TINY)
    put(store, record(0, 0))
    with store.snapshot(TENANT) as snapshot:
        paths = snapshot.paths(SPACE, "")
    assert next(paths)[0] == "p/0"
    with pytest.raises(Conflict):
        snapshot.record(Ref("n0:0"))
