"""A file is read again where it may have changed, however it looks, and not where it cannot have."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.ingest import Summary, file_stamps, ingest_tree, tree_moves
from retrieval.ingest.file_stamps import RACY_NANOSECONDS, FileStamp, read_stamps
from retrieval.store.interface import Store
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.ingest_room import CODE, TENANT, contents, live_records, take, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore

FILES: dict[str, str | bytes | None] = {"a.py": "A = 1\n", "b.py": "B = 1\n", "c/d.md": "# D\n\nwords\n"}
LATER = RACY_NANOSECONDS + 1_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store", LmdbSettings(map_bytes=2**25))
    yield opened
    opened.close()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that were read since the list was last cleared."""
    read = tree_moves.read_file
    paths: list[str] = []

    def noting(root: Path, path: str, limit_bytes: int) -> bytes:
        paths.append(path)
        return read(root, path, limit_bytes)

    monkeypatch.setattr(tree_moves, "read_file", noting)
    return paths


def later(store: Store, root: Path, *, force: bool = False, after_ns: int = LATER) -> Summary:
    """A run some seconds after the files were written, as it seems to it."""
    return ingest_tree(store, TENANT, CODE, root, source="tree", force=force, now_ns=lambda: time.time_ns() + after_ns)


def test_what_looks_as_it_did_is_not_read(store: Store, tmp_path: Path, reads: list[str]) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    later(store, root)
    assert sorted(reads) == sorted(FILES)
    reads.clear()
    again = later(store, root)
    assert (reads, again.files_unchanged, again.files_taken, again.files_removed) == ([], 3, 0, 0)
    write_tree(root, {"b.py": "B = 2\n"})
    assert later(store, root).files_taken == 1
    assert reads == ["b.py"]


def test_a_change_that_keeps_size_and_time_is_seen(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    later(store, root)
    status = (root / "a.py").stat()
    write_tree(root, {"a.py": "A = 2\n"})
    os.utime(root / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (root / "a.py").stat().st_mtime_ns == status.st_mtime_ns
    assert later(store, root).files_taken == 1


def test_a_file_put_in_the_place_of_another_is_seen(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {**FILES, "other": "A = 3\n"})
    later(store, root)
    (root / "other").rename(root / "a.py")
    later(store, root)
    assert next(record.text for record in live_records(store) if record.path == "a.py") == "A = 3\n"


def test_a_file_that_changed_just_now_is_read_though_it_looks_the_same(
    store: Store, tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns()

    def of(status: os.stat_result) -> FileStamp:
        return FileStamp(status.st_size, now, now, 1)

    monkeypatch.setattr(FileStamp, "of", of)
    root = write_tree(tmp_path / "tree", FILES)
    ingest_tree(store, TENANT, CODE, root, source="tree", now_ns=lambda: now + RACY_NANOSECONDS)
    write_tree(root, {"a.py": "A = 4\n"})
    reads.clear()
    assert ingest_tree(store, TENANT, CODE, root, source="tree", now_ns=lambda: now + LATER).files_taken == 1
    assert sorted(reads) == sorted(FILES)
    reads.clear()
    later(store, root)
    assert reads == []


def test_force_reads_everything(store: Store, tmp_path: Path, reads: list[str]) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    later(store, root)
    reads.clear()
    assert later(store, root, force=True).files_taken == 3
    assert sorted(reads) == sorted(FILES)


def test_a_note_of_what_the_store_no_longer_has_does_not_count(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    later(store, root)
    with store.snapshot(TENANT) as snapshot:
        noted = read_stamps(snapshot, CODE, "tree")
    write_tree(root, {"a.py": "A = 5\n"})
    ingest_tree(store, TENANT, CODE, root, source="tree", only=["a.py"])
    with store.snapshot(TENANT) as snapshot:
        assert read_stamps(snapshot, CODE, "tree") == noted
    write_tree(root, {"a.py": FILES["a.py"]})
    file_stamps.write_stamps(
        store,
        TENANT,
        CODE,
        "tree",
        {path: note._replace(stamp=FileStamp.of((root / path).lstat())) for path, note in noted.items()},
    )
    assert later(store, root).files_taken == 1
    fresh = MemoryStore(MemoryDisk())
    take(fresh, root)
    assert contents(store) == contents(fresh)


def test_notes_that_cannot_be_read_cost_only_reading(store: Store, tmp_path: Path, reads: list[str]) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    later(store, root)
    with store.snapshot(TENANT) as snapshot:
        mark = file_stamps._mark("tree")  # pyright: ignore[reportPrivateUsage]
        assert snapshot.mark(mark, CODE) is not None
    for broken in (b"", b"\xff\xff", b"\x92\x00\x80"):
        store.write(TENANT, lambda txn, broken=broken: txn.put_mark(mark, broken, CODE))
        reads.clear()
        assert later(store, root).files_unchanged == 3
        assert sorted(reads) == sorted(FILES)
    reads.clear()
    later(store, root)
    assert reads == []


def test_what_was_refused_is_looked_at_again(store: Store, tmp_path: Path, reads: list[str]) -> None:
    root = write_tree(tmp_path / "tree", {**FILES, "x.bin": b"\0\1"})
    later(store, root)
    reads.clear()
    assert dict(later(store, root).skipped) == {"binary": 1}
    assert reads == ["x.bin"]


def test_two_sources_have_notes_of_their_own(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    later(store, root)
    with store.snapshot(TENANT) as snapshot:
        assert read_stamps(snapshot, CODE, "another") == {}
        assert sorted(read_stamps(snapshot, CODE, "tree")) == sorted(FILES)
