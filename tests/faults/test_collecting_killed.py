"""Collections of history that die on the way: a consistent horizon, and an end at the next start."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from retrieval.errors import CutExpired
from retrieval.relations import Role
from retrieval.store.collecting import finish_collections
from retrieval.store.interface import Collected, Snapshot
from retrieval.store.lmdb import LmdbStore, open_store
from tests.contract.store_invariants import check_invariants
from tests.contract.store_room import CODE, TENANT, a_record, generation, link, put
from tests.faults.store_collecting_child import SETTINGS
from tests.faults.store_faults_room import ROOT
from tests.faults.store_purging_child import DIED
from workingset.vocabulary import Generation, Ref

RECORDS, ROUNDS = 8, 4
REFS = [Ref(f"code:{number}") for number in range(RECORDS)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A store with some rounds of versions and of edges that began and ended, closed."""
    store = open_store(tmp_path / "store", SETTINGS)
    for round_ in range(ROUNDS):
        put(store, *[a_record(ref, f"text of round {round_}") for ref in REFS])
        for source, target in pairwise(REFS):
            link(store, source, "calls", target, Role.ASSOCIATIVE)
            store.write(TENANT, lambda txn, s=source, t=target: txn.remove_edge(s, "calls", t))  # type: ignore[misc]
    store.close()
    return tmp_path / "store"


def read_at(snapshot: Snapshot, at: int) -> list[object]:
    return [(snapshot.record(ref, Generation(at)), snapshot.edges_from(ref, Generation(at))) for ref in REFS]


def seen(home: Path) -> dict[int, list[object]]:
    store = open_store(home, SETTINGS)
    with store.snapshot(TENANT) as snapshot:
        read = {at: read_at(snapshot, at) for at in range(snapshot.generation(CODE) + 1)}
    store.close()
    return read


def died(home: Path, before: int, deletes: int, steps: int) -> bool:
    """Collect in a child that dies; True where it came so far."""
    arguments = [str(home), str(before), str(deletes), str(steps)]
    command = [sys.executable, "-m", "tests.faults.store_collecting_child", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False, timeout=60).returncode == DIED


def check(store: LmdbStore, before: dict[int, list[object]], horizon: int) -> None:
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.horizon(CODE) == horizon
        for at, read in before.items():
            if at >= horizon:
                assert read_at(snapshot, at) == read, at
            else:
                with pytest.raises(CutExpired):
                    snapshot.record(REFS[0], Generation(at))
    check_invariants(store)


@pytest.mark.parametrize(("deletes", "steps"), [(1, 0), (7, 0), (30, 0), (60, 0), (0, 1), (0, 2), (0, 4)])
def test_a_collection_that_is_killed_leaves_a_true_horizon_and_goes_on(home: Path, deletes: int, steps: int) -> None:
    before = seen(home)
    newest = max(before)
    assert died(home, newest, deletes, steps)

    store = open_store(home, SETTINGS)
    with store.snapshot(TENANT) as snapshot:
        raised = snapshot.horizon(CODE)
        left = snapshot.would_collect(CODE, raised)
    assert raised in (0, newest)
    assert raised == newest or deletes == 1
    check(store, before, raised)
    put(store, a_record("code:0", "written meanwhile"))
    assert finish_collections(store, TENANT) == left
    check(store, before, raised)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.would_collect(CODE, raised) == Collected()
        rows = dict(snapshot.traces_of_namespace(CODE).places)
    assert not raised or (rows["records"], rows["past_edges"]) == (RECORDS + 1, 0)
    store.close()


def test_others_write_and_read_old_cuts_between_the_steps(home: Path) -> None:
    before = seen(home)
    store = open_store(home, SETTINGS)
    horizon = max(before) - 3
    store.write(TENANT, lambda txn: txn.collect_history(CODE, Generation(horizon)))
    steps = 0

    def between() -> None:
        nonlocal steps
        steps += 1
        put(store, a_record(REFS[steps % RECORDS], f"after step {steps}"))
        check(store, before, horizon)

    finish_collections(store, TENANT, between)
    assert steps > 3
    assert generation(store) == max(before) + steps
    store.close()
