"""What the LMDB engine does with files that it must not touch, may only read, or cannot decode."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from retrieval.errors import (
    ForeignStore,
    StoreBusy,
    StoreCorrupt,
    StoreUnavailable,
)
from retrieval.store.lmdb import open_store
from retrieval.store.lmdb.layout import FORMAT_KEY, FORMAT_VERSION, MAGIC_KEY
from tests.faults.store_faults_room import ROOT, TINY, large, put
from tests.faults.store_writing_child import SETTINGS, TENANT, record
from workingset.vocabulary import Ref


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "store"


def edit(home: Path, table: bytes, change: Callable[[lmdb.Cursor], object]) -> None:
    """Change a closed store behind its back."""
    with lmdb.Environment(str(home), max_dbs=40, map_size=2**24, lib_version=0) as env:
        handle = env.open_db(table, create=False)
        with env.begin(write=True) as txn:
            change(txn.cursor(handle))


def test_a_newer_format_is_refused_and_left_alone(home: Path) -> None:
    open_store(home, TINY).close()
    edit(home, b"meta", lambda cursor: cursor.put(FORMAT_KEY, (FORMAT_VERSION + 1).to_bytes(4, "big")))
    before = (home / "data.mdb").read_bytes()
    for read_only in (False, True):
        with pytest.raises(ForeignStore, match="newer"):
            open_store(home, TINY, read_only=read_only)
    assert (home / "data.mdb").read_bytes() == before


def test_other_programs_files_are_refused_and_left_alone(home: Path) -> None:
    home.mkdir()
    (home / "data.mdb").write_bytes(b"certainly not a database " * 1000)
    before = (home / "data.mdb").read_bytes()
    with pytest.raises(ForeignStore):
        open_store(home, TINY)
    assert (home / "data.mdb").read_bytes() == before


@pytest.mark.parametrize("table", [None, b"meta", b"theirs"])
def test_another_programs_lmdb_store_is_refused(home: Path, table: bytes | None) -> None:
    with lmdb.Environment(str(home), max_dbs=4, map_size=2**20, lib_version=0) as env:
        handle = env.open_db(table)
        with env.begin(write=True) as txn:
            txn.put(MAGIC_KEY, b"their own", db=handle)
    with pytest.raises(ForeignStore):
        open_store(home, TINY)
    with pytest.raises(ForeignStore):
        open_store(home, TINY, read_only=True)


def test_a_newer_lmdb_format_is_refused(home: Path) -> None:
    lmdb.Environment(str(home), map_size=2**20, lib_version=1).close()
    with pytest.raises(ForeignStore):
        open_store(home, TINY)


def test_opening_twice_in_one_process_is_refused(home: Path) -> None:
    store = open_store(home, TINY)
    with pytest.raises(StoreBusy):
        open_store(home, TINY)
    put(store, record(0, 0))
    store.close()
    open_store(home, TINY).close()


def test_a_store_that_is_not_there_cannot_be_read(home: Path) -> None:
    with pytest.raises(StoreUnavailable, match="no store"):
        open_store(home, TINY, read_only=True)
    assert not home.exists()


def test_a_home_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="cannot be made"):
        open_store(tmp_path / "file" / "store", TINY)


def test_the_files_are_their_owners_alone(home: Path) -> None:
    open_store(home, TINY).close()
    assert [path.stat().st_mode & 0o077 for path in (home, home / "data.mdb", home / "lock.mdb")] == [0, 0, 0]


@pytest.mark.parametrize("garbage", [b"\x00\x00\x00\x00\x02\xff\xff\x01", b"\x01\x00\x00\x00\x00\x00", b""])
def test_a_version_that_does_not_decode_is_corruption(home: Path, garbage: bytes) -> None:
    store = open_store(home, TINY)
    put(store, record(0, 0))
    store.close()

    def spoil(cursor: lmdb.Cursor) -> None:
        assert cursor.first()
        cursor.put(cursor.key(), garbage)

    edit(home, b"records", spoil)
    store = open_store(home, TINY)
    with store.snapshot(TENANT) as snapshot, pytest.raises(StoreCorrupt):
        snapshot.record(Ref("n0:0"))
    with pytest.raises(StoreCorrupt):
        store.write(TENANT, lambda txn: txn.remove_record(Ref("n0:0")))
    put(store, record(0, 1))
    store.close()


READ_ONLY_CHILD = """
import os, sys
from pathlib import Path
from retrieval.errors import ReadOnlyStore, StoreUnavailable
from retrieval.record import NameKind
from retrieval.store.lmdb import open_store
from tests.contract.store_invariants import check_invariants
from tests.faults.store_writing_child import SETTINGS, TENANT
from workingset.vocabulary import Ref
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
home = Path(sys.argv[1])
try:
    open_store(home, SETTINGS)
except StoreUnavailable as refused:
    print("refused:", refused)
store = open_store(home, SETTINGS, read_only=True)
with store.snapshot(TENANT) as snapshot:
    print("read:", snapshot.record(Ref("n0:0")).text[:9])
try:
    store.write(TENANT, lambda txn: None)
except ReadOnlyStore as refused:
    print("read only:", refused)
store.close()
"""


@pytest.mark.parametrize("with_lock_file", [True, False])
def test_a_directory_that_may_only_be_read_can_be_read(with_lock_file: bool) -> None:
    """As another user where the tests run as root, whom no mode holds back."""
    home = Path(tempfile.mkdtemp(prefix="hotset-read-only-"))
    try:
        store = open_store(home, SETTINGS)
        put(store, record(0, 0))
        store.close()
        if not with_lock_file:
            (home / "lock.mdb").unlink()
        for path in home.iterdir():
            path.chmod(0o444)
        home.chmod(0o555)
        child = subprocess.run(
            [sys.executable, "-c", READ_ONLY_CHILD, str(home)], cwd=ROOT, capture_output=True, text=True, check=False
        )
    finally:
        home.chmod(0o700)
        shutil.rmtree(home)
    assert child.stderr == ""
    said = [line.partition(":")[0] for line in child.stdout.splitlines()]
    assert said == ["refused", "read", "read only"]
    assert "0 wrote 0" in child.stdout


def test_a_reader_in_another_process_follows_a_growing_map(home: Path) -> None:
    writer = open_store(home, TINY)
    put(writer, record(0, 0))
    script = (
        "import sys\nfrom pathlib import Path\nfrom retrieval.store.lmdb import open_store\n"
        "from tests.faults.store_faults_room import TINY, stored\n"
        "store = open_store(Path(sys.argv[1]), TINY, read_only=True)\n"
        "for line in sys.stdin:\n    print(stored(store), flush=True)\nstore.close()\n"
    )
    command = [sys.executable, "-c", script, str(home)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        for size in (1, 100):
            put(writer, *[large(number) for number in range(1, size)])
            reader.stdin.write("count\n")
            reader.stdin.flush()
            assert reader.stdout.readline() == f"{size}\n"
        reader.stdin.close()
        assert reader.wait() == 0
    writer.close()
