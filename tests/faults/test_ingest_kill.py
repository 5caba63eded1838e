"""An ingest that is killed at any point is made up for by the next, and leaves no process behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrieval.ingest import ingest_tree
from retrieval.store.lmdb import open_store
from tests.faults.ingesting_child import CODE, SETTINGS, STORE, TENANT
from tests.ingest_room import contents, take, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore

FILES: dict[str, str | bytes | None] = {
    f"p{at % 3}/m{at}.py": f"from p{at % 2} import m{at - 1}\n\n\ndef f{at}():\n    return f{at - 1}()\n"
    for at in range(14)
}
GONE_SECONDS = 20.0


def children_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("reports", [1, 3, 6, 9, 13])
def test_a_killed_ingest_is_made_up_for(tmp_path: Path, reports: int) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, "-m", "tests.faults.ingesting_child", str(tmp_path / "store"), str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout is not None
        seen = [line for line, _ in zip(child.stdout, range(reports), strict=False)]
        workers = children_of(child.pid)
        child.kill()
    assert len(seen) == reports
    until = time.monotonic() + GONE_SECONDS
    while any(map(is_running, workers)):
        assert time.monotonic() < until, "a worker outlives the process that started it"
        os.sched_yield()
    store = open_store(tmp_path / "store", STORE)
    try:
        ingest_tree(store, TENANT, CODE, root, source="tree", settings=SETTINGS)
        fresh = MemoryStore(MemoryDisk())
        take(fresh, root)
        assert contents(store) == contents(fresh)
        again = ingest_tree(store, TENANT, CODE, root, source="tree", settings=SETTINGS)
        assert (again.files_taken, again.records_written, again.edges_written) == (0, 0, 0)
    finally:
        store.close()
