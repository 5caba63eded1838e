"""Purges that die on the way, and rows that a purge might forget: what the LMDB engine deletes, and what sees it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import lmdb
import pytest

from retrieval.errors import ForeignStore
from retrieval.record import Edge
from retrieval.relations import Role
from retrieval.store.collecting import collect
from retrieval.store.interface import Traces, WriteTransaction
from retrieval.store.lmdb import LmdbStore, open_store
from retrieval.store.lmdb.layout import FORMAT_KEY, FORMAT_VERSION, Tables
from retrieval.store.lmdb.traces import AGENT_PLACES, NAMESPACE_PLACES, NEITHER
from retrieval.store.purging import finish_all_purges, finish_purges, purge
from tests.contract.store_invariants import check_invariants
from tests.contract.store_room import AGENT, CODE, NOTES, OTHER_TENANT, TENANT, a_record, mark, put
from tests.contract.test_store_deletion import fill, work_of
from tests.faults.store_faults_room import ROOT
from tests.faults.store_purging_child import DIED, SETTINGS
from workingset.vocabulary import Generation, Ref

Row = tuple[str, bytes, bytes]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "store"


def opened(home: Path) -> LmdbStore:
    return open_store(home, SETTINGS)


def raw(home: Path) -> lmdb.Environment:
    return lmdb.Environment(str(home), max_dbs=40, map_size=2**24, lib_version=0)


def rows_of(home: Path) -> set[Row]:
    with raw(home) as env:
        tables = {name: env.open_db(name.encode(), create=False) for name in Tables._fields}
        with env.begin() as txn:
            return {(name, key, value) for name, table in tables.items() for key, value in txn.cursor(table)}


def put_back(home: Path, row: Row) -> None:
    with raw(home) as env, env.begin(write=True) as txn:
        txn.put(row[1], row[2], db=env.open_db(row[0].encode(), txn, create=False))


def filled(home: Path) -> LmdbStore:
    store = opened(home)
    fill(store)
    store.write(TENANT, work_of(AGENT))
    put(store, a_record("notes:a"), tenant=OTHER_TENANT)
    return store


def traces(store: LmdbStore) -> Traces:
    with store.snapshot(TENANT) as snapshot:
        places = (*snapshot.traces_of_namespace(NOTES).places, *snapshot.traces_of_agent(AGENT).places)
    return Traces(places)


# --- what looks for traces


def test_every_table_is_known_to_hold_traces_or_none() -> None:
    """A new table belongs to one of these, and where it is of a namespace or an agent, to what deletes them."""
    places = [*AGENT_PLACES, *NAMESPACE_PLACES, *NEITHER]
    assert sorted(places) == sorted(Tables._fields)


def test_any_row_that_deleting_had_forgotten_would_be_seen(home: Path) -> None:
    filled(home).close()
    before = rows_of(home)
    store = opened(home)
    purge(store, TENANT, NOTES)
    store.write(TENANT, lambda txn: txn.forget_agent(AGENT))
    assert traces(store).total == 0
    store.close()
    after = rows_of(home)
    deleted = {row for row in before - after if row[:2] not in {(table, key) for table, key, _ in after}}
    assert {table for table, _, _ in deleted} == {*AGENT_PLACES, *NAMESPACE_PLACES} - {"purged"}

    by_table = {table: sorted(row for row in deleted if row[0] == table) for table, _, _ in deleted}
    for number, row in enumerate(row for rows in by_table.values() for row in {rows[0], rows[-1]}):
        copy = home.with_name(str(number))
        shutil.copytree(home, copy)
        put_back(copy, row)
        store = opened(copy)
        assert dict(traces(store).found) == {row[0]: 1}, row
        store.close()


# --- dying on the way


def died(home: Path, deletes: int) -> bool:
    """Purge in a child that dies at a deletion; True where it came so far."""
    command = [sys.executable, "-m", "tests.faults.store_purging_child", str(home), str(deletes)]
    return subprocess.run(command, cwd=ROOT, check=False, timeout=60).returncode == DIED


@pytest.mark.parametrize("deletes", [1, 9, 33, 50])
def test_a_purge_that_is_killed_is_all_or_nothing_for_readers_and_goes_on(home: Path, deletes: int) -> None:
    filled(home).close()
    assert died(home, deletes)

    store = opened(home)
    with store.snapshot(TENANT) as snapshot:
        gone = NOTES not in snapshot.namespaces()
        seen = [snapshot.record(Ref(f"notes:{local}")) for local in ("a", "b", "gone", "loner")]
        assert [record is None for record in seen] == [gone] * 4
        assert len(snapshot.edges_from(Ref("code:g"))) == (2 if gone else 3)
        assert snapshot.counts(CODE).edges == (2 if gone else 3)
    check_invariants(store)
    if not gone:
        assert deletes < 20
        store.close()
        return
    put(store, a_record("notes:a", "anew"))
    assert traces(store).total > 0
    finish_all_purges(store)
    check_invariants(store)
    purge(store, TENANT, NOTES)
    store.write(TENANT, lambda txn: txn.forget_agent(AGENT))
    assert traces(store).total == 0
    store.close()


def test_others_write_between_the_steps_of_a_purge(home: Path) -> None:
    store = opened(home)
    put(store, *[a_record(f"notes:{number}", path=f"{number}.md") for number in range(50)])
    done = store.write(TENANT, lambda txn: txn.purge_namespace(NOTES))
    steps = [done]
    while steps[-1].left:
        put(store, a_record("code:f", f"after step {len(steps)}"), a_record(f"notes:{len(steps)}", "anew"))
        steps.append(store.write(TENANT, lambda txn: txn.purge_further()))
        check_invariants(store)
    assert (sum(step.records for step in steps), sum(step.versions for step in steps)) == (50, 50)
    assert max(step.records for step in steps) <= SETTINGS.purge_rows / 2
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.counts(NOTES).records == len(steps) - 1
    store.close()


def test_a_record_with_many_edges_does_not_outgrow_a_step(home: Path) -> None:
    store = opened(home)
    put(store, a_record("notes:hub"), *[a_record(f"code:{number}") for number in range(40)])

    def linked(txn: WriteTransaction) -> None:
        for number in range(40):
            txn.put_edge(Edge(Ref("notes:hub"), "mentions", Ref(f"code:{number}"), Role.ASSOCIATIVE))

    store.write(TENANT, linked)
    store.write(TENANT, lambda txn: txn.remove_edge(Ref("notes:hub"), "mentions", Ref("code:0")))
    first = store.write(TENANT, lambda txn: txn.purge_namespace(NOTES))
    assert (first.left, first.records, first.edges) == (True, 0, 7)
    with store.snapshot(TENANT) as snapshot:
        assert [snapshot.edges_to(Ref(f"code:{number}")) for number in range(40)] == [[]] * 40
        assert snapshot.edges_to(Ref("code:0"), Generation(2)) == []
    done = finish_purges(store, TENANT, first)
    assert (done.records, done.edges, done.past_edges) == (1, 39, 1)
    check_invariants(store)
    store.close()


# --- stores of the format before


def as_format_1(home: Path) -> None:
    """What a store of format 1 looks like: two tables less, and marks of namespaces by name."""
    with raw(home) as env, env.begin(write=True) as txn:
        for name in (b"space_marks", b"purged"):
            txn.drop(env.open_db(name, txn, create=False))
        txn.put(FORMAT_KEY, (1).to_bytes(4, "big"), db=env.open_db(b"meta", txn, create=False))


def test_a_store_of_the_first_format_is_brought_up_to_date(home: Path) -> None:
    store = opened(home)
    put(store, a_record("notes:a"))
    mark(store, "index/lexical/notes", b"far")
    store.close()
    as_format_1(home)
    with pytest.raises(ForeignStore, match="for writing"):
        open_store(home, SETTINGS, read_only=True)

    store = opened(home)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.record(Ref("notes:a")) is not None
        assert snapshot.mark("index/lexical/notes") is None
    assert store.write(TENANT, lambda txn: txn.put_mark("index", b"far", NOTES))
    purge(store, TENANT, NOTES)
    assert traces(store).total == 0
    store.close()
    assert ("meta", FORMAT_KEY, FORMAT_VERSION.to_bytes(4, "big")) in rows_of(home)
    open_store(home, SETTINGS, read_only=True).close()


def test_a_store_from_before_history_was_collected_keeps_its_marks(home: Path) -> None:
    store = opened(home)
    put(store, a_record("notes:a", "one"))
    mark(store, "sources", b"followed")
    store.close()
    with raw(home) as env, env.begin(write=True) as txn:
        for name in (b"horizons", b"lost_needs", b"retained"):
            txn.drop(env.open_db(name, txn, create=False))
        txn.put(FORMAT_KEY, (3).to_bytes(4, "big"), db=env.open_db(b"meta", txn, create=False))

    store = opened(home)
    put(store, a_record("notes:a", "two"))
    collect(store, TENANT, NOTES, Generation(2))
    with store.snapshot(TENANT) as snapshot:
        assert (snapshot.mark("sources"), snapshot.horizon(NOTES)) == (b"followed", 2)
    store.close()
    assert ("meta", FORMAT_KEY, FORMAT_VERSION.to_bytes(4, "big")) in rows_of(home)
